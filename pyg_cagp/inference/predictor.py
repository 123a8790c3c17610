r"""Advice about triples, from a run's folder alone."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pyg_cagp.coverage import Coverage
from pyg_cagp.data import AnswerIndex
from pyg_cagp.exceptions import CheckpointError, InvalidInputError
from pyg_cagp.inference import state
from pyg_cagp.inference.kinds import kinds_of
from pyg_cagp.inference.names import Names
from pyg_cagp.inference.parts import (
    read_known,
    read_names,
    read_part,
)
from pyg_cagp.inference.prediction import Prediction, predict
from pyg_cagp.inference.table import COLUMNS, ScoreTable
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.nn.scoring.softmax_terms import softmax_terms
from pyg_cagp.train import load_model
from pyg_cagp.uncertainty import CAGP, EvidenceUncertainty

#: How many triples are judged at a time. Batches are cut by position, so that
#: the same rows in chunks of any multiple of it give the same bits.
BATCH = 10_000

NUMBERS = [name for name in COLUMNS if COLUMNS[name]["kind"] is float]


class Predictor:
    r"""Tells of triples, by their names, how far the run's model can be
    trusted with them. Load one by :meth:`load`.

    Args:
        model (GaussianKGEModel): The model.
        coverage (Coverage): The coverage of what it has seen.
        cagp (CAGP): The two kinds of doubt and their weight.
        evidence (EvidenceUncertainty, optional): The probability of being out
            of distribution, where validation allowed for fitting it.
        entities (Names): The names of entities.
        relations (Names): The names of relations.
        known (torch.Tensor): Heads, relations and tails of triples that need no
            prediction, of shape :obj:`[3, E]`.
        document (dict): The values of :obj:`inference.json`.
    """

    def __init__(
        self,
        model: GaussianKGEModel,
        coverage: Coverage,
        cagp: CAGP,
        evidence: EvidenceUncertainty | None,
        entities: Names,
        relations: Names,
        known: Tensor,
        document: dict[str, Any],
    ) -> None:
        self.model = model
        self.coverage = coverage
        self.cagp = cagp
        self.evidence = evidence
        self.entities = entities
        self.relations = relations
        head_index, rel_type, tail_index = known
        sizes = model.num_nodes, model.num_relations
        index = AnswerIndex(head_index, rel_type, tail_index, *sizes)
        self.known = index.to(self.device)
        self.document = document
        self.tau: float = document["tau"]
        self.inclusive: bool = document["inclusive"]
        self.threshold: float | None = document["threshold"]

    @classmethod
    def load(
        cls, run_folder: str | Path, device: torch.device | str = "cpu"
    ) -> "Predictor":
        r"""Loads the advice of a run.

        Args:
            run_folder (str or pathlib.Path): The folder of the run.
            device (torch.device or str, optional): Where to compute.
                (default: :obj:`"cpu"`)
        """
        run = Path(run_folder)
        document = state.read_pointer(run)
        folder = state.check_state(run, document)
        path = run / document["model"]
        model, meta = read_part(path, lambda: load_model(path, device=device))
        if meta["crc32"] != document["model_crc32"]:
            raise CheckpointError(
                f"'{folder}' was made for another model than "
                f"'{run / document['model']}'; {state.REMEDY}"
            )
        path = folder / state.COVERAGE
        # In memory: an update clears away the file.
        coverage = read_part(path, lambda: Coverage.load(path, mmap=False))
        sizes = model.num_nodes, model.num_relations
        if (coverage.num_nodes, coverage.num_relations) != sizes:
            raise CheckpointError(
                f"'{path}' is of another graph than the model; {state.REMEDY}"
            )
        coverage.to(device)
        path = folder / state.CAGP_FILE
        cagp = read_part(path, lambda: CAGP.load(path, model, coverage))
        evidence = None
        if document["evidence"] is not None:
            path = folder / document["evidence"]
            evidence = read_part(
                path, lambda: EvidenceUncertainty.load(path, coverage, model)
            )
        names = read_names(folder / state.NAMES, *sizes)
        known = torch.cat(read_known(folder / state.KNOWN), dim=1)
        return cls(model, coverage, cagp, evidence, *names, known, document)

    @property
    def device(self) -> torch.device:
        r"""Where triples are judged."""
        return self.coverage.device

    # Triples #################################################################

    @torch.no_grad()
    def score(
        self,
        head_names: Sequence[str],
        relation_names: Sequence[str],
        tail_names: Sequence[str],
    ) -> ScoreTable:
        r"""Tells all there is to tell about triples. Unknown names are no
        error: such triples have a kind, no numbers, and are abstained from.

        Args:
            head_names (sequence): The names of heads.
            relation_names (sequence): The names of relations.
            tail_names (sequence): The names of tails.
        """
        sizes = len(head_names), len(relation_names), len(tail_names)
        if len(set(sizes)) > 1:
            raise InvalidInputError(
                f"'head_names', 'relation_names' and 'tail_names' must be of "
                f"one length (got {', '.join(map(str, sizes))})"
            )
        triples = [
            self.entities.find(head_names),
            self.relations.find(relation_names),
            self.entities.find(tail_names),
        ]
        parts = [
            self.judge(*(part.to(self.device) for part in batch))
            for batch in zip(*(t.split(BATCH) for t in triples), strict=True)
        ]
        columns = {
            name: torch.cat([part[name] for part in parts]).cpu()
            for name in parts[0]
        }
        return ScoreTable(head_names, relation_names, tail_names, **columns)

    @torch.no_grad()
    def judge(
        self, head: Tensor, rel: Tensor, tail: Tensor
    ) -> dict[str, Tensor]:
        r"""Returns the columns of :class:`ScoreTable` for triples of ids, -1
        for what is unknown.

        Args:
            head (torch.Tensor): The head indices.
            rel (torch.Tensor): The relation types.
            tail (torch.Tensor): The tail indices.
        """
        kind = kinds_of(
            self.coverage, self.tau, head, rel, tail, self.inclusive
        )
        known = (head >= 0) & (rel >= 0) & (tail >= 0)
        triples = head[known], rel[known], tail[known]
        numbers = self._numbers(*triples) if bool(known.any()) else {}
        found = {}
        for name in NUMBERS:
            found[name] = torch.full(
                head.shape, torch.nan, dtype=torch.double, device=head.device
            )
            if name in numbers:
                found[name][known] = numbers[name].double()
        if self.threshold is None:
            # Nothing tells how much doubt is too much.
            abstain = kind > 0
        else:
            abstain = ~known | (found["doubt"] >= self.threshold)
        return {**found, "kind": kind, "abstain": abstain}

    def _numbers(
        self, head: Tensor, rel: Tensor, tail: Tensor
    ) -> dict[str, Tensor]:
        # Written apart from the estimators, which look at the same scores: they
        # are asked as they are, by whoever wants to check.
        terms = softmax_terms(self.model, "tail", head, rel, tail)
        parts = self.cagp.decompose(head, rel, tail)
        found = {
            "score": self.model(head, rel, tail),
            "probability": terms.log_prob().exp(),
            **parts._asdict(),
        }
        if self.evidence is not None:
            found["doubt"] = self.evidence(head, rel, tail)
        return found

    # Answers #################################################################

    def predict(
        self,
        head: str | None = None,
        relation: str | None = None,
        tail: str | None = None,
        k: int = 10,
    ) -> Prediction:
        r"""Answers :obj:`(head, relation, ?)`, or :obj:`(?, relation, tail)`.

        Args:
            head (str, optional): The name of the head, if the tail is asked
                for. (default: :obj:`None`)
            relation (str): The name of the relation.
            tail (str, optional): The name of the tail, if the head is asked
                for. (default: :obj:`None`)
            k (int, optional): How many answers to return at most.
                (default: :obj:`10`)
        """
        return predict(self, head, relation, tail, k)

    def number_of(self, what: str, name: str) -> int:
        r"""Returns the number of a name, or tells which names are like it.

        Args:
            what (str): :obj:`"entity"` or :obj:`"relation"`.
            name (str): The name.
        """
        names = self.entities if what == "entity" else self.relations
        number = int(names.find([name])[0])
        if number >= 0:
            return number
        close = names.closest(name)
        hint = (
            f"did you mean {' or '.join(map(repr, close))}?"
            if close
            else f"none of the {len(names):,} known names is like it"
        )
        raise InvalidInputError(f"there is no {what} {name!r}; {hint}")

    def __repr__(self) -> str:
        return (
            f"{self.__class__.__name__}({len(self.entities)} entities, "
            f"{len(self.relations)} relations)"
        )
