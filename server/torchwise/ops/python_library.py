"""Python's standard library as training scripts use it: math, copying, functools, itertools, randomness,
files and logs.

Functions that do nothing to their arguments are rows too, so that nothing given to them is lost from sight.
"""

from __future__ import annotations

import math

from torchwise.domain.batches import evened
from torchwise.domain.dim import Dim
from torchwise.domain.effects import Invoke, SetItems
from torchwise.domain.value import (
    ANY,
    NONE,
    Class,
    Const,
    Func,
    Items,
    Many,
    Named,
    Num,
    Obj,
    Params,
    Partial,
    Pointer,
    Some,
    Value,
)
from torchwise.ops.copying import SHALLOW, deep_copy, shares, tensors_inside
from torchwise.ops.iterables import covering, each_of, elements, fresh_list
from torchwise.ops.python_iterables import dict_of
from torchwise.ops.seeding import seeds
from torchwise.ops.spec import Broken, Given, Made, Outcome, Returns, op

LIBRARY = "https://docs.python.org/3/library/"


def library(
    path: str, params: str = "*args", returns: Returns = lambda given: ANY, tags: str = "pure"
) -> None:
    page = f"{LIBRARY}{path.partition('.')[0]}.html"
    op(path, params=params, returns=returns, grad="cut", tags=tags, source=page)


# math


def constant(value: float) -> Returns:
    return lambda given: Const(value)


def number_of(value: Value) -> int | float | None:
    match value:
        case Num(dim):
            return dim.number
        case Const(float() | int() as constant):
            return constant
    return None


def _computed(name: str) -> Returns:
    """By python itself where the arguments are known."""
    function = getattr(math, name)

    def returns(given: Given) -> Value:
        args = given.list("args") or ((given["args"],) if "args" in given else ())
        numbers = [number_of(a) for a in args]
        whole = name in ("floor", "ceil", "trunc", "gcd", "lcm", "isqrt", "factorial", "comb")
        if args and None not in numbers and all(abs(n) < 1e12 for n in numbers if n is not None):
            try:
                made = function(*numbers)
            except (ValueError, TypeError, OverflowError, ZeroDivisionError):
                return Some("int" if whole else "float")
            return Num(Dim.of(made)) if isinstance(made, int) and not isinstance(made, bool) else Const(made)
        return Some("int" if whole else "bool" if name.startswith("is") else "float")

    return returns


MATH = (
    "sqrt log log2 log10 log1p exp expm1 sin cos tan tanh sinh cosh asin acos atan atan2 pow fabs floor "
    "ceil trunc gcd lcm isqrt isnan isinf isfinite isclose hypot degrees radians copysign fmod"
)
for _name in MATH.split():
    library(f"math.{_name}", "*args", _computed(_name))
for _name in ("pi", "e", "inf", "nan", "tau"):
    library(f"math.{_name}", "", constant(getattr(math, _name)), "constant pure")
for _name in ("pi", "e", "inf", "nan"):
    for _package in ("torch", "numpy"):
        op(
            f"{_package}.{_name}",
            params="",
            tags="constant pure",
            grad="cut",
            source="torch.html",
            returns=constant(getattr(math, _name)),
        )
library("math.factorial", "n", lambda given: Some("int"))
library("math.comb", "n k", lambda given: Some("int"))


def _product(given: Given) -> Value:
    """Of sizes: `math.prod(x.shape)`."""
    found = elements(given, given["iterable"])
    if isinstance(found, Many) or not all(isinstance(v, Num) for v in found):
        return Some("int") if isinstance(found, Many) and isinstance(found.each, Num) else ANY
    total = Dim.of(1)
    for value in found:
        total = total * value.dim  # type: ignore[attr-defined]
    return Num(total)


library("math.prod", "iterable start", _product)
library("math.fsum", "iterable", lambda given: Some("float"))


# copying


def _deep_copied(given: Given) -> Outcome:
    """Only leaves can be copied deeply: a module that keeps a result with its graph cannot."""
    x = given["x"]
    kept = [(n, v) for n, v in tensors_inside(given, x) if v.leaf.fails and v.requires_grad.holds]
    broken = tuple(Broken("non-leaf", "x", n, because=v) for n, v in kept[:1])
    made: Value | Made = deep_copy(given, x)
    if isinstance(made, Made) and "torch.nn.Module" in made.obj.bases:
        made = Made(made.obj.with_mark("copy-of", x))
    return Outcome(made, broken)


def _copied(given: Given) -> Value | Made:
    """A module's copy has an attribute of its own for everything, and the very same parameters and layers."""
    obj = given.obj("x")
    if obj is not None and "torch.nn.Module" in obj.bases:
        obj = obj.with_mark(SHALLOW, shares(given, given["x"]))
    return given["x"] if obj is None else Made(obj)


library("copy.deepcopy", "x memo", _deep_copied)
library("copy.copy", "x", _copied)


# functools


def _partial(given: Given) -> Value:
    named = tuple((name, value) for name, value in given.values.items() if name != "func")
    return Partial(given["func"], given.extra, named)


def decorator(path: str, param: str) -> Returns:
    """A decorator that changes nothing that matters here; with options only, it is made by a call first."""

    def returns(given: Given) -> Value | Made:
        target = given.get(param, NONE)
        return target if isinstance(target, Func | Class | Pointer) else Made(Obj(path))

    return returns


def _wraps(given: Given) -> Made:
    return Made(Obj("functools.wraps"))


library("functools.partial", "func", _partial)
library("functools.wraps", "wrapped assigned updated", _wraps)
for _path, _params in (("functools.lru_cache", "maxsize typed"), ("functools.cache", "user_function"),
                       ("dataclasses.dataclass", "cls init repr eq order frozen slots kw_only")):  # fmt: skip
    library(_path, _params, decorator(_path, _params.split()[0]))
for _path in ("functools.wraps", "functools.lru_cache", "functools.cache", "dataclasses.dataclass"):
    library(f"{_path}.__call__", "self target", lambda given: given["target"])
library("functools.reduce", "function iterable initial", lambda given: ANY, "")
library("dataclasses.replace", "obj", lambda given: ANY)
library("dataclasses.asdict", "obj", lambda given: Made(Obj("dict", items=None, each=ANY)))
for _name in ("collections.OrderedDict", "typing.OrderedDict"):
    library(_name, "mapping", dict_of)
library("typing.cast", "type value", lambda given: given["value"])


# itertools


def _chained(given: Given) -> Value:
    """Parameters of several modules stay parameters."""
    args = given.list("args") or ((given["args"],) if "args" in given else ())
    if any(isinstance(a, Params) for a in args):
        return Items(args, "iterator")
    found = [elements(given, a) for a in args]
    if not found or any(isinstance(f, Many) for f in found):
        return Many(each_of(covering(f) for f in found) or ANY)
    return Items(tuple(v for f in found if not isinstance(f, Many) for v in f), "iterator")


def _any_of(param: str) -> Returns:
    return lambda given: Many(evened(covering(elements(given, given[param]))))


def _repeated(given: Given) -> Value:
    times = given.int("times")
    few = times is not None and 0 <= times <= 16
    return (
        Items((given["object"],) * times, "iterator") if few and times is not None else Many(given["object"])
    )


def _product_of(given: Given) -> Value:
    again = given.int("repeat", 1)
    each = tuple(covering(elements(given, a)) for a in given.list("iterables") or ())
    return Many(ANY if again is None else Items(each * again))


library("itertools.chain", "*args", _chained)
library("itertools.chain.from_iterable", "iterable", lambda given: Many(ANY))
library("itertools.cycle", "iterable", _any_of("iterable"))
library("itertools.islice", "iterable *args", _any_of("iterable"))
library("itertools.takewhile", "predicate iterable", _any_of("iterable"))
library("itertools.repeat", "object times", _repeated)
library("itertools.count", "start step", lambda given: Many(Num(given.fresh("count"))))
library("itertools.product", "*iterables repeat", _product_of)
COMBINED = (
    "combinations permutations combinations_with_replacement groupby zip_longest accumulate starmap tee "
    "pairwise "
    "batched"
)
for _name in COMBINED.split():
    library(f"itertools.{_name}", "*args", lambda given: Many(ANY))


# randomness


def shuffled(given: Given) -> Outcome:
    obj = given.obj("x")
    if obj is None or obj.cls != "list":
        return Outcome(NONE)
    each = obj.each if obj.items is None else each_of(obj.items)
    return Outcome(NONE, (), (SetItems(given["x"], None if obj.items != () else (), each),))


def sampled(given: Given) -> Made:
    """Of tuples, as replay memories hold them, so many as are asked for: `zip(*batch)` makes them columns."""
    each, count = covering(elements(given, given["population"])), given.get("k")
    number = count.dim.number if isinstance(count, Num) else None
    if number is not None and number <= MOST_SAMPLED and (isinstance(each, Items) or _is_record(given, each)):
        return Made(Obj("list", items=(each,) * number))
    return fresh_list(Many(each, count=count.dim if isinstance(count, Num) else None))


def _is_record(given: Given, value: Value) -> bool:
    obj = given.heap.get(value.to) if isinstance(value, Pointer) else None
    return obj is not None and "::" in obj.cls and "torch.nn.Module" not in obj.bases


MOST_SAMPLED = 512


for _name in ("random", "uniform", "gauss", "normalvariate", "betavariate", "expovariate", "triangular"):
    library(f"random.{_name}", "*args", lambda given: Some("float"), "pure random")
for _name in ("randint", "randrange", "getrandbits"):
    library(f"random.{_name}", "*args", lambda given: Num(given.fresh("random")), "pure random")
library("random.choice", "seq", lambda given: covering(elements(given, given["seq"])), "pure random")
library("random.choices", "population weights cum_weights k", sampled, "pure random")
library("random.sample", "population k", sampled, "pure random")
library("random.shuffle", "x", shuffled, "pure random")
library("random.seed", "a version", seeds("random", "a"), "pure seed")
for _name in ("getstate", "setstate"):
    library(f"random.{_name}")


for _name in ("Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore"):
    library(f"threading.{_name}", "*args", lambda given, path=f"threading.{_name}": Made(Obj(path)))  # type: ignore[misc]


# time, files, the system

for _name in ("time", "perf_counter", "monotonic", "process_time", "time_ns", "perf_counter_ns"):
    library(f"time.{_name}", "", lambda given: Some("float"), "pure clock")
for _name in ("sleep", "strftime", "ctime", "localtime", "gmtime"):
    library(f"time.{_name}")
TEXTS = (
    "os.path.join os.path.dirname os.path.basename os.path.abspath os.path.realpath os.path.expanduser "
    "os.path.splitext os.getcwd os.getenv platform.system platform.node platform.python_version "
    "socket.gethostname json.dumps"
)
for _path in TEXTS.split():
    library(_path, "*args", lambda given: Some("str"))
for _path in ("os.path.exists", "os.path.isfile", "os.path.isdir"):
    library(_path, "*args", lambda given: Some("bool"))
QUIET = (
    "os.makedirs os.listdir os.remove os.rename os.mkdir os.walk os.cpu_count os.environ.get "
    "os.environ.setdefault os.environ.copy os.environ.pop os.getpid os.kill os._exit shutil.copy "
    "shutil.rmtree shutil.move shutil.copyfile sys.exit sys.stdout.write sys.stdout.flush "
    "sys.stderr.write sys.path.append sys.path.insert gc.collect glob.glob json.load json.loads json.dump "
    "pickle.load pickle.loads pickle.dump pickle.dumps yaml.safe_load csv.writer csv.reader "
    "datetime.datetime.now datetime.timedelta pathlib.Path pprint.pprint tempfile.mkdtemp "
    "tempfile.TemporaryDirectory tempfile.NamedTemporaryFile "
    "subprocess.run traceback.print_exc traceback.format_exc string.Template uuid.uuid4 hashlib.md5 "
    "hashlib.sha256 re.match re.search re.sub re.findall re.compile re.split io.BytesIO io.StringIO "
    "inspect.signature inspect.getsource enum.auto typing.NamedTuple "
    "typing.TypeVar types.SimpleNamespace threading.Thread queue.Queue statistics.mean "
    "statistics.stdev contextlib.ExitStack operator.itemgetter operator.attrgetter "
    "urllib.request.urlretrieve textwrap.dedent signal.signal atexit.register"
)
for _path in QUIET.split():
    library(_path)
library("typing.TYPE_CHECKING", "", lambda given: Const(False), "constant pure")


# logs and warnings

LOGS = "debug info warning warn error critical exception log"
for _name in LOGS.split():
    library(f"logging.{_name}", "*args", lambda given: NONE, "pure log")
    library(f"logging.Logger.{_name}", "self *args", lambda given: NONE, "pure log")
library("logging.getLogger", "name", lambda given: Made(Obj("logging.Logger")))
for _name in ("setLevel", "addHandler", "removeHandler"):
    library(f"logging.Logger.{_name}", "self *args", lambda given: NONE)
for _name in ("basicConfig", "StreamHandler", "FileHandler", "Formatter", "disable", "captureWarnings"):
    library(f"logging.{_name}")
library("warnings.warn", "message category stacklevel", lambda given: NONE, "pure log")
for _name in ("filterwarnings", "simplefilter"):
    library(f"warnings.{_name}", "*args", lambda given: NONE)
library("pdb.set_trace", "", lambda given: NONE, "pure breakpoint")
__all__ = ["Invoke", "Named", "fresh_list", "library"]
