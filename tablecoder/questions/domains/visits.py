"""Visits of patients to clinics."""

from tablecoder.questions import columns
from tablecoder.questions.schema import Domain, TableSpec

_KEY = columns.key("clinic_id", "诊所编号")
_FACT = TableSpec(
    "visits",
    "visits",
    "就诊记录",
    (
        columns.key("visit_id", "就诊号"),
        columns.foreign(_KEY),
        columns.category("department", "科室", "Dental Eye Skin Heart Bone Child"),
        columns.category("insurance", "保险", "public private self group", optional=True),
        columns.day("visit_date", "就诊日期"),
        columns.quantity("sessions", "治疗次数", 1, 24, "sessions"),
        columns.price("session_fee", "单次费用"),
        columns.measure(
            "wait_minutes", "等候分钟数", 2, 95, "minutes", en="waiting minutes", optional=True
        ),
        columns.rate("copay", "自付比例", 5, 50, en="copay rate"),
    ),
)
_DIM = TableSpec(
    "clinics",
    "clinics",
    "诊所",
    (
        _KEY,
        columns.category("district", "城区", "Riverside Hillside Oldtown Lakeview Parkside"),
        columns.category("ownership", "性质", "state church company trust", optional=True),
        columns.cost("session_cost", "单次成本", 15, 900),
        columns.measure("budget", "预算", 1500, 9800, "money"),
    ),
)
DOMAIN = Domain(_FACT, _DIM, prefix="C", income_en="charges", income_zh="诊费收入")
