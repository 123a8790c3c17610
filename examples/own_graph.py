r"""Your own graph: from a folder of text to scores of new triples.

    python examples/own_graph.py
    python examples/own_graph.py --out mine

Names may have accents, blanks, quotes and any script. The graph has no file of
validation triples, so some are taken out of train, with a warning. Scoring
needs only the folder of the run.
"""

import argparse
import random
import tempfile
from pathlib import Path

from pyg_cagp.datasets import load
from pyg_cagp.inference import KINDS, Predictor, prepare, score_file
from pyg_cagp.train import Config, train_run

CITIES = ["Zürich", "São Paulo", "東京", "Saint John's", 'Washington "D.C."']
FIRMS = ["Müller & Söhne", "O'Hara, Inc.", "50 % off", "🦜 Ltd.", "a\\b"]
FIRMS += [f"firm no. {number}" for number in range(10)]
PEOPLE = ["Zoë", "null", "Дарья", "Nguyễn Thị Hoa"]
PEOPLE += [f"person no. {number}" for number in range(56)]
SEAT, WORKS, LIVES, KNOWS = (
    "has its seat in",
    'works "for"',
    "wohnt in",
    "知る",
)


def draw_world(seed: int = 0) -> list[tuple[str, str, str]]:
    r"""Returns triples: people know colleagues and mostly live near work."""
    rng = random.Random(seed)
    seat = {firm: rng.choice(CITIES) for firm in FIRMS}
    firm_of = {person: rng.choice(FIRMS) for person in PEOPLE}
    triples = [(firm, SEAT, city) for firm, city in seat.items()]
    for person, firm in firm_of.items():
        home = seat[firm] if rng.random() < 0.8 else rng.choice(CITIES)
        triples += [(person, WORKS, firm), (person, LIVES, home)]
        colleagues = [p for p in PEOPLE if firm_of[p] == firm and p != person]
        friends = rng.sample(colleagues, min(2, len(colleagues)))
        triples += [(person, KNOWS, friend) for friend in friends]
    rng.shuffle(triples)
    return list(dict.fromkeys(triples))


def write(path: Path, triples: list[tuple[str, str, str]]) -> Path:
    lines = ["\t".join(triple) for triple in triples]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def show(folder: Path, epochs: int) -> None:
    graph, run = folder / "my graph", folder / "run"
    graph.mkdir(parents=True)
    triples = draw_world()
    later, test, train = triples[:30], triples[30:60], triples[60:]
    write(graph / "train.tsv", train)
    write(graph / "test.tsv", test)

    kg = load(graph)
    config = Config.find("synthetic", "gaussian-transe").override(
        {
            "train.epochs": epochs,
            "train.batch_size": 64,
            "model.kl_weight": 0.1,
        }
    )
    model = train_run(kg, config, out=run, dataset=str(graph)).model
    prepare(run, kg, model)

    # Only the folder of the run is needed now.
    predictor = Predictor.load(run)
    new = [*later, ("Zoë", LIVES, "Atlantis"), ("Zürich", WORKS, "東京")]
    summary = score_file(
        predictor, write(folder / "new.tsv", new), folder / "scored.csv"
    )
    kinds = ", ".join(f"{summary.kinds[kind]} {kind}" for kind in KINDS)
    print(f"of {summary.rows} new triples: {kinds}")
    print(f"abstentions: {summary.abstain}")

    person = next(h for h, r, _ in test if r == LIVES)
    prediction = predictor.predict(head=person, relation=LIVES, k=3)
    print(f"where does {person} live?")
    for answer in prediction.answers:
        p_ood = "-" if answer.p_ood is None else f"{answer.p_ood:.2f}"
        decision = "abstain" if answer.abstain else "accept"
        print(
            f"  {answer.name}: probability {answer.probability:.2f}, p_ood "
            f"{p_ood}, {decision}"
        )

    columns = tuple(zip(*later, strict=True))
    before = predictor.score(*columns).structural.mean()
    done = predictor.update(columns)
    after = predictor.score(*columns).structural.mean()
    print(
        f"{done.added} of them are added: structural uncertainty "
        f"{float(before):.2f} before the update, {float(after):.2f} after"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--out", type=Path, help="a new folder for all files")
    args = parser.parse_args()
    if args.out is not None:
        show(args.out, args.epochs)
        return
    with tempfile.TemporaryDirectory() as folder:
        show(Path(folder), args.epochs)


if __name__ == "__main__":
    main()
