r"""New triples for a run, without training again."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pyg_cagp._utils.files import write_atomically
from pyg_cagp.advice import state
from pyg_cagp.advice.names import Names
from pyg_cagp.advice.parts import (
    read_known,
    read_names,
    read_part,
    write_known,
)
from pyg_cagp.coverage import Coverage
from pyg_cagp.data import Malformed, TripleIndex, read_chunks
from pyg_cagp.exceptions import DatasetFormatError, InvalidInputError
from pyg_cagp.nn.kge import KG2E
from pyg_cagp.nn.posterior import update_posterior
from pyg_cagp.train import Config, load_model, save_checkpoint
from pyg_cagp.train.load import MODEL, STORED

Chunk = tuple[Sequence[str], Sequence[str], Sequence[str]]


@dataclass(frozen=True)
class UpdateSummary:
    r"""What came of new triples.

    Args:
        added (int): How many were added.
        repeated (int): How many were there before: added once more, or left
            out if so asked.
        unknown_entity (int): How many speak of an entity that the model does
            not know, and were passed over.
        unknown_relation (int): The same for relations.
        malformed (int): How many rows were no triples, and passed over.
        version (int): The number of the state that is valid now.
    """

    added: int
    repeated: int
    unknown_entity: int
    unknown_relation: int
    malformed: int
    version: int

    def to_dict(self) -> dict[str, Any]:
        r"""Returns all of it, ready for JSON."""
        return asdict(self)


def update(
    run_folder: str | Path,
    triples: str | Path | Chunk,
    skip_known: bool = False,
    skip_malformed: bool = False,
    device: torch.device | str = "cpu",
) -> UpdateSummary:
    r"""Adds triples to what a run has seen: their pairs to the coverage, and
    what they say to the variances of the model, as
    :func:`~pyg_cagp.nn.posterior.update_posterior` does.

    Means, weights and thresholds stay as they were fitted; what the doubt
    knows of possible pairs follows the coverage. An entity or a relation that
    the model was not trained with has no mean, and none can be made up:
    triples that speak of one are counted and passed over.

    The new state is written beside the old one and becomes valid at once, so
    an interrupted update leaves the old one in place.

    Args:
        run_folder (str or pathlib.Path): The folder of the run.
        triples (str, pathlib.Path or tuple): A file of triples; see
            :func:`~pyg_cagp.data.read_chunks`; or names of heads, relations
            and tails.
        skip_known (bool, optional): If set to :obj:`True`, leaves out triples
            that the run has seen, so that one update done twice is done once.
            If set to :obj:`False`, a triple counts as often as it comes, as it
            does in training. (default: :obj:`False`)
        skip_malformed (bool, optional): If set to :obj:`True`, passes over
            rows that are no triples, instead of refusing the file.
            (default: :obj:`False`)
        device (torch.device or str, optional): Where to compute.
            (default: :obj:`"cpu"`)
    """
    run = Path(run_folder)
    malformed = Malformed(skip=skip_malformed)
    state.read_pointer(run)  # Nothing is made in a folder that holds no run.
    with state.changing(run):
        before = state.read_pointer(run)
        old = state.check_state(run, before)
        path = run / before["model"]
        model, meta = read_part(path, lambda: load_model(path, device))
        if isinstance(model, KG2E):
            raise InvalidInputError(
                f"the model of '{run}' (kg2e) has no posterior that could be "
                f"updated; train it again with the new triples"
            )
        sizes = model.num_nodes, model.num_relations
        names = read_names(old / state.NAMES, *sizes)
        train, val = read_known(old / state.KNOWN)
        chunks: Iterable[Chunk]
        if isinstance(triples, tuple):
            chunks, source = [triples], "names"
        else:
            source = str(triples)
            chunks = (
                (table.head, table.relation, table.tail)
                for table in read_chunks(triples, malformed)
            )
        found, unknown = _numbers(chunks, *names)
        if not (found.size(1) or sum(unknown)):
            raise DatasetFormatError(f"'{source}' holds no triple")
        index = TripleIndex(train[[0, 2]], train[1], *sizes)
        again = index.contains(*found)
        if skip_known:
            found = found[:, ~again]
        summary = UpdateSummary(
            added=found.size(1),
            repeated=int(again.sum()),
            unknown_entity=unknown[0],
            unknown_relation=unknown[1],
            malformed=malformed.count,
            version=before["version"] + bool(found.size(1)),
        )
        if found.size(1) == 0:
            return summary
        path = old / state.COVERAGE
        coverage = read_part(path, lambda: Coverage.load(path, mmap=False))
        coverage.update(found[[0, 2]], found[1])
        config = Config.from_dict(meta["config"], str(run))
        here = found.to(device)
        update_posterior(
            model,
            here[[0, 2]],
            here[1],
            num_negatives=config.posterior.num_negatives or None,
            seed=meta["seed"],
        )
        with state.new_state(run, summary.version) as new:
            coverage.save(new / state.COVERAGE)
            train = torch.cat([train, found], dim=1)
            write_known(new / state.KNOWN, train, val)
            for name in (state.NAMES, state.CAGP_FILE, before["evidence"]):
                if name is not None:
                    write_atomically(new / name, (old / name).read_bytes())
            stored = {key: meta[key] for key in STORED}
            path = new / MODEL
            crc32 = save_checkpoint(path, model.state_dict(), stored)
        entry = {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "source": source,
            **summary.to_dict(),
        }
        document = {
            **before,
            "version": summary.version,
            "model": (new / MODEL).relative_to(run).as_posix(),
            "model_crc32": crc32,
            "updates": [*before["updates"], entry],
        }
        state.make_valid(run, document)
    return summary


def _numbers(
    chunks: Iterable[Chunk],
    entities: Names,
    relations: Names,
) -> tuple[Tensor, tuple[int, int]]:
    r"""Returns heads, relations and tails of what is known, of shape
    :obj:`[3, E]`, and how many triples have an unknown entity, or else an
    unknown relation.
    """
    parts = [torch.empty((3, 0), dtype=torch.long)]
    no_entity = no_relation = 0
    for head, relation, tail in chunks:
        found = torch.stack(
            [
                entities.find(head),
                relations.find(relation),
                entities.find(tail),
            ]
        )
        lacks_entity = (found[[0, 2]] < 0).any(dim=0)
        lacks_relation = (found[1] < 0) & ~lacks_entity
        no_entity += int(lacks_entity.sum())
        no_relation += int(lacks_relation.sum())
        parts.append(found[:, ~(lacks_entity | lacks_relation)])
    return torch.cat(parts, dim=1), (no_entity, no_relation)
