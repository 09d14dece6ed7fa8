"""The catalogue of pitfalls that Torchwise set out with, and what has become of each row:
`docs/catalogue.md`.

A row is its name, the rules that find it where they go by other names, and, where none does, why.
"""

from __future__ import annotations

from collections.abc import Iterator

from torchwise.rules import Rule, all_rules

NAMES = "rests on what names promise, and values do not tell"
ADVICE = "advice that many right programs do without"
RUN = "shows only when it runs"
REPLAYED = "a replay reads memory, not names, and only a GPU replays: no example can be proven on a CPU"
WARMED = "whether a capture fails depends on what the libraries of a GPU still have to set up when it begins"
FORKED = "raises in a forked worker whose parent has started CUDA, and in no other: a CPU shows neither"
TORCHVISION = (
    "measured: torchvision 0.28 raises where `Normalize` or another `ToTensor` stands before `ToTensor`; but "
    "its wheels do not load beside a torch for the CPU, so that no example could be run"
)

# family: "row = rules", "row ! reason", or the row alone, whose rule has its name
ROWS: dict[str, str] = {
    "training": """
        missing-zero-grad; zero-grad-before-step; step-before-backward = zero-grad-before-step;
        step-without-backward; backward-without-step; method-not-called;
        accumulation-not-scaled; accumulation-leftover; eval-mode-missing;
        train-mode-not-restored; train-mode-missing ! NAMES; no-grad-missing;
        training-under-no-grad; no-grad-not-called; scheduler-before-optimizer;
        scheduler-wrong-cadence; plateau-without-metric; clip-misplaced; scaler-misused;
        fp16-without-scaler; bf16-with-scaler; backward-in-autocast;
        loss-kept-with-graph; loss-cut-from-graph; backward-twice; retain-graph-in-loop;
        backward-on-non-scalar; lbfgs-without-closure; optimizer-wrong-parameters =
        parametrization-after-optimizer leaf-lost; optimizer-recreated; exhausted-parameters;
        requires-grad-typo = requires-grad-typo requires-grad-on-module; manual-update-tracked =
        inplace-on-leaf; best-state-aliased; gan-detach; ema-tracked =
        average-tracked; early-stopping-inverted = improvement-inverted
        early-stopping-never-reset; distillation-scale = distillation-temperature;
        swa-bn-not-updated""",
    "autograd": """
        inplace-breaks-backward; inplace-on-leaf; inplace-on-expanded; requires-grad-on-integer;
        grad-of-non-leaf; leaf-lost; graph-cut = loss-cut-from-graph graph-rewrapped;
        numpy-on-grad; data-attribute; detach-aliases; create-graph-missing;
        inference-tensor-in-autograd; nan-gradient; function-not-static = function-not-applied;
        function-gradient-count; function-saves-on-ctx = function-keeps-on-ctx;
        function-mutates-gradient = function-writes-gradient; gradcheck-precision;
        hook-keeps-graph = hook-keeps-graph hook-handle-dropped; backward-hook-deprecated;
        anomaly-left-on""",
    "tensors": """
        view-on-non-contiguous; reshape-instead-of-permute; shape-mismatch;
        broadcast-by-accident; feature-mismatch; bad-layer-argument; einsum-invalid;
        reduction-dim-out-of-range = dim-out-of-range; keepdim-missing = shape-mismatch;
        mean-of-integers; dtype-mismatch; device-mismatch; result-discarded; negative-step;
        ambiguous-truth; named-tuple-as-tensor; squeeze-all ! NAMES; flatten-merges-batch =
        feature-mismatch; empty-read; tensor-constructor ! ADVICE; from-numpy-aliases; index-dtype;
        gather-rank; scatter-race = repeated-index; softmax-dim =
        softmax-without-dim; attention-mask; attention-scale ! NAMES; batch-first;
        packed-lengths; quadratic-cat ! ADVICE""",
    "modules": """
        super-init-missing; unregistered-submodules; unregistered-parameter; tensor-not-buffer;
        forward-called; call-overridden; layer-in-forward; functional-dropout-always-on;
        shared-by-multiplication = layer-repeated layer-as-default; parameter-replaced =
        parameter-overwritten layer-not-held;
        forward-returns-nothing; bias-before-batchnorm; norm-axis = feature-mismatch;
        batchnorm-small-batch = feature-mismatch last-batch-of-one; init-deprecated;
        wrong-init-gain ! ADVICE; bias-set-to-none ! ADVICE; inplace-activation-on-residual =
        kept-then-overwritten inplace-breaks-backward; frozen-batchnorm; state-dict-misuse =
        loaded-keys-as-model wrapped-state-saved compiled-state-saved; mha-arguments = named-tuple-as-tensor
        attention-mask""",
    "compile": """
        graph-break-print; graph-break-scalar; graph-break-control-flow;
        graph-break-dynamic-shape; graph-break-call; graph-break-side-effect = graph-break-call
        graph-break-python; graph-break-backward = graph-break-call; recompile-scalar =
        counter-recompiles float-specialised; recompile-shape = static-sizes-vary; compile-in-loop !
        measured: the same code is not compiled again; compile-order = compiled-state-saved; stance-left;
        export-control-flow = graph-break-control-flow; export-train-mode;
        export-static-batch = export-static-shapes dynamic-dim-specialised; cudagraph-sync;
        cudagraph-rebind ! REPLAYED; cudagraph-no-warmup ! WARMED; reduce-overhead-output-reused =
        replayed-output-kept; jit-deprecated""",
    "data": """
        shuffle-missing; shuffle-conflict = loader-options-conflict;
        worker-option-without-workers = loader-options-conflict; set-epoch-missing;
        weights-per-class; iterable-duplicated = iterable-repeated; dataset-protocol =
        dataset-without-length example-missing shape-mismatch; ragged-collate = list-as-tensor;
        worker-seed = copied-generator; unpicklable-worker; main-guard-missing ! RUN;
        transform-order ! TORCHVISION; augment-on-eval = augmented-evaluation; normalised-by-all !
        NAMES; cuda-in-worker ! FORKED; pin-memory ! ADVICE; per-item-loading ! ADVICE""",
    "numerics": """
        softmax-before-cross-entropy; sigmoid-before-bce-logits; nll-needs-log-probabilities;
        kldiv-input = kl-div-input; loss-arguments-swapped; cross-entropy-target =
        dtype-mismatch shape-mismatch index-dtype; argmax-in-loss = loss-cut-from-graph;
        loss-in-half; unstable-form = unstable-form log-of-softmax; adam-weight-decay ! ADVICE;
        metric-average
        ! NAMES""",
    "distributed": """
        collective-under-rank; save-on-every-rank; ddp-attribute = wrapper-attribute;
        no-sync-missing ! ADVICE; process-group-lifecycle ! ADVICE; loader-not-sharded ! NAMES;
        fsdp-root-first = fsdp-root-first parametrization-after-optimizer;
        syncbn-order = sync-batchnorm-on-cpu;
        data-parallel ! ADVICE; unaveraged-metric ! NAMES""",
    "practice": """
        unsafe-load ! torch loads weights alone since 2.6; whole-model-saved ! ADVICE;
        map-location-missing ! ADVICE; incomplete-checkpoint ! ADVICE; load-without-eval =
        eval-mode-missing; deprecated-api = deprecated-api removed-api; checkpoint-reentrant;
        determinism-contradiction = determinism-contradiction nondeterministic-operator;
        seed-incomplete = seed-incomplete reseeded; sync-in-hot-loop ! ADVICE;
        unsynchronised-timing; env-after-import; tf32-in-reference ! NAMES;
        backends-flags-misused; profiler-without-step; package-dependency ! RUN;
        torch-function-protocol; prune-parametrize = pruned-state-saved
        parametrized-weight-written; skip-init-unused ! ADVICE; vmap-side-effects;
        fuse-in-train-mode = fused-in-train-mode; debugging-left ! ADVICE; float-equality !
        ADVICE; threads-oversubscribed ! RUN""",
}
REASONS = {
    "NAMES": NAMES, "ADVICE": ADVICE, "RUN": RUN, "TORCHVISION": TORCHVISION, "REPLAYED": REPLAYED,
    "WARMED": WARMED, "FORKED": FORKED,
}  # fmt: skip


def rows() -> Iterator[tuple[str, str, tuple[str, ...], str]]:
    """Family, name, rules, and why there is none."""
    known = {rule.name for rule in all_rules()}
    for family, text in ROWS.items():
        for row in (" ".join(part.split()) for part in text.split(";")):
            name, why = row, ""
            found: tuple[str, ...] = ()
            if " = " in row:
                name, _, given = row.partition(" = ")
                found = tuple(given.split())
            elif " ! " in row:
                name, _, why = row.partition(" ! ")
            if name in known and name not in found:  # built under its own name, whatever stands here
                found = (name, *found)
            yield family, name, found, "" if found else REASONS.get(why, why)


def catalogue() -> str:
    """All rows in markdown, with links to the pages of the rules."""
    rules = {rule.name: rule for rule in all_rules()}
    there = list(rows())
    built = sum(bool(found) for _, _, found, _ in there)
    out = ["# The catalogue of pitfalls", "", f"{built} of {len(there)} rows have a rule.", ""]
    mapped = {name for _, _, found, _ in there for name in found}
    for family in ROWS:
        out += [
            f"## {family}",
            "",
            "| pitfall | rules | what they find, or why there is none |",
            "|---|---|---|",
        ]
        out += [_row(rules, name, found, why) for own, name, found, why in there if own == family]
        out.append("")
    out += ["## Beyond the catalogue", "", "| rule | what it finds |", "|---|---|"]
    out += [f"| {_link(rule)} | {rule.summary} |" for rule in all_rules() if rule.name not in mapped]
    return "\n".join(out) + "\n"


def _row(rules: dict[str, Rule], name: str, found: tuple[str, ...], why: str) -> str:
    links = ", ".join(_link(rules[rule]) for rule in found)
    return f"| {name} | {links} | {rules[found[0]].summary if found else why} |"


def _link(rule: Rule) -> str:
    return f"[{rule.name}](rules/{rule.family}/{rule.name}.md)"
