"""Where instructions stand in the file."""

from __future__ import annotations

from torchwise.ir.lower import lower
from torchwise.ir.module import Module
from torchwise.ir.nodes import Instr
from torchwise.syntax.source import Source

CODE = '''\
import torch

class Net:
    """Ü."""

    def forward(self, x):
        é = "ü"; y = x.view(2,
            -1)
        for i in range(3):  # turns
            if i and (
                x
            ):
                y[i] = é
            elif y:
                pass
        with torch.no_grad() as g:
            return y

@torch.no_grad()
def train(net=Net()):
    return net
'''


def module() -> Module:
    return lower(Source.of(CODE))


def found(module: Module, key: str, kind: str) -> list[Instr]:
    """All instructions of a kind, nested ones included."""
    waiting, result = list(module.scopes[key].body), []
    while waiting:
        instr = waiting.pop(0)
        if type(instr).__name__ == kind:
            result.append(instr)
        for name in ("head", "then", "other", "body", "orelse"):
            waiting += getattr(instr, name, ())
    return result


def texts(key: str, kind: str) -> list[str]:
    lowered = module()
    return [lowered.text(key, instr.out) for instr in found(lowered, key, kind)]


def headers(key: str, kind: str) -> list[str]:
    lowered = module()
    return [lowered.source.slice(lowered.header(key, instr.out)) for instr in found(lowered, key, kind)]


def test_an_attribute_stands_where_the_whole_of_it_stands() -> None:
    assert texts("Net.forward", "Attr") == ["x.view", "torch.no_grad"]


def test_a_call_stands_where_the_whole_of_it_stands() -> None:
    assert texts("Net.forward", "Call") == ["x.view(2,\n            -1)", "range(3)", "torch.no_grad()"]


def test_a_store_stands_where_its_name_stands() -> None:
    assert texts("Net.forward", "Store") == ["é", "y", "i", "g"]


def test_an_item_is_set_where_the_target_stands() -> None:
    assert texts("Net.forward", "SetIndex") == ["y[i]"]


def test_a_definition_stands_where_its_name_stands() -> None:
    assert texts("<module>", "Define") == ["Net", "train"]


def test_headers_end_with_the_colon() -> None:
    assert headers("Net.forward", "Loop") == ["for i in range(3):"]
    assert headers("Net.forward", "With") == ["with torch.no_grad() as g:"]
    assert "if i and (\n                x\n            ):" in headers("Net.forward", "If")
    assert headers("<module>", "Define") == ["class Net:", "def train(net=Net()):"]


def test_an_elif_has_its_own_header_and_the_statement_of_its_if() -> None:
    lowered = module()
    outer = found(lowered, "Net.forward", "If")[0]
    inner = found(lowered, "Net.forward", "If")[-1]
    assert lowered.source.slice(lowered.header("Net.forward", inner.out)) == "elif y:"
    assert lowered.statement("Net.forward", inner.out) == lowered.statement("Net.forward", outer.out)


def test_the_statement_of_an_expression_is_all_of_it() -> None:
    lowered = module()
    view = found(lowered, "Net.forward", "Attr")[0]
    assert (
        lowered.source.slice(lowered.statement("Net.forward", view.out)) == "y = x.view(2,\n            -1)"
    )
    loop = found(lowered, "Net.forward", "Loop")[0]
    assert lowered.statement("Net.forward", loop.out) == lowered.span("Net.forward", loop.out)


def test_what_follows_a_block_belongs_to_the_statement_around_it() -> None:
    lowered = module()
    returned = found(lowered, "Net.forward", "Return")[0]
    assert lowered.source.slice(lowered.statement("Net.forward", returned.out)) == "return y"


def test_the_statement_of_a_definition_is_its_head() -> None:
    lowered = module()
    train = found(lowered, "<module>", "Define")[1]
    assert (
        lowered.source.slice(lowered.statement("<module>", train.out))
        == "@torch.no_grad()\ndef train(net=Net()):"
    )


def test_columns_count_characters() -> None:
    lowered = module()
    span = lowered.span("Net.forward", found(lowered, "Net.forward", "Store")[1].out)
    assert (span.row, span.col) == (7, 17)


def test_names_of_scopes() -> None:
    lowered = module()
    assert lowered.name("<module>") is None
    assert [lowered.source.slice(lowered.name(key)) for key in ("Net", "Net.forward", "train")] == [
        "Net",
        "forward",
        "train",
    ]


def test_layout_changes_no_scope() -> None:
    wide = CODE.replace("x.view(2,\n            -1)", "x . view( 2, -1 )  # two").replace('"ü"', "'ü'")
    assert lower(Source.of(wide)).scopes == module().scopes


def test_constants_of_other_types_are_other_constants() -> None:
    assert lower(Source.of("x = 1")).scopes != lower(Source.of("x = True")).scopes
    assert lower(Source.of("x = 1")).scopes != lower(Source.of("x = 1.0")).scopes
