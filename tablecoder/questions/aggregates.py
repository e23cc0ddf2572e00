"""Aggregations: their words, their pandas method and the same in plain Python."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from tablecoder.questions.scene import Number, Scene
from tablecoder.questions.schema import Column


@dataclass(frozen=True)
class Aggregate:
    """One way to make one number out of many."""

    method: str  # of a pandas Series
    en: tuple[str, ...]
    zh: tuple[str, ...]
    of: Callable[[list[Fraction]], Number]

    def word(self, scene: Scene) -> str:
        """Return one of its words in the language of the scene."""
        return scene.pick(self.en if scene.lang == "en" else self.zh)


TOTAL = Aggregate("sum", ("total",), ("总和", "合计"), lambda values: sum(values))
MEAN = Aggregate("mean", ("average", "mean"), ("平均值", "均值"), statistics.mean)
HIGHEST = Aggregate("max", ("highest", "maximum"), ("最大值", "最高值"), max)
LOWEST = Aggregate("min", ("lowest", "minimum"), ("最小值", "最低值"), min)
MEDIAN = Aggregate("median", ("median",), ("中位数",), statistics.median)


def draw(scene: Scene, measure: Column) -> Aggregate:
    """Return an aggregation that makes sense for `measure`."""
    return scene.pick([MEAN, HIGHEST, LOWEST, MEDIAN] + [TOTAL] * 2 * measure.additive)


def total_or_mean(scene: Scene, measure: Column) -> Aggregate:
    """Return an aggregation that depends on every row."""
    return scene.pick([MEAN] + [TOTAL] * 2 * measure.additive)


def decimals(scene: Scene, measure: Column, aggregate: Aggregate) -> int:
    """Return to how many decimals the question rounds; 0 when the answer is a whole number."""
    whole = measure.places == 0 and aggregate in (TOTAL, HIGHEST, LOWEST)
    return 0 if whole else scene.decimals()
