"""Orders of products: the domain that names the pipeline's default tables."""

from tablecoder.questions import columns
from tablecoder.questions.schema import Domain, TableSpec

_KEY = columns.key("product_id", "商品编号")
_FACT = TableSpec(
    "orders",
    "orders",
    "订单",
    (
        columns.key("order_id", "订单号"),
        columns.foreign(_KEY),
        columns.category(
            "city", "城市", "Beijing Shanghai Shenzhen Chengdu Hangzhou Wuhan Nanjing Xiamen"
        ),
        columns.category("channel", "渠道", "web app store phone", optional=True),
        columns.day("order_date", "下单日期"),
        columns.quantity("quantity", "数量", 1, 40, "pieces"),
        columns.price("unit_price", "单价"),
        columns.measure("shipping_fee", "运费", 3, 60, "money", optional=True),
        columns.rate("discount", "折扣", 1, 40),
    ),
)
_DIM = TableSpec(
    "products",
    "products",
    "商品",
    (
        _KEY,
        columns.category("category", "类别", "Toys Books Garden Kitchen Sports Office Music"),
        columns.category("supplier", "供应商", "Acme Nova Orion Delta Vertex", optional=True),
        columns.cost("unit_cost", "单位成本", 4, 1100),
        columns.measure("stock", "库存", 200, 4800, "pieces"),
    ),
)
DOMAIN = Domain(_FACT, _DIM, prefix="P", income_en="revenue", income_zh="销售额")
