"""The public surface is strict: options have names, types and fixed values."""

import ast
import dataclasses
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args, get_origin, is_typeddict

import pytest

import pyg_cagp
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.protocols import PROTOCOLS
from pyg_cagp.train.build import MODELS
from pyg_cagp.transforms import TemporalLikeOOD
from pyg_cagp.typing import (
    ModelName,
    PartitionName,
    ProtocolName,
    RunProtocol,
)
from tests.conftest import REPO
from tests.loops import for_each

#: The packages whose surface is strict.
ROOMS = (
    "coverage",
    "data",
    "datasets",
    "evaluate",
    "inference",
    "metrics",
    "nn.kge",
    "nn.posterior",
    "nn.scoring",
    "protocols",
    "report",
    "theory",
    "train",
    "transforms",
    "uncertainty",
    "uncertainty.baselines",
)

#: Callables that forward unknown options, and the receiver.
FORWARDED = {
    "data.join_splits": "they become attributes of the graph",
    "nn.kge.EvidenceBound.loader": "PyTorch's DataLoader refuses them",
    "nn.kge.GaussianKGEModel.from_embeddings": "the constructor refuses them",
    "uncertainty.FittedModule.load": "the constructor refuses them",
    "uncertainty.baselines.FittedModule.load": "the constructor refuses them",
}

#: Options that may follow the main arguments without a name.
POSITIONAL = {
    "split",  # triples(kg, "test")
    "entity",  # model.variance(entity), all entities by default
    "cutoff",  # TimestampOOD("2014-10-01", "2014-09-01")
    "val_cutoff",
    "hidden_channels",  # UKGE(num_nodes, num_relations, 4), as in PyG
    "head",  # predictor.predict("Zürich", "lies in")
    "relation",
    "tail",
    "part",  # result.to_frame("by_relation")
    "kg",  # as_scorer(model, kg)
    "model",  # EvidenceUncertainty(coverage, model)
    "evidence",  # Predictor(state, cagp, evidence)
    "prior",  # LaplacePosterior("marginal")
    "terms",  # est(h, r, t, terms) within the package
    "role",  # coverage.count(entity, relation, "head")
    "threshold",
    "num_nodes",  # coverage.update(edge_index, edge_type, 10, 3)
    "num_relations",
    "mmap",
    "view",
}

#: Options whose text is free.
FREE_TEXT = {"fingerprint", "source"}


def walk():
    """Every public function, class and method of the strict packages."""
    for room in ROOMS:
        package = importlib.import_module(f"pyg_cagp.{room}")
        for name in getattr(package, "functions", []):
            yield f"{room}.{name}", getattr(package, name)
        for name in getattr(package, "classes", []):
            cls = getattr(package, name)
            yield f"{room}.{name}", cls
            for method, value in inspect.getmembers(cls):
                value = getattr(value, "__func__", value)
                if (
                    inspect.isfunction(value)
                    and value.__module__.startswith("pyg_cagp")
                    and not method.startswith("_")
                ):
                    yield f"{room}.{value.__qualname__}", value


CALLABLES = dict(walk())


def parameters(function):
    return inspect.signature(function).parameters.values()


def is_record(function):
    """The fields of a record or a named tuple are values, not options."""
    return dataclasses.is_dataclass(function) or (
        inspect.isclass(function) and issubclass(function, tuple)
    )


def test_walk_yields_functions_classes_and_methods():
    assert len(CALLABLES) > 200
    assert CALLABLES.keys() >= {
        "train.train_run",
        "metrics.auroc",
        "nn.kge.QueryKGEModel.score_tails",
        "train.Config.find",
    }


def test_no_function_accepts_unknown_options():
    forwarding = {
        name
        for name, function in CALLABLES.items()
        if not getattr(function, "_is_protocol", False)
        for entry in parameters(function)
        if entry.kind is entry.VAR_KEYWORD
        and not any(map(is_typeddict, get_args(entry.annotation)))
    }
    assert forwarding == FORWARDED.keys()


@for_each("name", MODELS)
def test_models_raise_for_unknown_options(name):
    # Its options are typed, and the base class refuses all others.
    with pytest.raises(TypeError, match="sprse"):
        MODELS[name](5, 2, 4, sprse=True)
    model: GaussianKGEModel = MODELS[name](5, 2, 4, sparse=True)
    assert model.node_emb.sparse


def test_options_are_keyword_only():
    positional = {
        f"{name}: {entry.name}"
        for name, function in CALLABLES.items()
        if not is_record(function)
        for entry in parameters(function)
        if entry.default is not entry.empty
        and entry.kind is entry.POSITIONAL_OR_KEYWORD
        and entry.name not in POSITIONAL
    }
    assert not positional, "\n".join(sorted(positional))


def test_options_with_a_default_text_are_literals():
    plain = {
        f"{name}: {entry.name}"
        for name, function in CALLABLES.items()
        for entry in parameters(function)
        if isinstance(entry.default, str)
        and entry.name not in FREE_TEXT
        and get_origin(entry.annotation) is None
    }
    assert not plain, "\n".join(sorted(plain))


def checked_options(path):
    """The function, the name and the type of all options that are checked
    against a list of values.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef):
            continue
        types = {
            entry.arg: entry.annotation
            for entry in (*node.args.args, *node.args.kwonlyargs)
        }
        for call in ast.walk(node):
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Name)
                and call.func.id == "check_choice"
                and isinstance(call.args[1], ast.Name)
                and call.args[1].id in types
            ):
                option = call.args[1].id
                yield node.name, option, ast.unparse(types[option])


def test_checked_options_are_literals():
    plain, num_checked = set(), 0
    for room in ROOMS:
        folder = Path(pyg_cagp.__file__).parent / room.replace(".", "/")
        for path in folder.rglob("*.py"):
            for function, option, kind in checked_options(path):
                num_checked += 1
                if kind in ("str", "str | None"):
                    plain.add(f"{path}: {function}: {option}")
    assert num_checked > 20
    assert not plain, "\n".join(sorted(plain))


def test_names_of_types_equal_the_registries():
    for names, registry in (
        (ModelName, MODELS),
        (ProtocolName, PROTOCOLS),
        (PartitionName, TemporalLikeOOD.presets),
    ):
        assert get_args(names) == tuple(registry)
    assert set(get_args(ProtocolName)) < set(get_args(RunProtocol))


#: A user's script. Every line whose comment is an error code has that error.
SCRIPT = """
import torch

import pyg_cagp
from pyg_cagp import CAGP, Coverage, GaussianDistMult, evaluate, metrics
from pyg_cagp.data import as_kg, triples
from pyg_cagp.datasets import CoDEx, SyntheticKG, load
from pyg_cagp.train import Config, TrainOptions, load_run, train_run
from pyg_cagp.transforms import CorruptTriples, TemporalLikeOOD

kg = load("synthetic", seed=1)
kg = as_kg(SyntheticKG(num_nodes=100, transform=TemporalLikeOOD()))
h, r, t = triples(kg, "test")
run = train_run(kg, "gaussian-distmult", recipe="paper", progress=False)
config = Config.find("fb15k-237", "kg2e").override({"train.epochs": 1})
again: torch.Tensor = load_run("runs/mine", device="cpu").model(h, r, t)
coverage: Coverage = Coverage.from_data(kg)
cagp = CAGP(run.model, coverage).fit(kg)
area: float = metrics.auroc(cagp(h, r, t), torch.ones(3))
model = GaussianDistMult(10, 2, 4, reciprocal=True, kl_reduction="dense")
result = evaluate.ranking(model, kg, split="val")
options = TrainOptions(epochs=3, schedule="cosine")
print(pyg_cagp.__version__, area, result, options, again, config)

train_run(kg, "gaussian-distmul")  # arg-type
train_run(kg, "kg2e", recipe="papr")  # arg-type
train_run(kg, "kg2e", sed=1)  # call-arg
train_run(kg, "kg2e", "runs/mine")  # call-arg
Config.find("kg2e", "fb15k-237")  # arg-type
triples(kg, "valid")  # arg-type
GaussianDistMult(10, 2, 4, reciprocl=True)  # call-arg
GaussianDistMult(10, 2, 4, covariance="full")  # arg-type
TrainOptions(optimizer="sgd")  # arg-type
TemporalLikeOOD(0.1)  # call-arg
CorruptTriples(corrupt="middle")  # arg-type
CoDEx("root", size="XL")  # arg-type
metrics.aupr(torch.ones(3), torch.ones(3), positive="in")  # arg-type
metrics.calibration_bins([0.1], [1], num_bin=3)  # call-arg
Config.find("wn18rr", "kg2e", preset="paper")  # call-arg
pyg_cagp.Coverge  # attr-defined
"""


@pytest.mark.slow
def test_mypy_reports_the_errors_of_a_script(tmp_path):
    pytest.importorskip("mypy")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    # Errors in imported packages are ignored.
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=pyproject.toml", script],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=False,
    )
    # The path may come from the cache of an earlier run.
    errors = re.findall(r"script\.py:(\d+): error: .*\[(.+)\]", done.stdout)
    reported = {int(number): code for number, code in errors}
    expected = {
        number: line.partition("  # ")[2]
        for number, line in enumerate(SCRIPT.splitlines(), start=1)
        if "  # " in line
    }
    assert reported == expected, done.stdout + done.stderr
