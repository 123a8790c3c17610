r"""Models whose scores can be told from their embeddings alone."""

from typing import NamedTuple

from torch import Tensor
from torch.nn import Embedding, Module
from torch.nn.modules import module as every
from torch_geometric.nn.kge import DistMult, KGEModel

from pyg_cagp.nn.kge import GaussianComplEx, GaussianDistMult

#: Whether a model's embeddings are complex numbers. A class that is made of one
#: of these may score in another way, and is not among them.
IS_COMPLEX: dict[type, bool] = {
    DistMult: False,
    GaussianDistMult: False,
    GaussianComplEx: True,
}


class Embeddings(NamedTuple):
    r"""The embeddings of a model, and where they were found.

    Args:
        model (torch_geometric.nn.kge.KGEModel): The model.
        node_emb (torch.nn.Embedding): Where those of entities are.
        rel_emb (torch.nn.Embedding): Where those of relations are.
        node (torch.Tensor): The embeddings of entities.
        rel (torch.Tensor): The embeddings of relations.
        is_complex (bool): Whether real parts stand in front of imaginary ones.
    """

    model: KGEModel
    node_emb: Embedding
    rel_emb: Embedding
    node: Tensor
    rel: Tensor
    is_complex: bool

    def are_all_there_is(self) -> bool:
        r"""Tells whether the model's scores still follow from these embeddings,
        and nobody else is called when it computes them.

        Weights may be replaced, as :func:`torch.func.functional_call` does, or
        be made of others; hooks may look on; in training, numbers may be
        dropped.
        """
        model = self.model
        modules = model._modules
        return (
            not model.training
            and modules["node_emb"] is self.node_emb
            and modules["rel_emb"] is self.rel_emb
            and _is_as_found(self.node_emb, self.node)
            and _is_as_found(self.rel_emb, self.rel)
            and "forward" not in model.__dict__
            and not _has_hooks(model)
            and not every._global_forward_hooks
            and not every._global_forward_pre_hooks
        )


def embeddings_of(model: KGEModel) -> Embeddings | None:
    r"""Returns the embeddings of a model, or :obj:`None` if scores do not
    follow from them in a way that is known.

    Args:
        model (torch_geometric.nn.kge.KGEModel): The model.
    """
    is_complex = IS_COMPLEX.get(type(model))
    if is_complex is None:
        return None
    node, rel = (
        part._parameters.get("weight")
        for part in (model.node_emb, model.rel_emb)
    )
    if node is None or rel is None:
        return None
    return Embeddings(
        model, model.node_emb, model.rel_emb, node, rel, is_complex
    )


def _is_as_found(embedding: Module, weight: Tensor) -> bool:
    return (
        embedding._parameters.get("weight") is weight
        # A weight that is made of others gives its module another class.
        and type(embedding) is Embedding
        and embedding.max_norm is None
        and "forward" not in embedding.__dict__
        and not _has_hooks(embedding)
    )


def _has_hooks(module: Module) -> bool:
    return bool(module._forward_hooks or module._forward_pre_hooks)
