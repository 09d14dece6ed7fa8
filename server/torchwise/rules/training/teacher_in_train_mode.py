"""A trained model gives targets for another one while it is still in train mode.

Training or loading a model leaves it in train mode. Used as a teacher, its Dropout goes on dropping and its BatchNorm goes on
normalising by the batch at hand, and moving its statistics: the targets are noisy, and worse than the model is.

Source: https://docs.pytorch.org/tutorials/beginner/knowledge_distillation_tutorial.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import insert_before
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW139", WARNING, "07-training/better-models#distillation"

EXAMPLES = [
    Example(
        bad="""
            def distil(batches):
                for batch in batches:
                    with torch.no_grad():
                        target = teacher(batch)
                                 ^^^^^^^^^^^^^^ gives targets in train mode
                    seen.append(target)
                    F.mse_loss(student(batch), target).backward()
                    optimizer.step()
                    optimizer.zero_grad()
            distil([torch.ones(8, 4)] * 2)
            """,
        good="""
            def distil(batches):
                teacher.eval()
                for batch in batches:
                    with torch.no_grad():
                        target = teacher(batch)
                    seen.append(target)
                    F.mse_loss(student(batch), target).backward()
                    optimizer.step()
                    optimizer.zero_grad()
            distil([torch.ones(8, 4)] * 2)
            """,
        setup="""
            import torch
            from torch import nn
            import torch.nn.functional as F

            torch.manual_seed(0)
            teacher, student, seen = nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.5)), nn.Linear(4, 64), []
            optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
            first = torch.optim.SGD(teacher.parameters(), lr=0.1)
            teacher(torch.ones(8, 4)).sum().backward()
            first.step()
            """,
        harm=lambda bad, good: (
            not bad["seen"][0].equal(bad["seen"][1]) and good["seen"][0].equal(good["seen"][1])
        ),  # type: ignore[index]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn
    import torch.nn.functional as F

    def momentum(batches):
        online, slow = nn.Sequential(nn.Linear(4, 4, bias=False), nn.BatchNorm1d(4)), nn.Sequential(nn.Linear(4, 4, bias=False), nn.BatchNorm1d(4))
        slow.load_state_dict(online.state_dict())
        optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
        for batch in batches:
            with torch.no_grad():
                for kept, value in zip(slow.parameters(), online.parameters()):
                    kept.lerp_(value, 0.1)
                key = slow(batch)  # statistics of the batch are part of the method
            F.mse_loss(online(batch), key).backward()
            optimizer.step()
            optimizer.zero_grad()

    momentum([torch.ones(8, 4)])
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    settled = scope.happenings("settled-forward")
    if not settled or not scope.differentiates or scope.evaluates:
        return
    for forward in settled:
        trained = any(g.value == forward.value and g.ref != forward.ref for g in scope.seen("graph-forward"))
        if not trained and (not forward.recording or scope.detached_at_once(forward.ref)):
            name, layer = forward.callee, forward.detail.rpartition(".")[2]
            yield forward.flag(
                f"gives targets in train mode: the {layer} of `{name}` behaves as in training",
                because=((forward.because[0], f"the {layer}"),),
                fix=insert_before(
                    forward.outermost, f"{name}.eval()", f"Call `{name}.eval()` first", safe=False
                ),
            )
