"""`kl_div` gets probabilities for its input.

Its input has to be log-probabilities; only the target holds probabilities (or logarithms too, with `log_target=True`). With
probabilities as input the result is no divergence, and may be negative.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.KLDivLoss.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW710", WARNING, "04-neural-networks/losses#between-distributions"

EXAMPLES = [
    Example(
        bad="""
            loss = F.kl_div(F.softmax(student, dim=-1), F.softmax(teacher, dim=-1), reduction="batchmean")
                            ^^^^^^^^^^^^^^^^^^^^^^^^^^ holds probabilities
            """,
        good="""
            loss = F.kl_div(F.log_softmax(student, dim=-1), F.softmax(teacher, dim=-1), reduction="batchmean")
            """,
        setup="""
            import torch
            import torch.nn.functional as F

            student = teacher = torch.tensor([[3.0, 0.0, 1.0]])
            """,
        harm=lambda bad, good: abs(bad["loss"]) > 0.1 > 1e-4 > abs(good["loss"]),  # type: ignore[arg-type]
    ),
    Example(
        bad="""
            loss = F.kl_div(F.log_softmax(student, dim=-1), F.log_softmax(teacher, dim=-1), reduction="batchmean")
                                                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ holds log-probabilities
            """,
        good="""
            loss = F.kl_div(F.log_softmax(student, dim=-1), F.softmax(teacher, dim=-1), reduction="batchmean")
            """,
        setup="""
            import torch
            import torch.nn.functional as F

            student, teacher = torch.tensor([[3.0, 0.0, 1.0]]), torch.tensor([[0.0, 2.0, 1.0]])
            """,
        harm=lambda bad, good: not bad["loss"] > 0 and good["loss"] > 0,  # type: ignore[operator]
    ),
]

SILENT = [
    """
    import torch.nn.functional as F

    def loss(student, teacher):
        log_q = F.log_softmax(teacher, dim=-1)
        return F.kl_div(F.log_softmax(student, dim=-1), log_q, reduction="batchmean", log_target=True)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for loss in scope.calls_to("kl_div"):
        scores, target = loss["input"], loss["target"]
        if scores is not None and scores.nature in ("probabilities", "scores", "sigmoid"):
            held = "raw scores" if scores.nature == "scores" else "probabilities"
            yield scores.flag(f"`{scores.text}` holds {held}: the input of kl_div is log-probabilities")
        elif (
            target is not None
            and target.nature == "log-probabilities"
            and "log_target" not in loss
            and loss.spelling.startswith("torch.nn.functional")
        ):
            yield target.flag(
                f"`{target.text}` holds log-probabilities: without `log_target=True` kl_div "
                "takes probabilities"
            )
