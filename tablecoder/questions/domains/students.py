"""Students who take lessons in classes."""

from tablecoder.questions import columns
from tablecoder.questions.schema import Domain, TableSpec

_KEY = columns.key("class_id", "班级编号")
_FACT = TableSpec(
    "students",
    "students",
    "学员",
    (
        columns.key("student_id", "学号"),
        columns.foreign(_KEY),
        columns.category("hometown", "家乡", "Dalian Suzhou Foshan Guilin Lanzhou Yantai Kunming"),
        columns.category("payment", "付款方式", "card cash wire loan", optional=True),
        columns.day("join_date", "入学日期"),
        columns.quantity("lessons", "课时", 4, 60, "lessons"),
        columns.price("lesson_fee", "课时费"),
        columns.measure("points", "积分", 120, 4900, "points", optional=True),
        columns.rate("scholarship", "奖学金比例", 5, 60, en="scholarship rate"),
    ),
)
_DIM = TableSpec(
    "classes",
    "classes",
    "班级",
    (
        _KEY,
        columns.category("subject", "科目", "Math Art Piano Chess Coding Dance"),
        columns.category("difficulty", "难度", "basic middle expert", optional=True),
        columns.cost("lesson_cost", "课时成本", 10, 900),
        columns.measure("seats", "座位数", 12, 90, "seats"),
    ),
)
DOMAIN = Domain(_FACT, _DIM, prefix="K", income_en="tuition", income_zh="学费收入")
