"""Shipments out of warehouses."""

from tablecoder.questions import columns
from tablecoder.questions.schema import Domain, TableSpec

_KEY = columns.key("warehouse_id", "仓库编号")
_FACT = TableSpec(
    "shipments",
    "shipments",
    "运单",
    (
        columns.key("shipment_id", "运单号"),
        columns.foreign(_KEY),
        columns.category("carrier", "承运商", "Swift Falcon Atlas Comet Harbor Pioneer"),
        columns.category("priority", "优先级", "high normal low urgent", optional=True),
        columns.day("ship_date", "发货日期"),
        columns.quantity("packages", "件数", 2, 60, "packages"),
        columns.price("package_rate", "每件运价"),
        columns.measure("distance_km", "距离", 60, 2600, "km", en="distance", optional=True),
        columns.rate("rebate", "返利率", 2, 30, en="rebate rate"),
    ),
)
_DIM = TableSpec(
    "warehouses",
    "warehouses",
    "仓库",
    (
        _KEY,
        columns.category("region", "地区", "North South East West Central"),
        columns.category(
            "storage", "仓储类型", "cold dry bulk open", en="storage type", optional=True
        ),
        columns.cost("handling_cost", "每件操作成本", 6, 700),
        columns.measure("capacity", "容量", 800, 9500, "packages"),
    ),
)
DOMAIN = Domain(_FACT, _DIM, prefix="W", income_en="freight income", income_zh="运费收入")
