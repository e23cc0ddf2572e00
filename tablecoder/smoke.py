"""Do data, sandbox, reward, process reward and verifier agree? `python -m tablecoder.smoke`

For each family of questions, in both languages: the reference solution is right and earns all,
a broken one, a wrong answer and no code earn their tiers, and the verifier picks what is right.
Takes no model and less than a minute. Ends with code 1 where anything disagrees.
"""

import dataclasses
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from tablecoder import answers, params, process, rewards, sandbox, select
from tablecoder.questions import engine
from tablecoder.questions.question import Question

SEED = 0
SPLITS = ("test", "test_ood")  # together they hold every family
PER_LANGUAGE = 2  # questions of each family in each language


def main() -> None:
    """Print one line for each family and a closing line."""
    limits = params.load("sandbox", sandbox.Limits)
    reward = params.load("reward", rewards.Reward)
    found = _questions()
    disagreements = 0
    for family, questions in sorted(found.items()):
        faults = _faults(questions, limits, reward)
        disagreements += len(faults)
        languages = "+".join(sorted({question.lang for question in questions}))
        print(f"{questions[0].level}  {family:22}{languages:7}{len(questions)} questions", end="  ")
        print("ok" if not faults else "DISAGREE: " + "; ".join(faults), flush=True)
    total = sum(map(len, found.values()))
    print(f"smoke: {len(found)} families, {total} questions, {disagreements} disagreements")
    sys.exit(1 if disagreements else 0)


def _questions() -> dict[str, list[Question]]:
    """Return the first questions of each family, some in each language."""
    found: dict[str, list[Question]] = defaultdict(list)
    for split in SPLITS:
        for index in range(engine.full_round(split) * PER_LANGUAGE):
            question = engine.draw(SEED, split, index)
            same = [q for q in found[question.family] if q.lang == question.lang]
            if len(same) < PER_LANGUAGE:
                found[question.family].append(question)
    return found


def programs(question: Question) -> dict[str, str]:
    """Return what a model could write for `question`, by the ending that it must earn."""
    first = question.solution.strip().split("\n")[0]
    return {
        "correct": question.solution,
        "error": f"{first}\nraise ValueError('broken')",
        "wrong": f"print({question.answer + 1})",
        "no_code": "",
    }


def _faults(
    questions: Sequence[Question], limits: sandbox.Limits, reward: rewards.Reward
) -> list[str]:
    cases = [(question, programs(question)) for question in questions]
    runs = [(code, question.tables) for question, codes in cases for code in codes.values()]
    results = iter(sandbox.run_many(runs, limits=limits))
    faults: list[str] = []
    for question, codes in cases:
        executions = {ending: next(results) for ending in codes}
        faults += [f"{question.id}: {fault}" for fault in _check(question, executions, reward)]
    return faults


def _check(
    question: Question,
    executions: Mapping[str, sandbox.Execution | sandbox.SandboxError],
    reward: rewards.Reward,
) -> Iterator[str]:
    """Yield what disagrees about one question."""
    tiers = dataclasses.replace(reward, process_weight=0.0)
    values: dict[str, float | None] = {}
    for ending, execution in executions.items():
        if isinstance(execution, sandbox.SandboxError):
            yield f"{ending}: {execution}"
            return
        values[ending] = answers.read_answer(execution.stdout)
        right = answers.matches(values[ending], question.answer, question.decimals)
        parts = rewards.components(execution, right)
        if rewards.total(parts, tiers) != getattr(reward, ending):
            yield f"{ending}: reward {rewards.total(parts, tiers)}, ended {execution.status}"
        if (ending == "correct") != (rewards.total(parts, reward) == reward.correct):
            yield f"{ending}: the process score makes it {rewards.total(parts, reward)}"
        score = process.process_score(execution)
        if score != 1 if ending in ("correct", "wrong") else score >= 1:
            yield f"{ending}: process score {score}"
    votes = [values["correct"], values["correct"], values["wrong"], values["error"]]
    if select.verifier_choice(votes, question.decimals) not in (0, 1):
        yield "the verifier picks what is not right"


if __name__ == "__main__":
    main()
