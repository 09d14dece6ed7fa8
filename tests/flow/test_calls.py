"""Calls across functions, methods, closures and files."""

from tests.flow.seen import PATH, engine, events, shapes


def test_a_helper_is_seen_with_the_shapes_it_is_called_with() -> None:
    code = """
import torch

def double(x):
    y = torch.cat([x, x], dim=-1)
    return y

a = double(torch.zeros(2, 3))
b = double(torch.zeros(5, 4, 8))
"""
    found = shapes(code)
    assert (found["a"], found["b"]) == ("2 6", "5 4 16")


def test_a_module_of_another_file_is_followed() -> None:
    model = """
        from torch import nn

        class Net(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.first = nn.Linear(8, width)
                self.second = nn.Linear(width, 3)

            def forward(self, x):
                return self.second(self.first(x).relu())
    """
    code = """
import torch
from model import Net

out = Net(16)(torch.zeros(4, 8))
"""
    assert shapes(code, model=model)["out"] == "4 3"


def test_a_closure_sees_the_variables_around_it() -> None:
    code = """
import torch

def make(width):
    table = torch.zeros(width, 7)

    def look(rows):
        return torch.zeros(rows, width) @ table

    return look

out = make(5)(3)
"""
    assert shapes(code)["out"] == "3 7"


def test_gradients_are_followed_through_helpers() -> None:
    code = """
import torch
from torch import nn
import torch.nn.functional as F

def update(loss, optimizer):
    loss.backward()
    optimizer.step()

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in [torch.ones(2, 4)] * 3:
    update(model(batch).pow(2).mean(), optimizer)
"""
    assert events(code, "stale-step") == [("stale-step", "optimizer.step()")]


def test_a_context_manager_of_the_project_puts_the_mode_back() -> None:
    code = """
import contextlib
import torch
from torch import nn

@contextlib.contextmanager
def evaluating(model):
    model.eval()
    yield model
    model.train()

model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in [torch.ones(2, 4)] * 3:
    optimizer.zero_grad()
    model(batch).mean().backward()
    optimizer.step()
    with evaluating(model), torch.no_grad():
        model(batch)
"""
    assert events(code, "eval-mode-step") == []


def test_recursion_ends_and_says_nothing() -> None:
    code = """
import torch

def down(x, depth):
    if depth == 0:
        return x
    return down(x.sum(-1), depth - 1)

y = down(torch.zeros(2, 3, 4), 2)
z = y
"""
    assert "z" not in shapes(code)


def test_star_arguments_arrive() -> None:
    code = """
import torch

def build(*sizes, **options):
    return torch.zeros(*sizes, **options)

out = build(2, 3, dtype=torch.int64)
"""
    assert shapes(code)["out"] == "2 3"


def test_a_list_is_shared_by_its_names() -> None:
    code = """
import torch

parts = []
more = parts
more.append(torch.zeros(2, 3))
more.append(torch.zeros(4, 3))
out = torch.cat(parts)
"""
    assert shapes(code)["out"] == "6 3"


def test_a_shared_parameter_counts_once() -> None:
    code = """
import torch
from torch import nn

class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = nn.Linear(2, 2)
        self.b.weight = self.a.weight

pair = Pair()
one_each = torch.zeros(len(list(pair.parameters())))
"""
    assert shapes(code)["one_each"] == "3"


def test_map_and_zip_take_the_elements_of_one_iterable() -> None:
    code = """
import torch

x = torch.zeros(2, 5, 24)
parts = x.chunk(3, dim=-1)
q, k, v = map(lambda t: t.reshape(2, 5, 2, 4), parts)
wide, tall = map(lambda t: t.unsqueeze(0), (x, x))
listed = list(map(lambda t: t.sum(-1), [x, x]))[1]
for (single,) in zip([x, x]):
    one = single + 1
for left, right in zip((x, x), parts):
    pair = right
"""
    found = shapes(code)
    assert (found["q"], found["v"], found["wide"], found["tall"]) == (
        "2 5 2 4",
        "2 5 2 4",
        "1 2 5 24",
        "1 2 5 24",
    )
    assert (found["listed"], found["one"], found["pair"]) == ("2 5", "2 5 24", "2 5 8")


BY_CASES = """
import torch

def corners(boxes, mode):
    if mode == "points":
        return boxes.flatten(1)
    return boxes[..., 3] - boxes[..., 1]

def of(points, mode):
    return corners(torch.zeros(5, 4, 2), mode)
"""


def broken(code: str) -> list[str]:
    made = engine(code)
    return [finding.name for finding in made.findings(PATH) if finding.severity == "error"]


def test_what_only_the_callers_own_condition_rules_out_is_not_broken() -> None:
    assert broken(BY_CASES) == []


def test_what_is_broken_whatever_the_tests_say_is_told() -> None:
    certain = BY_CASES.replace('    if mode == "points":\n        return boxes.flatten(1)\n', "")
    assert broken(certain) != []


def test_a_method_that_another_method_calls_sees_what_the_module_run_left_in_global_names() -> None:
    code = """
import torch
from torch import nn

widths = {"small": 3}
widths["large"] = 5

class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.begin()

    def begin(self):
        self.head = nn.Linear(2, widths[self.size])

class Holder:
    def __init__(self, net):
        self.net = net
        self.step = self._step

    def _step(self, x):
        return self.net.head(x)

    def run(self, x):
        return self.step(x)

def main():
    return Holder(Net("large")).run(torch.zeros(4, 2))

out = main()
"""
    assert shapes(code)["out"] == "4 5"


def test_a_classmethod_makes_an_object_of_the_class_that_it_was_asked_of() -> None:
    code = """
import torch

class Table:
    def __init__(self, width=10):
        self.rows = torch.zeros(width, 3)

    @classmethod
    def plain(cls):
        return cls()

    @classmethod
    def made(cls, *args, **kwargs):
        return cls(*args, **kwargs)

    def again(self):
        return type(self)(5)

class Wide(Table):
    @classmethod
    def twice(cls):
        return cls.made(width=7)

    def other(self):
        return self.__class__(6)

a, b, c = Table.plain().rows, Table.made(2).rows, Wide.twice().rows
d, e = Wide.plain().again().rows, Wide.plain().other().rows
"""
    found = shapes(code)
    assert [found[n] for n in "abcde"] == ["10 3", "2 3", "7 3", "5 3", "6 3"]


def test_a_function_within_two_others_sees_the_variables_of_both() -> None:
    found = shapes("""
    import torch

    def scaled(factor):
        def decorate(function):
            def inner(x):
                return function(x) * factor
            return inner
        return decorate

    @scaled(2.0)
    def shifted(x):
        return x + 1

    y = shifted(torch.zeros(3, 8))
    """)
    assert found["y"] == "3 8"


def test_a_function_is_found_again_in_the_registry_that_its_decorator_put_it_in() -> None:
    code = """
    import torch

    MAKERS = {}

    def register(name):
        def put(make):
            MAKERS[name] = make
            return make
        return put

    @register("wide")
    def wide(rows):
        return torch.zeros(rows, 8)

    @register("narrow")
    def narrow(rows):
        return torch.zeros(rows, 2)

    def build(kind, rows):
        return MAKERS[kind](rows)

    first, second = build("wide", 3), build("narrow", 4)
    """
    found = shapes(code)
    assert (found["first"], found["second"]) == ("3 8", "4 2")


def test_a_method_may_be_asked_for_by_its_name() -> None:
    code = """
    import torch

    class Shapes:
        def wide(self, rows):
            return torch.zeros(rows, 8)

        @property
        def rows(self):
            return 3

    def ask(shapes, name, rows):
        return getattr(shapes, name)(rows)

    x = ask(Shapes(), "wide", 5)
    """
    assert shapes(code)["x"] == "5 8"
