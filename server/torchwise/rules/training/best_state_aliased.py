"""The best weights are kept by reference, and go on changing with the model.

`state_dict()` copies nothing: its tensors are the model's own, as are those of `dict(...)` or `copy.copy` of it and,
on the CPU, what `detach()` and `cpu()` give. A "best" state that is kept through further
training is the
last state when it is loaded. Copy it (`copy.deepcopy`, or tensor by tensor), or save it to a file.

Source: https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW115", WARNING, "07-training/loop#stopping-early"

SETUP = """
    import torch
    from torch import nn

    head = nn.Linear(4, 1)
    before = head.weight.detach().clone()
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    """


def _is_the_last(bad: dict[str, object], good: dict[str, object]) -> bool:
    kept, lost = good["before"], bad["before"]
    return kept.equal(good["head"].weight) and not lost.equal(bad["head"].weight)  # type: ignore[attr-defined, no-any-return]


EXAMPLES = [
    Example(
        bad="""
            best = head.state_dict()
                   ^^^^^^^^^^^^^^^^^ goes on changing with `head`
            head.weight.grad = torch.ones(1, 4)
            optimizer.step()
            head.load_state_dict(best)
            """,
        good="""
            best = {name: value.clone() for name, value in head.state_dict().items()}
            head.weight.grad = torch.ones(1, 4)
            optimizer.step()
            head.load_state_dict(best)
            """,
        setup=SETUP,
        harm=_is_the_last,
    ),
    Example(
        bad="""
            best = {name: value.detach().cpu() for name, value in head.state_dict().items()}
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ goes on changing with `head`
            head.weight.grad = torch.ones(1, 4)
            optimizer.step()
            head.load_state_dict(best)
            """,
        good="""
            best = {name: value.detach().cpu().clone() for name, value in head.state_dict().items()}
            head.weight.grad = torch.ones(1, 4)
            optimizer.step()
            head.load_state_dict(best)
            """,
        setup=SETUP,
        harm=_is_the_last,
    ),
]

SILENT = [
    """
    from torch import nn

    model = nn.Linear(2, 1)
    state = model.state_dict()
    model.load_state_dict(state)  # nothing has changed in between
    """,
    """
    import torch

    def restored(model, path):
        torch.save(model.state_dict(), path)  # on disk it stays as it is
        return model.load_state_dict(torch.load(path, weights_only=True))
    """,
    """
    import copy
    import torch

    def trained(model, batches, optimizer):
        kept = copy.deepcopy(model.state_dict())
        moved = {name: value.to("cuda") for name, value in model.state_dict().items()}  # copies
        for batch in batches:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()
        model.load_state_dict({name: value.cpu() for name, value in kept.items()})
        model.load_state_dict(moved)
    """,
    """
    def copied(model, other):
        other.load_state_dict(model.state_dict())  # into another model: this copies
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for load in scope.calls_to("torch.nn.Module.load_state_dict"):
        state, model = load["state_dict"], load["self"]
        if not load.may_break("own-state") or state is None or model is None or "(" in state.text:
            continue
        for site in state.places[:1]:
            taken = scope.text_at(site)
            copied = f"{{name: value.clone() for name, value in {taken}.items()}}"
            yield Flag(
                site,
                f"goes on changing with `{model.text}`: a state dict holds the model's own tensors, and "
                "copies none",
                because=((load.at, "loaded here, where it is the model's own last state"),),
                fix=replace_with(site, copied, "Copy the weights") if taken.endswith("()") else None,
            )
