"""The two tables put together: in plain Python and in pandas."""

from tablecoder.questions.scene import Scene
from tablecoder.questions.schema import Column, Role, Row


def key(scene: Scene) -> Column:
    """Return the column that both tables have."""
    return scene.one(scene.dim, Role.KEY)


def joined(scene: Scene) -> list[Row]:
    """Return the fact rows, each with the cells of the dimension row that it refers to."""
    name = key(scene).name
    parents = {row[name]: row for row in scene.dim.rows}
    return [{**parents[row[name]], **row} for row in scene.fact.rows]


def merge(scene: Scene) -> str:
    """Return the pandas expression for the same."""
    return f"{scene.fact.name}.merge({scene.dim.name}, on='{key(scene).name}')"


def parents(scene: Scene, clause: str) -> str:
    """Return how the question names facts whose dimension row meets `clause`."""
    facts, dims = scene.rows(scene.fact), scene.rows(scene.dim)
    return scene.say(f"{facts} of {dims} where {clause}", f"{clause}的{dims}的{facts}")
