"""A small graph with unusual names and without a validation file."""

import warnings
from pathlib import Path

import torch

from pyg_cagp.cli import main
from pyg_cagp.exceptions import CAGPWarning

ENTITIES = [
    "Zürich",
    "São Paulo",
    'the "big" one',
    "a, b",
    "東京",
    "O'Hara",
    "back\\slash",
    "50 %",
    "#hash",
    "NaN",
    "null",
    "🦜",
    *(f"entity {number}" for number in range(28)),
]
RELATIONS = ["lies in", 'is "next" to', "größer, als", "知る"]


def draw(num, seed=0):
    """Distinct triples of names; low numbers are drawn more often."""
    generator = torch.Generator().manual_seed(seed)

    def pick(size):
        share = torch.rand(20 * num, generator=generator)
        return (size * share**2).long()

    ids = torch.stack([pick(len(ENTITIES)), pick(4), pick(len(ENTITIES))], 1)
    distinct = dict.fromkeys(map(tuple, ids.tolist()))
    return [
        (ENTITIES[h], RELATIONS[r], ENTITIES[t]) for h, r, t in list(distinct)
    ][:num]


def to_tsv(triples):
    return "".join("\t".join(triple) + "\n" for triple in triples)


TRIPLES = draw(560)
TRAIN, TEST, LATER = TRIPLES[:440], TRIPLES[440:500], TRIPLES[500:]


def write_graph(folder):
    folder.mkdir()
    # Every entity occurs in a training triple.
    every = [(name, RELATIONS[0], ENTITIES[0]) for name in ENTITIES]
    train = list(dict.fromkeys(TRAIN + every))
    train = [triple for triple in train if triple not in set(TEST + LATER)]
    (folder / "train.tsv").write_text(to_tsv(train), encoding="utf-8")
    (folder / "test.tsv").write_text(to_tsv(TEST), encoding="utf-8")
    return folder


def train(folder: Path, out: Path) -> Path:
    """Trains a tiny model into a folder, as a user would."""
    args = ["train", folder, "--model", "gaussian-complex", "--out", out]
    args += ["--set", "train.epochs=2", "--set", "model.hidden_channels=8"]
    with warnings.catch_warnings():
        # The graph has no validation file.
        warnings.simplefilter("ignore", CAGPWarning)
        assert main([*map(str, args), "--json"]) == 0
    return out
