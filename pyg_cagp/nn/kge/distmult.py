r"""DistMult with Gaussian entities."""

from torch import Tensor

from pyg_cagp.nn.kge.bilinear import BilinearKGEModel


class GaussianDistMult(BilinearKGEModel):
    r"""The DistMult model from the `"Embedding Entities and Relations for
    Learning and Inference in Knowledge Bases"
    <https://arxiv.org/abs/1412.6575>`_ paper, with Gaussian entities.

    .. math::
        d(h, r, t) = \langle \mathbf{e}_h, \mathbf{e}_r, \mathbf{e}_t \rangle

    Args:
        num_nodes (int): The number of nodes/entities in the graph.
        num_relations (int): The number of relations in the graph.
        hidden_channels (int): The hidden embedding size.
        **kwargs (optional): Additional arguments of
            :class:`~pyg_cagp.nn.kge.GaussianKGEModel`.

    Example:
        >>> model = GaussianDistMult(10, 2, hidden_channels=4)
        >>> model
        GaussianDistMult(10, num_relations=2, hidden_channels=4)
        >>> model.score_tails(torch.tensor([0]), torch.tensor([1])).shape
        torch.Size([1, 10])

    .. note::
        For an example of using this model, see ``examples/kge_fb15k_237.py``.
    """

    symmetric = True

    def map_tail(self, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Returns :math:`\mathbf{e}_r \circ \mathbf{e}_t`."""
        return rel * tail

    def transpose(self, rel: Tensor) -> Tensor:
        r"""Returns :obj:`rel`, as :math:`\textrm{diag}(\mathbf{e}_r)` is
        symmetric.
        """
        return rel

    def map_squared(self, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Returns :math:`\mathbf{e}_r^2 \circ \mathbf{e}_t`."""
        return rel.square() * tail

    def map_crossed(self, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Returns :meth:`map_squared`, as
        :math:`\textrm{diag}(\mathbf{e}_r)` is symmetric.
        """
        return self.map_squared(rel, tail)

    def map_moment(self, rel: Tensor, mass: Tensor, tails: Tensor) -> Tensor:
        r"""Returns :math:`\sum_k w_{bk} (\mathbf{e}_{r_b} \circ
        \mathbf{e}_k)^2`.
        """
        return rel.square() * (mass @ tails.square())
