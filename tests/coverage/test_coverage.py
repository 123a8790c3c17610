"""Coverage against values counted by hand."""

import numpy as np
import pytest
import torch

from pyg_cagp import Coverage
from pyg_cagp.exceptions import InvalidInputError
from tests.loops import for_each

# (h, r, t); the last one is a self-loop.
TRIPLES = [(0, 0, 1), (0, 0, 2), (1, 0, 2), (0, 1, 3), (2, 1, 2)]
HEAD = {(0, 0): 2, (1, 0): 1, (0, 1): 1, (2, 1): 1}
TAIL = {(1, 0): 1, (2, 0): 2, (3, 1): 1, (2, 1): 1}


@pytest.fixture
def edges():
    table = torch.tensor(TRIPLES)
    return table[:, [0, 2]].t(), table[:, 1]


@pytest.fixture
def cov(edges):
    return Coverage.from_edges(*edges, num_nodes=5, num_relations=3)


@pytest.fixture
def all_pairs():
    return torch.cartesian_prod(torch.arange(5), torch.arange(3)).t()


@for_each("role", ["any", "head", "tail"])
def test_counts_by_role(cov, all_pairs, role):
    expected = [
        (HEAD.get((e, r), 0) if role != "tail" else 0)
        + (TAIL.get((e, r), 0) if role != "head" else 0)
        for e, r in all_pairs.t().tolist()
    ]
    assert cov.count(*all_pairs, role=role).tolist() == expected
    assert cov.contains(*all_pairs, role=role).tolist() == [
        n > 0 for n in expected
    ]


def test_sizes(cov):
    assert cov.nnz == len(HEAD.keys() | TAIL.keys()) == 6
    assert (cov.num_nodes, cov.num_relations) == (5, 3)
    assert repr(cov) == "Coverage(5, num_relations=3, nnz=6)"


def test_self_loops_count_twice_in_frequency(cov):
    assert cov.frequency().tolist() == [3, 2, 4, 1, 0]
    assert cov.frequency("head").tolist() == [3, 1, 1, 0, 0]
    assert cov.frequency("tail").tolist() == [0, 1, 3, 1, 0]


def test_missing_by_hand(cov):
    head = torch.tensor([0, 1, 4, 4])
    rel = torch.tensor([0, 1, 0, 2])
    tail = torch.tensor([1, 3, 1, 4])
    assert cov.missing(head, rel, tail).tolist() == [0, 1, 1, 2]


def test_results_have_the_shape_of_queries(cov):
    entity, relation = (
        torch.zeros(2, 3, dtype=torch.long),
        torch.ones(2, 3, dtype=torch.long),
    )
    assert cov.contains(entity, relation).shape == (2, 3)
    assert cov.count(entity, relation).shape == (2, 3)
    scalar = torch.tensor(0)
    assert cov.contains(scalar, scalar).item() is True
    assert cov.count(scalar, scalar).item() == 2


def test_tensors_have_the_smallest_types():
    edge_index = torch.zeros(2, 300, dtype=torch.long)
    edge_index[1] = 1
    cov = Coverage.from_edges(
        edge_index, torch.full((300,), 299), 2, num_relations=300
    )
    assert cov.rowptr.dtype == torch.uint8
    assert cov.col.dtype == torch.int16  # 299 does not fit in a byte.
    assert cov.head_count.dtype == torch.int16  # Neither does 300.
    assert cov.count(torch.tensor([0]), torch.tensor([299])).item() == 300


def test_edges_may_be_int32_and_strided(cov, edges):
    edge_index, edge_type = edges
    same = Coverage.from_edges(edge_index.int(), edge_type.int(), 5, 3)
    assert same.equal(cov)
    strided = edge_index.repeat_interleave(2, dim=1)[:, ::2]
    assert Coverage.from_edges(strided, edge_type, 5, 3).equal(cov)


def test_sizes_may_be_numpy_integers(edges, cov):
    same = Coverage.from_edges(*edges, np.int64(5), np.int32(3))
    assert same.equal(cov)
    assert type(same.num_relations) is int


def test_graph_without_edges():
    cov = Coverage.from_edges(
        torch.empty(2, 0, dtype=torch.long),
        torch.empty(0, dtype=torch.long),
        3,
        2,
    )
    assert cov.nnz == 0
    one = torch.tensor([1])
    assert not cov.contains(one, one).any()
    assert cov.count(one, one).item() == 0
    assert cov.frequency().tolist() == [0, 0, 0]
    assert cov.values("tfidf").numel() == 0
    assert cov.weight(one, one, "log").item() == 0
    cov.update(torch.tensor([[0], [1]]), torch.tensor([1]))
    assert cov.contains(one, one).item() is True


def test_from_data_reads_train_only(toy, cov):
    assert Coverage.from_data(toy).equal(cov)


def test_entities_by_relation(cov):
    start, entity = cov.entities_by_relation("tail")
    assert start.tolist() == [0, 2, 4, 4]
    assert entity.tolist() == [1, 2, 2, 3]
    start, entity = cov.entities_by_relation()
    assert start.tolist() == [0, 3, 6, 6]
    assert entity.tolist() == [0, 1, 2, 0, 2, 3]


def test_keys_beyond_32_bits():
    num_nodes, num_relations = 3_000_000, 2_000
    edge_index = torch.tensor([[2_999_999, 0], [5, 2_999_999]])
    edge_type = torch.tensor([1_999, 0])
    cov = Coverage.from_edges(edge_index, edge_type, num_nodes, num_relations)
    assert cov.contains(
        torch.tensor([2_999_999, 2_999_999, 2_999_999, 5]),
        torch.tensor([1_999, 0, 1, 1_999]),
    ).tolist() == [True, True, False, True]
    # Such a sparse graph gets no bitmap: rows are searched.
    assert cov._presence() is None


def test_keys_around_32_bits():
    # 2 x 50,000 x 30,000 keys with a role bit need more than 31 bits.
    num_nodes, num_relations = 50_000, 30_000
    edge_index = torch.tensor([[49_999, 0], [0, 49_999]])
    edge_type = torch.tensor([29_999, 29_999])
    cov = Coverage.from_edges(edge_index, edge_type, num_nodes, num_relations)
    pair = torch.tensor([49_999, 0]), torch.tensor([29_999, 29_999])
    assert cov.count(*pair, role="head").tolist() == [1, 1]
    assert cov.count(*pair, role="tail").tolist() == [1, 1]
    assert cov.nnz == 2


def test_update_with_larger_sizes(cov, edges):
    edge_index, edge_type = edges
    more_index, more_type = torch.tensor([[7], [0]]), torch.tensor([4])
    cov.update(more_index, more_type, num_nodes=8, num_relations=5)
    expected = Coverage.from_edges(
        torch.cat([edge_index, more_index], 1),
        torch.cat([edge_type, more_type]),
        8,
        5,
    )
    assert cov.equal(expected)
    assert cov.contains(torch.tensor([7]), torch.tensor([4])).item() is True


def test_update_clears_cached_values(cov):
    pair = torch.tensor([4]), torch.tensor([2])
    assert not cov.contains(*pair).item()
    assert cov.weight(*pair).item() == 0
    cov.update(torch.tensor([[4], [4]]), torch.tensor([2]))
    assert cov.contains(*pair).item()
    assert cov.weight(*pair).item() == 1


def test_clone_and_to_are_independent(cov):
    copy = cov.clone().to("cpu")
    copy.update(torch.tensor([[4], [4]]), torch.tensor([2]))
    assert not copy.equal(cov)
    assert cov.nnz == 6


LONG = torch.long


@for_each(
    ("edge_index", "edge_type", "message"),
    [
        (
            [[0, 5], [1, 1]],
            [0, 0],
            r"'edge_index' must lie in \[0, 5\) \(got 5",
        ),
        ([[0, -1], [1, 1]], [0, 0], r"\(got -1 at position 1\)"),
        ([[0, 1], [1, 1]], [0, 3], r"'edge_type' must lie in \[0, 3\) \(got 3"),
        ([[0, 1]], [0, 0], r"shape \[2, num_edges\] \(got \[1, 2\]\)"),
        ([0, 1], [0, 0], r"'edge_index' must have 2 dimension"),
        ([[0, 1], [1, 1]], [0], "list the same edges \\(got 2 and 1"),
        ([[0.0, 1.0], [1.0, 1.0]], [0, 0], r"integer ids \(got torch.float32"),
        ([[True], [False]], [0], r"integer ids \(got torch.bool"),
    ],
)
def test_bad_edges_raise(edge_index, edge_type, message, cov):
    edge_index, edge_type = torch.tensor(edge_index), torch.tensor(edge_type)
    with pytest.raises(InvalidInputError, match=message):
        Coverage.from_edges(edge_index, edge_type, 5, 3)
    before = cov.clone()
    with pytest.raises(ValueError, match=message):
        cov.update(edge_index, edge_type)
    assert cov.equal(before)


@for_each(
    ("entity", "relation", "message"),
    [
        ([5], [0], r"'entity' must lie in \[0, 5\) \(got 5 at position 0\)"),
        ([-1], [0], r"'entity' must lie .* \(got -1"),
        ([0], [3], r"'relation' must lie in \[0, 3\)"),
        ([0, 1], [0], r"same shape \(got \[2\] and \[1\]\)"),
        ([0.5], [0], "integer ids"),
    ],
)
def test_bad_queries_raise(cov, entity, relation, message):
    entity, relation = torch.tensor(entity), torch.tensor(relation)
    for look_up in (cov.contains, cov.count, cov.weight):
        with pytest.raises(InvalidInputError, match=message):
            look_up(entity, relation)


def test_other_bad_input_raises(cov):
    zero = torch.tensor([0])
    with pytest.raises(InvalidInputError, match="'role'"):
        cov.count(zero, zero, role="middle")
    with pytest.raises(InvalidInputError, match="'view'"):
        cov.weight(zero, zero, view="bm25")
    with pytest.raises(InvalidInputError, match=r"must be a torch\.Tensor"):
        cov.contains([0], zero)
    with pytest.raises(InvalidInputError, match=r"must be a torch\.Tensor"):
        Coverage.from_edges([[0], [1]], zero, 2, 1)
    with pytest.raises(InvalidInputError, match="non-negative integer"):
        Coverage.from_edges(torch.zeros(2, 1).long(), zero, -2, 1)
    with pytest.raises(InvalidInputError, match="'num_nodes'"):
        cov.update(torch.tensor([[0], [1]]), zero, num_nodes=4)
    with pytest.raises(InvalidInputError, match=r"below 2\^62"):
        Coverage.from_edges(
            torch.zeros(2, 1).long(), zero, 2**40, num_relations=2**30
        )
    with pytest.raises(InvalidInputError, match="'rowptr' must end at"):
        Coverage(zero, zero, zero, zero, 1)
    with pytest.raises(InvalidInputError, match="must hold integers"):
        Coverage(zero, zero[:0].float(), zero[:0], zero[:0], 1)
    falling = torch.tensor([0, 1, 0, 1])
    with pytest.raises(InvalidInputError, match="'rowptr'"):
        Coverage(falling, zero, zero, zero, 1)
    with pytest.raises(InvalidInputError, match="'rowptr' must have shape"):
        Coverage(torch.zeros(1, 1).long(), zero, zero, zero, 1)
