r"""An index of the known answers of queries."""

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_choice, check_size, check_triples
from pyg_cagp.data.kg import triples
from pyg_cagp.typing import Side, Split


class AnswerIndex:
    r"""The known answers of :math:`(h, r, ?)` and of :math:`(?, r, t)`.

    For each side, triples are sorted by query. A batch of queries takes
    two binary searches.

    Args:
        head_index (torch.Tensor): The head indices.
        rel_type (torch.Tensor): The relation types.
        tail_index (torch.Tensor): The tail indices.
        num_nodes (int): The number of entities.
        num_relations (int): The number of relations.

    Example:
        >>> h, r, t = torch.tensor([[0, 0, 1], [0, 0, 0], [1, 2, 2]])
        >>> known = AnswerIndex(h, r, t, num_nodes=3, num_relations=1)
        >>> known.find("tail", torch.tensor([1, 0]), torch.tensor([0, 0]))
        (tensor([0, 1, 1]), tensor([2, 1, 2]))
    """

    def __init__(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        num_nodes: int,
        num_relations: int,
    ) -> None:
        self.num_nodes = check_size("num_nodes", num_nodes)
        self.num_relations = check_size("num_relations", num_relations)
        head, rel, tail = check_triples(
            head_index, rel_type, tail_index, num_nodes, num_relations
        )
        self._sides = {
            "tail": self._sort(head, rel, tail),
            "head": self._sort(tail, rel, head),
        }

    def _sort(
        self, entity: Tensor, rel: Tensor, answer: Tensor
    ) -> tuple[Tensor, Tensor]:
        # Sorted by answer, then stably by query: equal triples are adjacent,
        # and no key has to hold all three ids.
        order = answer.argsort(stable=True)
        key = (entity * self.num_relations + rel)[order]
        key, by_key = key.sort(stable=True)
        answer = answer[order][by_key]
        is_first = torch.ones_like(key, dtype=torch.bool)
        is_first[1:] = (key[1:] != key[:-1]) | (answer[1:] != answer[:-1])
        return key[is_first], answer[is_first]

    @classmethod
    def from_data(cls, data: Data, split: Split | None = None) -> "AnswerIndex":
        r"""Collects the triples of a graph.

        Args:
            data (Data): The graph.
            split (str, optional): The split; :obj:`None` for all triples.
                (default: :obj:`None`)
        """
        sizes = data.num_nodes, data.num_relations
        return cls(*triples(data, split), *sizes)

    def find(
        self, side: Side, entity: Tensor, rel_type: Tensor
    ) -> tuple[Tensor, Tensor]:
        r"""Lists the known answers of queries.

        Args:
            side (str): The side to answer, :obj:`"tail"` or :obj:`"head"`.
            entity (torch.Tensor): The entities of the other side.
            rel_type (torch.Tensor): The relation types.

        Returns:
            For each answer, the number of its query, and the answer.
        """
        answers, first, count = self.ranges(side, entity, rel_type)
        row, position = expand_ranges(first, count)
        return row, answers[position]

    def ranges(
        self, side: Side, entity: Tensor, rel_type: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        r"""Returns all answers of one side, and for each query the position of
        its first answer and the number of its answers. There is no host
        synchronisation.

        Args:
            side (str): The side to answer, :obj:`"tail"` or :obj:`"head"`.
            entity (torch.Tensor): The entities of the other side.
            rel_type (torch.Tensor): The relation types.
        """
        check_choice("side", side, Side)
        keys, answers = self._sides[side]
        query = entity * self.num_relations + rel_type
        first = torch.searchsorted(keys, query)
        count = torch.searchsorted(keys, query, right=True) - first
        return answers, first, count

    def queries(self, side: Side) -> tuple[Tensor, Tensor, Tensor]:
        r"""Lists the queries that have answers: their entities, their
        relations and their numbers of distinct answers.

        Args:
            side (str): The side to answer, :obj:`"tail"` or :obj:`"head"`.
        """
        check_choice("side", side, Side)
        keys = self._sides[side][0]
        query, count = keys.unique_consecutive(return_counts=True)
        num = max(1, self.num_relations)
        return query // num, query % num, count

    def to(self, device: torch.device | str) -> "AnswerIndex":
        r"""Moves the index to a device, in place."""
        self._sides = {
            side: (keys.to(device), answers.to(device))
            for side, (keys, answers) in self._sides.items()
        }
        return self

    def __len__(self) -> int:
        return self._sides["tail"][0].numel()

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({len(self)} triples)"


def expand_ranges(
    first: Tensor, count: Tensor, total: int | None = None
) -> tuple[Tensor, Tensor]:
    r"""Lists the numbers of many ranges, one range after another.

    Returns:
        For each number, the index of its range, and the number.

    Example:
        >>> expand_ranges(torch.tensor([5, 0, 7]), torch.tensor([2, 0, 1]))
        (tensor([0, 0, 2]), tensor([5, 6, 7]))
    """
    owner = torch.repeat_interleave(count, output_size=total)
    # The first number of each range, minus its position in the list.
    shift = first - (count.cumsum(0) - count)
    position = torch.arange(owner.numel(), device=owner.device)
    return owner, position + shift[owner]
