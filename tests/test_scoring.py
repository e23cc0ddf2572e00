"""scoring.py on made-up prediction rows whose figures are worked out by hand or enumeration."""

import itertools
import json

import pytest

from tablecoder.scoring import (
    compare,
    evaluate,
    pool_size,
    question_figures,
    status_counts,
    verdict,
    verifier_at,
)
from tablecoder.stats import Difference, wilson

GOLD = 5.0


def candidate(value):
    """A completion that printed `value`; None for a program that failed."""
    status = "error" if value is None else "ok"
    return {"value": value, "status": status, "correct": value == GOLD}


def row(name, greedy, samples, split="test", level="L1", lang="en", family="f"):
    return {
        "id": name,
        "split": split,
        "family": family,
        "level": level,
        "lang": lang,
        "decimals": 0,
        "greedy": candidate(greedy),
        "samples": [candidate(value) for value in samples],
    }


def rows(split="test"):
    return [
        row(f"{split}-1", 5.0, [5.0, 5.0, 7.0, None], split, "L1", "en", "a"),
        row(f"{split}-2", 7.0, [7.0, 7.0, 5.0, 5.0], split, "L1", "zh", "a"),
        row(f"{split}-3", None, [None, None, None, None], split, "L2", "en", "b"),
        row(f"{split}-4", 5.0, [None, 5.0, None, 7.0], split, "L3", "zh", "b"),
    ]


def score(members, ks=(1, 2, 4)):
    return evaluate(members, ks, 0, 200, splits=["test"])["test"]


def test_the_figures_of_one_question():
    figures = question_figures(rows()[0], [1, 2, 4])
    assert figures["pass@1"] == figures["execution_rate"] == 1
    assert figures["sampled_pass@1"] == figures["oracle@1"] == 0.5
    # blocks (5, 5) and (7, failed): right, wrong
    assert figures["verifier@2"] == 0.5
    assert figures["verifier@4"] == 1
    pairs = [any(pair) for pair in itertools.combinations([1, 1, 0, 0], 2)]
    assert figures["pass@2"] == figures["oracle@2"] == pytest.approx(sum(pairs) / len(pairs))
    assert figures["pass@4"] == figures["oracle@4"] == 1


def test_the_means_over_questions():
    metrics = score(rows())
    assert metrics["n"] == 4
    assert metrics["pass@1"]["value"] == 2 / 4
    assert metrics["execution_rate"]["value"] == 3 / 4
    assert metrics["sampled_pass@1"]["value"] == pytest.approx((2 + 2 + 0 + 1) / 16)
    # by question: (5,5)+(7,-) = 1/2; (7,7)+(5,5) = 1/2; 0; (-,5)+(-,7) = 1/2
    assert metrics["verifier@2"]["value"] == pytest.approx(1.5 / 4)
    # tie of question 2 goes to 7, which came first; tie of question 4 to 5
    assert metrics["verifier@4"]["value"] == 2 / 4
    assert metrics["oracle@4"]["value"] == 3 / 4


def test_every_figure_has_an_interval_around_it_and_n():
    metrics = score(rows())
    for part in [metrics, *metrics["by_level"].values(), *metrics["by_family"].values()]:
        assert part["n"] > 0
        for name, figure in part.items():
            if name != "n" and not name.startswith("by_"):
                assert set(figure) == {"value", "low", "high"}, name
                assert 0 <= figure["low"] <= figure["value"] <= figure["high"] <= 1


def test_greedy_figures_carry_wilsons_interval():
    interval = wilson(2, 4)
    figure = score(rows())["pass@1"]
    assert (figure["low"], figure["high"]) == pytest.approx((interval.low, interval.high), abs=1e-6)


def test_one_figure_under_two_names_has_one_interval():
    metrics = score(rows())
    assert metrics["pass@2"] == metrics["oracle@2"]
    assert metrics["sampled_pass@1"] == metrics["oracle@1"] == metrics["verifier@1"]


def test_the_parts_of_a_split_add_up():
    metrics = score(rows())
    assert [part["n"] for part in metrics["by_level"].values()] == [2, 1, 1]
    assert list(metrics["by_level"]) == ["L1", "L2", "L3"]
    assert metrics["by_lang"]["zh"]["pass@1"]["value"] == 1 / 2
    assert metrics["by_family"]["b"]["execution_rate"]["value"] == 1 / 2
    assert set(metrics["by_family"]["a"]) == {"n", "pass@1", "execution_rate"}
    for field in ("by_level", "by_lang", "by_family"):
        parts = metrics[field].values()
        assert sum(part["n"] * part["pass@1"]["value"] for part in parts) == pytest.approx(2)


def test_the_oracle_is_never_below_the_verifier_and_one_sample_has_no_choice():
    for values in itertools.product([5.0, 7.0, None], repeat=4):
        figures = question_figures(row("q", 5.0, values), [1, 2, 4])
        assert figures["verifier@1"] == figures["oracle@1"] == figures["sampled_pass@1"]
        assert figures["verifier@4"] <= figures["oracle@4"]


def test_the_verifier_does_not_see_what_is_right():
    """The same values under another gold answer: the same choice, another mark."""
    question = row("q", 5.0, [7.0, 7.0, 5.0])
    assert verifier_at(question, 3) == 0
    for sample in question["samples"]:
        sample["correct"] = sample["value"] == 7.0
    assert verifier_at(question, 3) == 1


def test_a_remainder_smaller_than_a_block_is_left_out():
    assert verifier_at(row("q", 5.0, [5.0, 5.0, 7.0, 7.0, 7.0]), 2) == 0.5


def test_the_order_of_the_rows_does_not_matter():
    members = rows()
    assert json.dumps(score(members), sort_keys=True) == json.dumps(
        score(members[::-1]), sort_keys=True
    )


def test_both_splits_are_scored_apart():
    metrics = evaluate(rows("test") + rows("test_ood")[:2], [1, 4], 0, 200)
    assert {split: part["n"] for split, part in metrics.items()} == {"test": 4, "test_ood": 2}


def test_a_split_without_rows_is_an_error():
    with pytest.raises(ValueError, match="test_ood"):
        evaluate(rows("test"), [1], 0, 200)


def test_no_rows_are_an_error():
    with pytest.raises(ValueError, match="no prediction rows"):
        evaluate([], [1], 0, 200)


def test_an_unknown_split_is_an_error():
    with pytest.raises(ValueError, match="dev-1.*'dev'"):
        evaluate(rows("dev"), [1], 0, 200)


def test_pools_of_different_sizes_are_an_error():
    with pytest.raises(ValueError, match=r"\[2, 4\]"):
        pool_size([*rows(), row("short", 5.0, [5.0, 5.0])])


def test_a_question_scored_twice_is_an_error():
    with pytest.raises(ValueError, match="test-1 has more than one"):
        score([*rows(), rows()[0]])


@pytest.mark.parametrize("ks", [[], [0], [1, 1], [8]])
def test_k_must_fit_the_pool(ks):
    with pytest.raises(ValueError, match="from 1 to the 4 samples"):
        score(rows(), ks)


def test_two_models_are_compared_question_by_question():
    base = [row(f"q{i}", 7.0, [7.0]) for i in range(8)]
    better = [row(f"q{i}", 5.0 if i < 6 else 7.0, [7.0]) for i in range(8)]
    result = compare(better[::-1], base, 0, 200, splits=["test"])["test"]
    assert result.difference == 6 / 8
    assert result.p == 2 / 2**6  # six gained, none lost
    assert result.n == 8
    back = compare(base, better, 0, 200, splits=["test"])["test"]
    assert back.difference == -6 / 8
    assert (verdict(result), verdict(back)) == ("better", "worse")


def test_pairs_are_found_by_id_not_by_place():
    members = [row(f"q{i}", 5.0 if i < 5 else 7.0, [7.0]) for i in range(8)]
    same, shuffled = (
        compare(members, other, 0, 200, splits=["test"]) for other in (members, members[::-1])
    )
    assert same == shuffled


def test_models_that_answered_different_questions_cannot_be_compared():
    with pytest.raises(ValueError, match="2 questions have one model only, e.g. test-1"):
        compare(rows()[:3], rows()[1:], 0, 200, splits=["test"])


def test_what_n_cannot_resolve_is_said_to_be_so():
    assert verdict(Difference(0.3, -0.1, 0.6, 0.25, 10)) == "not resolvable with n=10"


def test_statuses_are_counted_by_split():
    members = rows() + rows("test_ood")
    assert status_counts(members, "test", "greedy") == {"error": 1, "ok": 3}
    assert status_counts(members, "test", "samples") == {"error": 7, "ok": 9}
