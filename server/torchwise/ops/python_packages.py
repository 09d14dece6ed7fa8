"""Packages around torch that only look on: progress bars, experiment logs, plots."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.value import ANY, NONE, Items, Many, Num, Obj, Some, Value
from torchwise.ops.iterables import asked, elements
from torchwise.ops.seeding import seeds
from torchwise.ops.spec import OPS, Given, Made, Returns, op


def package(
    path: str, params: str = "*args", returns: Returns = lambda given: ANY, tags: str = "pure", page: str = ""
) -> None:
    op(
        path,
        params=params,
        returns=returns,
        grad="cut",
        tags=tags,
        source=page or f"https://pypi.org/project/{path.partition('.')[0]}/",
    )


# Progress bars: iterating one is iterating what is inside

TQDM = "tqdm.tqdm"


def _bar(given: Given) -> Made:
    return Made(Obj(TQDM, {"iterable": given.get("iterable", NONE)}))


def _inside(given: Given) -> Value:
    found = elements(given, given.attr("iterable"))
    return found if isinstance(found, Many) else Items(found, "iterator")


def _range_bar(given: Given) -> Made:
    row = OPS["builtins.range"]
    args = given["args"]
    found = asked(given, "range", row.returns, {"args": args if isinstance(args, Items) else Items((args,))})
    return Made(Obj(TQDM, {"iterable": found if isinstance(found, Value) else ANY}))


def _bar_length(given: Given) -> Value:
    found = elements(given, given.attr("iterable"))
    return Some("int") if isinstance(found, Many) else Num(Dim.of(len(found)))


BAR = "iterable desc total leave file ncols mininterval disable unit"
op(
    TQDM,
    "tqdm.auto.tqdm",
    "tqdm.notebook.tqdm",
    "tqdm.std.tqdm",
    "tqdm.autonotebook.tqdm",
    "tqdm.rich.tqdm",
    params=BAR,
    returns=_bar,
    grad="cut",
    tags="pure",
    source="https://tqdm.github.io/",
)
op(
    "tqdm.trange",
    "tqdm.auto.trange",
    "tqdm.notebook.trange",
    "tqdm.std.trange",
    params="*args desc leave",
    returns=_range_bar,
    grad="cut",
    tags="pure",
    source="https://tqdm.github.io/",
)
package(f"{TQDM}.__iter__", "self", _inside)
package(f"{TQDM}.__len__", "self", _bar_length)
BAR_METHODS = (
    "set_postfix set_description set_postfix_str set_description_str update close refresh reset clear "
    "write display"
)
for _name in BAR_METHODS.split():
    package(f"{TQDM}.{_name}", "self *args", lambda given: NONE, "pure log")
for _path in (
    "rich.progress.track",
    "alive_progress.alive_it",
    "fastprogress.progress_bar",
    "fastprogress.master_bar",
):
    package(_path, "sequence", lambda given: given["sequence"])


# Experiment logs

WRITER = "torch.utils.tensorboard.SummaryWriter"
op(
    WRITER,
    "torch.utils.tensorboard.writer.SummaryWriter",
    "tensorboardX.SummaryWriter",
    params="log_dir comment",
    grad="cut",
    returns=lambda given: Made(Obj(WRITER)),
    tags="pure",
    source="tensorboard.html",
)
WRITES = (
    "add_scalar add_scalars add_histogram add_image add_images add_figure add_text add_embedding "
    "add_hparams flush close add_pr_curve add_video add_audio"
)
for _name in WRITES.split():
    package(f"{WRITER}.{_name}", "self *args", lambda given: NONE, "pure log", "tensorboard.html")
package(f"{WRITER}.add_graph", "self model input_to_model", lambda given: NONE, "log", "tensorboard.html")
for _path in (
    "wandb.log",
    "wandb.finish",
    "wandb.watch",
    "mlflow.log_metric",
    "mlflow.log_metrics",
    "mlflow.log_params",
):
    package(_path, "*args", lambda given: NONE, "pure log")
QUIET = (
    "wandb.init wandb.config wandb.Image wandb.Table mlflow.start_run matplotlib.pyplot.plot "
    "matplotlib.pyplot.show matplotlib.pyplot.figure matplotlib.pyplot.subplots matplotlib.pyplot.imshow "
    "matplotlib.pyplot.title matplotlib.pyplot.xlabel matplotlib.pyplot.ylabel matplotlib.pyplot.legend "
    "matplotlib.pyplot.savefig matplotlib.pyplot.close matplotlib.pyplot.subplot matplotlib.pyplot.axis "
    "matplotlib.pyplot.scatter matplotlib.pyplot.hist matplotlib.pyplot.bar matplotlib.pyplot.grid "
    "matplotlib.pyplot.tight_layout sklearn.metrics.accuracy_score sklearn.metrics.f1_score "
    "sklearn.metrics.roc_auc_score sklearn.metrics.confusion_matrix sklearn.metrics.classification_report "
    "pandas.read_csv pandas.DataFrame PIL.Image.open PIL.Image.fromarray cv2.imread cv2.cvtColor "
    "cv2.resize"
)
for _path in QUIET.split():
    package(_path)


for _path in ("h5py.File", "zipfile.ZipFile", "tarfile.open"):
    _cls = "tarfile.TarFile" if _path == "tarfile.open" else _path
    package(_path, "name mode", lambda given, cls=_cls: Made(Obj(cls)))  # type: ignore[misc]


# numpy's generators and files; its arrays are in `arrays`

NUMPY = "https://numpy.org/doc/stable/reference/"
op(
    "numpy.random.seed",
    params="seed",
    returns=seeds("numpy"),
    grad="cut",
    tags="pure seed",
    source=NUMPY + "random/generated/numpy.random.seed.html",
)
for _name, _params, _tags in (
    ("random.get_state", "", "pure"),
    ("random.set_state", "state", "pure"),
    ("save", "file arr", "pure"),
    ("savez", "file", "pure"),
    ("savetxt", "fname X", "pure"),
    ("load", "file mmap_mode allow_pickle", "pure"),
    ("loadtxt", "fname", "pure"),
    ("set_printoptions", "precision", "pure"),
):
    package(f"numpy.{_name}", _params, lambda given: ANY, _tags, f"{NUMPY}generated/numpy.{_name}.html")
