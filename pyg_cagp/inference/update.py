r"""Updates of a run by new triples, without training."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import Tensor

from pyg_cagp._utils.files import write_atomically
from pyg_cagp.data import Malformed, TripleIndex, read_chunks
from pyg_cagp.exceptions import DatasetFormatError, InvalidInputError
from pyg_cagp.inference import state
from pyg_cagp.inference.contents import State, read_state
from pyg_cagp.nn.kge import KG2E
from pyg_cagp.train import Config, save_checkpoint
from pyg_cagp.train.checkpoint import model_tensors
from pyg_cagp.train.load import STORED
from pyg_cagp.uncertainty import CAGP, EvidenceUncertainty

#: The names of heads, of relations and of tails.
Triples: TypeAlias = tuple[Sequence[str], Sequence[str], Sequence[str]]


@dataclass(frozen=True)
class UpdateSummary:
    r"""The counts of an update.

    Args:
        added (int): The number of added triples.
        repeated (int): The number of triples that the run already had. They are
            added again, or skipped if requested.
        unknown_entity (int): The number of skipped triples with an unknown
            entity.
        unknown_relation (int): The same for relations.
        malformed (int): The number of skipped rows that are not triples.
        version (int): The number of the state that is valid now.
    """

    added: int
    repeated: int
    unknown_entity: int
    unknown_relation: int
    malformed: int
    version: int

    def to_dict(self) -> dict[str, Any]:
        r"""Returns all fields, ready for JSON."""
        return asdict(self)


def update_run(
    run: Path,
    triples: str | Path | Triples,
    *,
    skip_known: bool,
    skip_malformed: bool,
    device: torch.device,
) -> UpdateSummary:
    r"""Writes a new state of a run and makes it the valid one, atomically; see
    :meth:`Predictor.update`.
    """
    malformed = Malformed(skip=skip_malformed)
    state.read_pointer(run)  # Raises an error if there is no run.
    with state.locked(run):
        old = read_state(run, device=device)
        if isinstance(old.model, KG2E):
            raise InvalidInputError(
                f"the model of '{run}' (kg2e) cannot be updated; train it "
                f"again with the new triples"
            )
        source = "names" if isinstance(triples, tuple) else str(triples)
        new, unknown = _known_ids(_chunks(triples, malformed), old)
        if not (new.size(1) or sum(unknown)):
            raise DatasetFormatError(f"'{source}' holds no triple")
        sizes = old.model.num_nodes, old.model.num_relations
        head, rel, tail = old.train
        repeated = TripleIndex(head, rel, tail, *sizes).contains(*new)
        if skip_known:
            new = new[:, ~repeated]
        summary = UpdateSummary(
            added=new.size(1),
            repeated=int(repeated.sum()),
            unknown_entity=unknown[0],
            unknown_relation=unknown[1],
            malformed=malformed.count,
            version=old.document["version"] + bool(new.size(1)),
        )
        if summary.added:
            time = datetime.now(UTC).isoformat(timespec="seconds")
            entry = {"time": time, "source": source, **summary.to_dict()}
            _write(old, new, summary.version, entry)
    return summary


def _chunks(
    triples: str | Path | Triples, malformed: Malformed
) -> Iterable[Triples]:
    if isinstance(triples, tuple):
        yield triples
        return
    for table in read_chunks(triples, malformed=malformed):
        yield table.head, table.relation, table.tail


def _known_ids(
    chunks: Iterable[Triples], old: State
) -> tuple[Tensor, tuple[int, int]]:
    r"""Returns heads, relations and tails of known names, of shape
    :obj:`[3, E]`, and the numbers of triples with an unknown entity and of
    others with an unknown relation.
    """
    parts = [torch.empty((3, 0), dtype=torch.long)]
    no_entity = no_relation = 0
    tables = old.entities, old.relations, old.entities
    for chunk in chunks:
        pairs = zip(tables, chunk, strict=True)
        ids = torch.stack([table.find(names) for table, names in pairs])
        lacks_entity = (ids[[0, 2]] < 0).any(dim=0)
        lacks_relation = (ids[1] < 0) & ~lacks_entity
        no_entity += int(lacks_entity.sum())
        no_relation += int(lacks_relation.sum())
        parts.append(ids[:, ~(lacks_entity | lacks_relation)])
    return torch.cat(parts, dim=1), (no_entity, no_relation)


def _write(
    old: State, new: Tensor, version: int, entry: dict[str, Any]
) -> None:
    r"""Adds triples to a state, and writes the result as the valid one."""
    model, old_document = old.model, old.document
    triples = new.to(old.coverage.device)
    old.coverage.update(triples[[0, 2]], triples[1])
    config = Config.from_dict(old.meta["config"], str(old.run))
    posterior = model.posterior.update(
        model,
        *triples,
        num_negatives=config.posterior.num_negatives or None,
        seed=old.meta["seed"],
    )
    model.set_posterior(posterior)
    with state.new_state(old.run, version) as folder:
        old.coverage.save(folder / state.COVERAGE)
        train = torch.cat([old.train, new], dim=1)
        known = {"train": train, "val": old.val}
        save_checkpoint(folder / state.KNOWN, known, {})
        names = (old.folder / state.NAMES).read_bytes()
        write_atomically(folder / state.NAMES, names)
        # Weights and scales are valid for the updated posterior.
        cagp = CAGP.load(old.folder / state.CAGP_FILE, model, old.coverage)
        cagp.accept_posterior().save(folder / state.CAGP_FILE)
        if old_document["evidence"] is not None:
            evidence = EvidenceUncertainty.load(
                old.folder / old_document["evidence"], old.coverage, model
            )
            evidence.accept_posterior().save(folder / old_document["evidence"])
        path = folder / state.MODEL
        stored = {key: old.meta[key] for key in STORED}
        crc32 = save_checkpoint(path, model_tensors(model), stored)
    document = {
        **old_document,
        "version": version,
        "model": path.relative_to(old.run).as_posix(),
        "model_crc32": crc32,
        "updates": [*old_document["updates"], entry],
    }
    state.make_valid(old.run, document)
