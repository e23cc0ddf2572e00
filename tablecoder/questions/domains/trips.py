"""Trips of drivers. Only test_ood uses this domain: no training question knows its words."""

from tablecoder.questions import columns
from tablecoder.questions.schema import Domain, TableSpec

_KEY = columns.key("driver_id", "司机编号")
_FACT = TableSpec(
    "trips",
    "trips",
    "行程",
    (
        columns.key("trip_id", "行程号"),
        columns.foreign(_KEY),
        columns.category("zone", "区域", "Harborfront Uptown Downtown Campus Stadium Market"),
        columns.category("service", "服务类型", "shared premium regular van", optional=True),
        columns.day("trip_date", "行程日期"),
        columns.quantity("kilometers", "公里数", 2, 85, "km"),
        columns.price("km_fare", "每公里车费", en="fare per km"),
        columns.measure(
            "wait_seconds", "等待秒数", 40, 2900, "seconds", en="waiting seconds", optional=True
        ),
        columns.rate("platform_fee", "平台抽成比例", 5, 35, en="platform fee rate"),
    ),
)
_DIM = TableSpec(
    "drivers",
    "drivers",
    "司机",
    (
        _KEY,
        columns.category("vehicle", "车型", "Sedan Hatch Wagon Pickup Minibus"),
        columns.category("fuel", "能源", "electric diesel petrol hybrid", optional=True),
        columns.cost("km_cost", "每公里成本", 1, 40, en="cost per km"),
        columns.measure("rides_total", "累计单量", 150, 8800, "rides", en="lifetime rides"),
    ),
)
DOMAIN = Domain(_FACT, _DIM, prefix="D", income_en="fare income", income_zh="车费收入")
