r"""The predictor of a trained run."""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from pyg_cagp.data import AnswerIndex
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.inference.contents import State, read_part, read_state
from pyg_cagp.inference.prediction import Prediction, predict
from pyg_cagp.inference.scores import (
    NUMBERS,
    UNKNOWN_ENTITY,
    ScoreTable,
    kinds_of,
)
from pyg_cagp.inference.state import CAGP_FILE
from pyg_cagp.inference.update import Triples, UpdateSummary, update_run
from pyg_cagp.nn.scoring.softmax_terms import SoftmaxTerms, softmax_terms
from pyg_cagp.typing import Side
from pyg_cagp.uncertainty import CAGP, EvidenceUncertainty

#: The number of triples for which features are in memory at a time.
BATCH = 10_240

#: Batches are padded to a multiple of this number: PyTorch rounds elements that
#: do not fill a vector register differently.
WIDTH = 64


class Predictor:
    r"""Scores triples and answers queries by names with a trained run, with the
    uncertainty of each result. :meth:`load` makes one from a folder.

    Args:
        state (State): The valid state of the run.
        cagp (CAGP): Semantic and structural uncertainty, and their weight.
        evidence (EvidenceUncertainty, optional): The probability of being out
            of distribution, if it was fitted. (default: :obj:`None`)
    """

    def __init__(
        self,
        state: State,
        cagp: CAGP,
        evidence: EvidenceUncertainty | None = None,
    ) -> None:
        self.state = state
        self.document = state.document
        self.model = state.model
        self.coverage = state.coverage
        self.entities = state.entities
        self.relations = state.relations
        self.cagp = cagp
        self.evidence = evidence
        head, rel, tail = torch.cat([state.train, state.val], dim=1)
        sizes = self.model.num_nodes, self.model.num_relations
        self.known = AnswerIndex(head, rel, tail, *sizes).to(self.device)
        self.tau: float = self.document["tau"]
        self.inclusive: bool = self.document["inclusive"]
        self.threshold: float | None = self.document["threshold"]

    @classmethod
    def load(
        cls, run_folder: str | Path, *, device: torch.device | str = "cpu"
    ) -> "Predictor":
        r"""Loads a run.

        Args:
            run_folder (str or pathlib.Path): The folder of the run.
            device (torch.device or str, optional): The device to compute on.
                (default: :obj:`"cpu"`)
        """
        state = read_state(Path(run_folder), device=device)
        path = state.folder / CAGP_FILE
        parts = state.model, state.coverage
        cagp = read_part(path, lambda: CAGP.load(path, *parts))
        evidence = None
        if state.document["evidence"] is not None:
            file = state.folder / state.document["evidence"]
            evidence = read_part(
                file, lambda: EvidenceUncertainty.load(file, *parts[::-1])
            )
        return cls(state, cagp, evidence)

    @property
    def device(self) -> torch.device:
        r"""The device of the computation."""
        return self.coverage.device

    @torch.no_grad()
    def score(
        self,
        heads: Sequence[str],
        relations: Sequence[str],
        tails: Sequence[str],
    ) -> ScoreTable:
        r"""Scores triples. A triple with an unknown name raises no error: it
        has a kind, no numbers, and is abstained from.

        Args:
            heads (sequence): The names of heads.
            relations (sequence): The names of relations.
            tails (sequence): The names of tails.
        """
        names = {"heads": heads, "relations": relations, "tails": tails}
        for key, values in names.items():
            if isinstance(values, str | Tensor):
                raise InvalidInputError(
                    f"'{key}' must be a list of names (got a "
                    f"{type(values).__name__})"
                )
        sizes = len(heads), len(relations), len(tails)
        if len(set(sizes)) > 1:
            raise InvalidInputError(
                f"'heads', 'relations' and 'tails' must be of one length (got "
                f"{sizes})"
            )
        columns = self.columns_of(
            self.entities.find(heads).to(self.device),
            self.relations.find(relations).to(self.device),
            self.entities.find(tails).to(self.device),
        )
        table = {name: column.cpu() for name, column in columns.items()}
        return ScoreTable(heads, relations, tails, **table)

    def columns_of(
        self,
        head: Tensor,
        rel: Tensor,
        tail: Tensor,
        terms: SoftmaxTerms | None = None,
    ) -> dict[str, Tensor]:
        r"""Returns the columns of :class:`ScoreTable` for triples of ids, -1
        for unknown names. If :obj:`terms` is :obj:`None`, the softmax terms are
        computed.
        """
        kind = kinds_of(
            self.coverage, self.tau, head, rel, tail, inclusive=self.inclusive
        )
        known = kind < UNKNOWN_ENTITY
        columns = {
            name: torch.full_like(kind, torch.nan, dtype=torch.double)
            for name in NUMBERS
        }
        triples = head[known], rel[known], tail[known]
        if triples[1].numel():
            # For all queries at once; features need batches, for memory.
            if terms is None:
                sides = self.sides("tail")
                terms = softmax_terms(
                    self.model, *triples, sides=sides, precision="scores"
                )
            numbers = self._numbers(*triples, terms)
            for name, values in numbers.items():
                columns[name][known] = values.double()
        abstain = kind > 0
        if self.threshold is not None:
            abstain = ~known | (columns["p_ood"] >= self.threshold)
        return {**columns, "kind": kind, "abstain": abstain}

    def sides(self, *sides: Side) -> tuple[Side, ...]:
        r"""Returns these sides and those that :attr:`evidence` reads."""
        reads = () if self.evidence is None else self.evidence.reads_scores
        return tuple(dict.fromkeys((*sides, *reads)))

    def _numbers(
        self, head: Tensor, rel: Tensor, tail: Tensor, terms: SoftmaxTerms
    ) -> dict[str, Tensor]:
        num = rel.numel()
        full = torch.arange(num + -num % WIDTH, device=rel.device)
        parts: list[dict[str, Tensor]] = []
        for rows in full.clamp(max=num - 1).split(BATCH):
            triples = head[rows], rel[rows], tail[rows]
            cagp = self.cagp.decompose(*triples)
            part = {
                "score": self.model(*triples),
                "semantic": cagp.semantic,
                "structural": cagp.structural,
                "cagp": cagp.total,
            }
            if "tail" in terms.sides:
                part["probability"] = terms.tail.log_prob()[rows].exp()
            if self.evidence is not None:
                part["p_ood"] = self.evidence(*triples, terms=terms[rows])
            parts.append(part)
        return {
            name: torch.cat([part[name] for part in parts])[:num]
            for name in parts[0]
        }

    def predict(
        self,
        head: str | None = None,
        relation: str | None = None,
        tail: str | None = None,
        *,
        k: int = 10,
    ) -> Prediction:
        r"""Answers :obj:`(head, relation, ?)`, or :obj:`(?, relation, tail)`.
        Known answers are left out.

        Args:
            head (str, optional): The head, to request tails.
                (default: :obj:`None`)
            relation (str): The relation.
            tail (str, optional): The tail, to request heads.
                (default: :obj:`None`)
            k (int, optional): The largest number of answers.
                (default: :obj:`10`)
        """
        return predict(self, head, relation, tail, k)

    def update(
        self,
        triples: str | Path | Triples,
        *,
        skip_known: bool = False,
        skip_malformed: bool = False,
    ) -> UpdateSummary:
        r"""Adds triples to the run without training, in its folder and in this
        object. It adds their pairs to the coverage and updates the variances.
        Means, weights and thresholds do not change. Triples with an unknown
        name are counted and skipped. An interrupted update leaves the run
        unchanged.

        Args:
            triples (str, pathlib.Path or tuple): A file, or names of heads,
                relations and tails.
            skip_known (bool, optional): If set to :obj:`True`, skips triples
                that the run already has. (default: :obj:`False`)
            skip_malformed (bool, optional): If set to :obj:`True`, counts and
                skips rows that are not triples, instead of raising an error.
                (default: :obj:`False`)
        """
        run, device = self.state.run, self.device
        skip = {"skip_known": skip_known, "skip_malformed": skip_malformed}
        summary = update_run(run, triples, **skip, device=device)
        if summary.version != self.document["version"]:
            vars(self).update(vars(self.load(run, device=device)))
        return summary

    def __repr__(self) -> str:
        sizes = (
            f"{len(self.entities)} entities, {len(self.relations)} relations"
        )
        return f"{self.__class__.__name__}({sizes})"
