r"""Scores and doubts of one forward pass, where microseconds count."""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from torch import Tensor
from torch.compiler import is_compiling
from torch.nn import Module
from torch_geometric.nn.kge import KGEModel

from pyg_cagp.exceptions import InvalidInputError, MissingDependencyError
from pyg_cagp.serving.embeddings import plain_embeddings
from pyg_cagp.serving.native import (
    NativeFunctions,
    NativeTable,
    Reader,
    native_functions,
    native_table,
)
from pyg_cagp.serving.pair_table import PairTable
from pyg_cagp.serving.tables import lay_out, parts_of
from pyg_cagp.uncertainty.base import check_type
from pyg_cagp.uncertainty.cagp import SimpleAverage
from pyg_cagp.uncertainty.structural import StructuralUncertainty


class ScoreWithDoubt(NamedTuple):
    r"""What a served model says of triples."""

    score: Tensor
    doubt: Tensor


class ServedModel(Module):
    r"""A model whose forward pass returns the doubt about each triple with its
    score.

    Both parts of CAGP are sums over the two ends of a triple, of a number that
    only the entity, its role and the relation decide:

    .. math::
        U(h, r, t) = u_{\text{head}}(h, r) + u_{\text{tail}}(t, r), \quad
        u(e, r) = (1 - \alpha) \left( 1 - c(e, r) \right) +
        \frac{\alpha}{2} \tilde{\sigma}^2_e

    All of them are computed once, into one number for every pair of an entity
    and a relation. Then a doubt costs two reads, whichever estimator it is
    from. The model's own look-up of embeddings refuses unknown ids, so they
    are not looked for again. On a CPU the error says which id it was; on a GPU
    it is that of PyTorch. If the model knows inverse relations, so does the
    table: the doubt about :math:`(t, r^{-1}, h)` is that about
    :math:`(h, r, t)`.

    The table holds what the estimator says now. Make a new one after the model
    was trained on, or after its coverage was updated.

    On a CPU, most of what reading takes is spent between PyTorch's calls. With
    :obj:`native`, a function in C++ reads all doubts in one call, as
    :obj:`float32`, from a table of its own in which a pair takes one bit where
    coverage is binary or directed. If the model is
    :class:`~pyg_cagp.nn.kge.GaussianDistMult`,
    :class:`~pyg_cagp.nn.kge.GaussianComplEx` or PyG's
    :class:`~torch_geometric.nn.kge.DistMult`, the same call scores the triples,
    from the model's own weights and without copying any, in less time than the
    model takes; up to rounding, scores are those of the model. It is asked
    itself if it trains, if gradients are wanted, and if hooks look on.

    The functions are built the first time that they are asked for, within a
    minute, and are found again later. They serve the CPU alone: on other
    devices, and where programs are compiled, exported or traced, PyTorch does
    it all.

    Args:
        model (torch_geometric.nn.kge.KGEModel): The model that scores triples.
        doubt (StructuralUncertainty, SimpleAverage or CAGP): The estimator,
            fitted. If its semantic part takes the larger of two variances,
            which is not a sum over ends, two reads more are needed.
        max_bytes (int, optional): The largest table of pairs that is made;
            with :obj:`native` there are two, of which the second is no larger.
            Numbers of entities alone come on top. (default: :obj:`2**30`)
        native (bool, optional): If set to :obj:`True`, doubts are read in C++,
            and scores computed where possible, which needs a compiler and
            ninja. (default: :obj:`False`)

    Example:
        >>> from pyg_cagp import Coverage, GaussianDistMult
        >>> edge_index = torch.tensor([[0, 0, 1], [1, 2, 2]])
        >>> edge_type = torch.tensor([0, 0, 1])
        >>> cov = Coverage.from_edges(edge_index, edge_type, 3, 2)
        >>> model = GaussianDistMult(3, 2, hidden_channels=8)
        >>> served = ServedModel(model, StructuralUncertainty(cov))
        >>> head, rel = torch.tensor([0, 1]), torch.tensor([1, 0])
        >>> score, doubt = served(head, rel, torch.tensor([2, 2]))
        >>> doubt
        tensor([1., 0.])
    """

    pair: Tensor
    entity: Tensor | None

    def __init__(
        self,
        model: KGEModel,
        doubt: StructuralUncertainty | SimpleAverage,
        max_bytes: int = 2**30,
        native: bool = False,
    ) -> None:
        super().__init__()
        check_type("model", model, KGEModel)
        check_type("doubt", doubt, StructuralUncertainty, SimpleAverage)
        doubt.check_fitted()
        sizes = model.num_nodes, model.num_relations
        if sizes != (doubt.num_nodes, doubt.num_relations):
            raise InvalidInputError(
                f"'model' and 'doubt' must be of one graph (got {sizes} and "
                f"{(doubt.num_nodes, doubt.num_relations)} entities and "
                f"relations)"
            )
        self.model = model
        num_ids = model.rel_emb.num_embeddings
        if num_ids not in (model.num_relations, 2 * model.num_relations):
            raise InvalidInputError(
                f"'model' must have an embedding for each of its "
                f"{model.num_relations} relations, or two with inverse ones "
                f"(got {num_ids})"
            )
        inverses = num_ids != model.num_relations
        parts = parts_of(doubt, inverses, max_bytes)
        table, self.tail_offset = lay_out(parts, inverses)
        self.width = table.size(1)
        device = model.node_emb.weight.device
        self.register_buffer(
            "pair", table.flatten().to(device), persistent=False
        )
        self.register_buffer(
            "entity",
            parts.own["head"].to(device)
            if parts.own is not None and parts.larger
            else None,
            persistent=False,
        )
        self.native_table: NativeTable | None = None
        if native:
            self.native_table = native_table(parts, num_ids)
        self._found = self._functions()
        self._read_from = self.pair, self.entity

    def forward(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> ScoreWithDoubt:
        r"""Returns the score of each triple and the doubt about it.

        Args:
            head_index (torch.Tensor): The head indices, of any shape.
            rel_type (torch.Tensor): The relation types, inverse ones too if
                the model has them.
            tail_index (torch.Tensor): The tail indices.
        """
        native = self._native()
        plain = None if native is None else plain_embeddings(self.model)
        if native is not None and plain is not None:
            found = native.both(head_index, rel_type, tail_index, *plain)
            if found is not None:
                return ScoreWithDoubt(*found)
        try:
            if native is not None:
                read = native.doubt
            else:
                table = self._table()
                if not head_index.shape == rel_type.shape == tail_index.shape:
                    table.check(head_index, rel_type, tail_index)
                read = table.read
            # The model comes first, as its look-up refuses unknown ids.
            score = self.model(head_index, rel_type, tail_index)
            doubt = read(head_index, rel_type, tail_index)
        except (AttributeError, IndexError, RuntimeError, TypeError):
            self._table().check(head_index, rel_type, tail_index)
            raise
        return ScoreWithDoubt(score, doubt)

    def score(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the score of each triple without a doubt, as
        :meth:`forward` finds it, after a check of all ids.

        Args:
            head_index (torch.Tensor): The head indices, of any shape.
            rel_type (torch.Tensor): The relation types.
            tail_index (torch.Tensor): The tail indices.
        """
        native = self._native()
        plain = None if native is None else plain_embeddings(self.model)
        if native is not None and plain is not None:
            found = native.score(head_index, rel_type, tail_index, *plain)
            if found is not None:
                return found
        if not is_compiling():
            self._table().check(head_index, rel_type, tail_index)
        return self.model(head_index, rel_type, tail_index)

    @property
    def doubt(self) -> Reader:
        r"""The function that returns the doubt about each triple without its
        score, for scores that come from elsewhere. It takes what
        :meth:`forward` takes and checks all ids, except where programs are
        compiled, exported, traced or transformed. With :obj:`native` it is the
        function in C++ itself, and the fastest way to ask.
        """
        if is_compiling():
            return self._table().read
        native = self._native()
        return self._table().read_checked if native is None else native.doubt

    def _native(self) -> NativeFunctions | None:
        # Others may have put their own table in place of the one that is read,
        # as torch.func.functional_call does.
        pair, entity = self._read_from
        buffers = self._buffers
        if (
            is_compiling()
            or buffers["pair"] is not pair
            or buffers["entity"] is not entity
        ):
            return None
        return self._found

    def _table(self) -> PairTable:
        return PairTable(
            self.pair,
            self.entity,
            self.width,
            self.tail_offset,
            self.model.num_nodes,
            self.model.rel_emb.num_embeddings,
        )

    def _functions(self) -> NativeFunctions | None:
        if self.native_table is None or not self.pair.is_cpu:
            return None
        if self.native_table.cells.is_meta:
            return None  # A file was loaded without what it holds.
        return native_functions(self.native_table, self._table())

    def _apply(
        self, fn: Callable[..., Any], recurse: bool = True
    ) -> "ServedModel":
        super()._apply(fn, recurse)
        self._renew()  # The model may have moved.
        return self

    def _renew(self) -> None:
        self._read_from = self.pair, self.entity
        try:
            self._found = self._functions()
        except MissingDependencyError as error:
            # It was made where there was a compiler, and serves without one.
            self._found = None
            warnings.warn(f"doubts are read by PyTorch: {error}", stacklevel=4)

    def __getstate__(self) -> dict[str, Any]:
        # A function cannot be saved.
        return {**self.__dict__, "_found": None, "_read_from": (None, None)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._renew()

    def __repr__(self) -> str:
        native = ", native=True" if self.native_table is not None else ""
        return f"{self.__class__.__name__}({self.model}{native})"
