"""Functions in C++ are built once, and read nothing beyond their table."""

import copy
import functools
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from pyg_cagp import CAGP
from pyg_cagp.exceptions import InvalidInputError, MissingDependencyError
from pyg_cagp.serving import ServedModel, native
from pyg_cagp.uncertainty import StructuralUncertainty
from tests.serving.conftest import needs_compiler


@needs_compiler
def test_native_tables_are_small(model, reciprocal, coverage):
    row = (model.num_relations + 7) // 8
    both = (2 * model.num_relations + 7) // 8
    for served, size in (
        (ServedModel(model, StructuralUncertainty(coverage), native=True), row),
        (
            ServedModel(
                reciprocal,
                StructuralUncertainty(coverage, "directed"),
                native=True,
            ),
            both,
        ),
    ):
        assert served.native_table.cells.nbytes == model.num_nodes * size


@needs_compiler
def test_many_triples(kg, model, coverage):
    generator = torch.Generator().manual_seed(2)
    head, tail = torch.randint(kg.num_nodes, (2, 10**5), generator=generator)
    rel = torch.randint(kg.num_relations, (10**5,), generator=generator)
    estimator = StructuralUncertainty(coverage, "directed")
    served = ServedModel(model, estimator, native=True)
    doubt = served(head, rel, tail).doubt
    assert torch.equal(doubt, estimator(head, rel, tail))
    # Rows that do not lie one after another in memory.
    apart = torch.stack([head, rel, tail], dim=1).unbind(1)
    assert torch.equal(served(*apart).doubt, doubt)
    # An error leaves the reading of many triples, for which Python's lock is
    # given back.
    rel[77_777] = kg.num_relations
    with pytest.raises(InvalidInputError, match="got 20 at position 77777"):
        served.doubt(head, rel, tail)


@needs_compiler
def test_native_reading_survives_copies_and_files(kg, model, coverage, triples):
    cagp = CAGP(model, coverage).fit(kg)
    served = ServedModel(model, cagp, native=True)
    file = io.BytesIO()
    torch.save(served, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    for other in (copy.deepcopy(served), loaded, copy.copy(served).float()):
        assert other._native() is not None
        assert torch.equal(other(*triples).doubt, served(*triples).doubt)


@needs_compiler
def test_a_file_is_of_use_without_a_compiler(
    model, coverage, triples, monkeypatch
):
    served = ServedModel(model, StructuralUncertainty(coverage), native=True)
    file = io.BytesIO()
    torch.save(served, file)
    file.seek(0)
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", "/dev/null/nowhere")
    native._library.cache_clear()
    with pytest.warns(UserWarning, match="read by PyTorch: 'native' needs"):
        loaded = torch.load(file, weights_only=False)
    with pytest.warns(UserWarning, match="read by PyTorch"):
        loaded = loaded.float()
    native._library.cache_clear()
    assert torch.equal(loaded(*triples).doubt, served(*triples).doubt)


@needs_compiler
def test_a_file_loaded_without_what_it_holds(model, coverage, triples):
    served = ServedModel(model, StructuralUncertainty(coverage), native=True)
    file = io.BytesIO()
    torch.save(served, file)
    file.seek(0)
    loaded = torch.load(file, map_location="meta", weights_only=False)
    empty = loaded.to_empty(device="cpu")
    assert empty(*triples).score.shape == triples[0].shape


@needs_compiler
def test_a_user_without_a_home_is_served_by_pytorch(
    model, coverage, triples, monkeypatch
):
    served = ServedModel(model, StructuralUncertainty(coverage), native=True)

    def expanduser(path):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("TORCH_EXTENSIONS_DIR", raising=False)
    monkeypatch.setattr(Path, "expanduser", expanduser)
    native._library.cache_clear()
    with pytest.warns(UserWarning, match="determine home directory"):
        other = copy.deepcopy(served)
    native._library.cache_clear()
    assert torch.equal(other(*triples).doubt, served(*triples).doubt)


@needs_compiler
def test_tables_that_would_be_read_beyond_their_end_are_refused(
    model, coverage
):
    served = ServedModel(model, StructuralUncertainty(coverage), native=True)
    table = served.native_table
    for wrong in (
        dict.fromkeys(("num_relations", "num_ids", "columns"), -1),
        {"num_ids": table.num_ids + 1},
        {"columns": table.columns + 1},
        {"cells": table.cells[:, :-1].contiguous()},
        {"cells": table.cells.t()},
        {"cells": table.cells.double()},
        {"head_own": torch.zeros(model.num_nodes)},
        {"head_own": torch.zeros(3), "tail_own": torch.zeros(3)},
    ):
        with pytest.raises(RuntimeError, match="do not fit together"):
            native.native_functions(table._replace(**wrong), served._table())


@needs_compiler
def test_what_is_not_on_the_cpu_is_read_by_pytorch(model, coverage, triples):
    served = ServedModel(
        copy.deepcopy(model), StructuralUncertainty(coverage), native=True
    )
    served.to("meta")
    doubt = served(*(part.to("meta") for part in triples)).doubt
    assert doubt.device.type == "meta"


@needs_compiler
def test_an_interrupted_build_is_built_again(tmp_path):
    code = (
        "import os, shutil, sys\n"
        "from pathlib import Path\n"
        "from torch.utils import cpp_extension\n"
        "from pyg_cagp.serving import native\n"
        # In place of half a minute of building.
        "def load(name, sources, build_directory, **kwargs):\n"
        "    name += '_v1' + cpp_extension.LIB_EXT\n"
        "    path = Path(build_directory, name)\n"
        "    path.touch()\n"
        "    if sys.argv[1] == 'die':\n"
        "        os._exit(9)\n"
        "    shutil.copy(sys.argv[1], path)\n"
        "cpp_extension.load = load\n"
        "print(native._library().__file__)\n"
    )
    built = native._library().__file__
    run = functools.partial(
        subprocess.run,
        env={**os.environ, "TORCH_EXTENSIONS_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run([sys.executable, "-c", code, "die"]).returncode == 9
    again = run([sys.executable, "-c", code, built])
    assert again.stdout.startswith(str(tmp_path)), again.stderr
    # A file that cannot be loaded is built again too.
    path = Path(again.stdout.strip())
    path.write_bytes(b"damaged")
    again = run([sys.executable, "-c", code, built])
    assert again.stdout.strip() == str(path), again.stderr
    assert path.read_bytes() == Path(built).read_bytes()


@needs_compiler
def test_what_is_built_needs_no_compiler():
    built = native._library().__file__
    code = "from pyg_cagp.serving import native; print(native._library())"
    found = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PATH": "", "CXX": "nothing"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built in found.stdout, found.stderr


def test_no_compiler_is_named(model, coverage, monkeypatch, tmp_path):
    from torch.utils import cpp_extension

    def load(*args, **kwargs):
        raise RuntimeError("Ninja is required to load C++ extensions\nmore")

    monkeypatch.setattr(cpp_extension, "load", load)
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path))
    native._library.cache_clear()
    with pytest.raises(MissingDependencyError, match=r"extensions\); without"):
        ServedModel(model, StructuralUncertainty(coverage), native=True)
    native._library.cache_clear()
    assert not list(tmp_path.iterdir())


@pytest.mark.gpu
@needs_compiler
def test_a_file_loaded_to_a_gpu_comes_back(model, coverage, triples):
    served = ServedModel(model, StructuralUncertainty(coverage), native=True)
    file = io.BytesIO()
    torch.save(served, file)
    file.seek(0)
    loaded = torch.load(file, map_location="cuda", weights_only=False).cpu()
    assert torch.equal(loaded.doubt(*triples), served.doubt(*triples))
