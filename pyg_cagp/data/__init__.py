r"""The one graph form, indices of its triples, and readers of files."""

from pyg_cagp.data.answer_index import AnswerIndex
from pyg_cagp.data.as_kg import as_kg
from pyg_cagp.data.digest import describe_graph, kg_digest
from pyg_cagp.data.folder import read_folder
from pyg_cagp.data.kg import check_kg, join_splits, triples
from pyg_cagp.data.reader import Malformed, read_chunks, read_table
from pyg_cagp.data.table import TripleTable
from pyg_cagp.data.triple_index import TripleIndex

classes = ["AnswerIndex", "Malformed", "TripleIndex", "TripleTable"]
functions = [
    "as_kg",
    "check_kg",
    "describe_graph",
    "join_splits",
    "kg_digest",
    "read_chunks",
    "read_folder",
    "read_table",
    "triples",
]

__all__ = classes + functions
