"""Bookings of hotel rooms."""

from tablecoder.questions import columns
from tablecoder.questions.schema import Domain, TableSpec

_KEY = columns.key("hotel_id", "酒店编号")
_FACT = TableSpec(
    "bookings",
    "bookings",
    "预订",
    (
        columns.key("booking_id", "预订号"),
        columns.foreign(_KEY),
        columns.category("country", "国家", "France Japan Brazil Kenya Spain Canada Norway"),
        columns.category("room_type", "房型", "single double suite family", optional=True),
        columns.day("checkin_date", "入住日期", en="check-in date"),
        columns.quantity("nights", "晚数", 1, 21, "nights"),
        columns.price("nightly_rate", "每晚房价"),
        columns.measure("deposit", "押金", 20, 1900, "money", optional=True),
        columns.rate("commission", "佣金率", 3, 28, en="commission rate"),
    ),
)
_DIM = TableSpec(
    "hotels",
    "hotels",
    "酒店",
    (
        _KEY,
        columns.category("chain", "连锁品牌", "Palm Crown Maple Summit Coral"),
        columns.category("area", "位置", "beach center airport forest", optional=True),
        columns.cost("nightly_cost", "每晚成本", 18, 900),
        columns.measure("rooms", "客房数", 40, 1600, "rooms"),
    ),
)
DOMAIN = Domain(_FACT, _DIM, prefix="H", income_en="room income", income_zh="房费收入")
