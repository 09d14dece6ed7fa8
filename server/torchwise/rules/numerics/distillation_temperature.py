"""Only one side of a distillation loss is divided by the temperature.

The temperature softens both distributions, the student's and the teacher's. With one side softened the two
cannot
agree even where student and teacher give the same scores.

Source: https://docs.pytorch.org/tutorials/beginner/knowledge_distillation_tutorial.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Operand, Reading

CODE, LEVEL, LESSON = "TW709", WARNING, "07-training/better-models#distillation"

SCALES = frozenset(("operator.truediv", "operator.mul", "div", "mul", "div_", "mul_"))

EXAMPLES = [
    Example(
        bad="""
            target = F.softmax(teacher / 4.0, dim=-1)
            log_student = F.log_softmax(student, dim=-1)
                                        ^^^^^^^ is not divided by the temperature
            loss = F.kl_div(log_student, target, reduction="batchmean")
            """,
        good="""
            target = F.softmax(teacher / 4.0, dim=-1)
            log_student = F.log_softmax(student / 4.0, dim=-1)
            loss = F.kl_div(log_student, target, reduction="batchmean")
            """,
        setup="""
            import torch
            import torch.nn.functional as F

            student = teacher = torch.tensor([[3.0, 0.0, 1.0]])
            """,
        # type: ignore[operator, arg-type]
        harm=lambda bad, good: bad["loss"] > 0.1 > 1e-4 > abs(good["loss"]),
    ),
]

SILENT = [
    """
    import torch.nn.functional as F

    def loss(student, teacher, temperature):
        soft = F.softmax(teacher / temperature, dim=-1)
        log_student = F.log_softmax(student.div(temperature), dim=-1)
        return F.kl_div(log_student, soft, reduction="batchmean")
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for loss in scope.calls_to("kl_div"):
        one, other = loss["input"], loss["target"]
        scores = _scores(one, "log_softmax"), _scores(other, "softmax", "log_softmax")
        if scores[0] is None or scores[1] is None:
            continue
        cold = [
            s for s in scores if s is not None and not (s.operators & SCALES or s.made_only_by("div", "mul"))
        ]
        if len(cold) == 1:
            yield cold[0].flag(f"`{cold[0].text}` is not divided by the temperature, the other side is")


def _scores(value: Operand | None, *ops: str) -> Operand | None:
    made = value.made_only_by(*ops) if value else None
    return made["input"] if made else None
