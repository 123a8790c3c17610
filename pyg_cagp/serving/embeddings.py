r"""Models whose scores follow from their embeddings alone."""

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

#: What a model is asked for when it scores, and may have of its own.
ASKED_FOR = frozenset(
    (
        "forward",
        "interaction",
        "embed",
        "embed_rel",
        "map_head",
        "map_tail",
        "transpose",
    )
)


class PlainEmbeddings(NamedTuple):
    r"""Embeddings of entities and relations, and whether they are complex: real
    parts in front, imaginary ones behind.
    """

    node: Tensor
    rel: Tensor
    is_complex: bool


def plain_embeddings(model: KGEModel) -> PlainEmbeddings | None:
    r"""Returns what a model scores from, or :obj:`None` if more happens when it
    scores than that its embeddings are multiplied: in training, numbers may be
    dropped, hooks may look on, and functions may have been replaced.

    Args:
        model (torch_geometric.nn.kge.KGEModel): The model.
    """
    is_complex = IS_COMPLEX.get(type(model))
    if (
        is_complex is None
        or model.training
        or every._global_forward_hooks
        or every._global_forward_pre_hooks
        or not _is_untouched(model)
    ):
        return None
    node = _plain_weight(model._modules.get("node_emb"))
    rel = _plain_weight(model._modules.get("rel_emb"))
    if node is None or rel is None:
        return None
    return PlainEmbeddings(node, rel, is_complex)


def _plain_weight(embedding: Module | None) -> Tensor | None:
    # A weight that is made of others gives its module another class.
    if (
        type(embedding) is not Embedding
        or embedding.max_norm is not None
        or not _is_untouched(embedding)
    ):
        return None
    return embedding._parameters.get("weight")


def _is_untouched(module: Module) -> bool:
    return not (
        module._forward_hooks or module._forward_pre_hooks
    ) and ASKED_FOR.isdisjoint(module.__dict__)
