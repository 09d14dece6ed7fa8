"""How to call einops."""

from tests.ops.calls import calls

REARRANGED = (
    ("b c h w -> b h w c", 4, {}),
    ("b (h d) -> b h d", 2, {"h": 2}),
    ("b n (h d) -> b h n d", 3, {"h": 2}),
    ("b h n d -> b n (h d)", 4, {}),
    ("b c (h p) (w q) -> b (h w) (p q c)", 4, {"p": 2, "q": 1}),
    ("b ... -> b (...)", 4, {}),
    ("... d -> d ...", 3, {}),
    ("b c -> b c 1 1", 2, {}),
    ("b 1 c -> b c", 3, {}),
    ("b c -> b c", 2, {}),
    ("(b c) d -> b c d", 2, {"b": 3}),
    ("a b -> a", 2, {}),
    ("a (b c) -> a b c", 2, {}),
    ("a b -> b a", 3, {}),
)
REPEATED = (
    ("h w -> h w c", 2, {"c": 3}),
    ("h w -> (h 2) w", 2, {}),
    ("1 d -> b d", 2, {"b": 5}),
    ("() n d -> b n d", 3, {"b": 2}),
    ("h w -> h w c", 2, {}),
)
REDUCED = (
    ("b c h w -> b c", "mean", 4, {}),
    ("b c (h p) (w q) -> b c h w", "max", 4, {"p": 1, "q": 1}),
    ("b ... -> b", "sum", 3, {}),
    ("b c -> b c", "min", 2, {}),
    ("b c -> b d", "min", 2, {}),
)
EQUATIONS = ("i j, j k -> i k", "batch i d, batch j d -> batch i j", "a b -> b a", "... i, ... i -> ...")


@calls("einops.rearrange")
def _(r):
    pattern, rank, named = r.choice(REARRANGED)
    return [r.tensor(tuple(r.choice((1, 3, 6, 6)) for _ in range(rank)), None), pattern], dict(named)


@calls("einops.repeat")
def _(r):
    pattern, rank, named = r.choice(REPEATED)
    return [r.tensor(tuple(r.choice((1, 2, 3)) for _ in range(rank))), pattern], dict(named)


@calls("einops.reduce")
def _(r):
    pattern, how, rank, named = r.choice(REDUCED)
    return [r.tensor(tuple(r.choice((1, 2, 3)) for _ in range(rank))), pattern, how], dict(named)


@calls("einops.einsum")
def _(r):
    equation = r.choice(EQUATIONS)
    sizes = {name: r.size() for name in ("i", "j", "k", "d", "a", "b", "batch")}
    operands = []
    for term in equation.partition("->")[0].split(","):
        operands.append(r.tensor(tuple(2 if name == "..." else sizes[name] for name in term.split())))
    return [*operands, equation], {}
