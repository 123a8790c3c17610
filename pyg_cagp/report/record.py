r"""The record of a report: all its figures as one JSON document."""

import json
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from pyg_cagp import evaluate, theory
from pyg_cagp._utils.files import check_target, write_atomically
from pyg_cagp.data import triples
from pyg_cagp.evaluate.record import plain
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.inference.evaluation import graph_of
from pyg_cagp.protocols import TemporalLike
from pyg_cagp.report.detection import all_detection
from pyg_cagp.report.errors import errors
from pyg_cagp.report.points import rounded, sample_points
from pyg_cagp.train import load_run
from pyg_cagp.uncertainty import SemanticUncertainty

SCHEMA = 1

#: The file of the record in the folder of a run.
FILE = "report.json"

#: The largest number of entities in the figure of variances.
MAX_ENTITIES = 3000

#: The metrics of ranking in the record.
RANKING = ("mrr", "hits@1", "hits@3", "hits@10", "by_side")


def gather(
    run_folder: str | Path,
    *,
    root: str | Path | None = None,
    dataset: str | Path | None = None,
    device: torch.device | str = "cpu",
    seed: int = 0,
    progress: bool = False,
) -> dict[str, Any]:
    r"""Evaluates a run by every protocol that applies to its graph. Writes the
    figures to :obj:`report.json`, and each result to
    :obj:`evaluate-PROTOCOL.json`, in its folder.

    Args:
        run_folder (str or pathlib.Path): The folder of the run.
        root (str or pathlib.Path, optional): The folder of all datasets.
            (default: :obj:`None`)
        dataset (str or pathlib.Path, optional): The graph, if it is no longer
            in the place of training. (default: :obj:`None`)
        device (torch.device or str, optional): The device.
            (default: :obj:`"cpu"`)
        seed (int, optional): The seed of all random draws. (default: :obj:`0`)
        progress (bool, optional): Shows a progress bar. (default: :obj:`False`)
    """
    folder = Path(run_folder)
    run = load_run(folder, device=device)
    check_target(folder / FILE)
    graph = graph_of(run.record, root=root, dataset=dataset)
    if not bool(graph.kg.test_mask.any()):
        raise InvalidInputError(
            f"the graph of '{folder}' has no test triples to report on"
        )
    disable = None if progress else True
    with tqdm(total=4, desc="evaluating", disable=disable) as bar:
        ranking = evaluate.ranking(run.model, graph)
        bar.update()
        detected, missing, results = all_detection(run.model, graph, seed)
        bar.update()
        wrong_answers = None
        try:
            wrong_answers, result = errors(run.model, graph, seed)
            results.append(result)
        except InvalidInputError as error:
            missing["error-ranking"] = str(error)
        bar.update()
        variance = SemanticUncertainty(run.model).entity().cpu()
        frequency = graph.coverage.frequency()
        drawn = sample_points(torch.zeros_like(frequency), MAX_ENTITIES, seed)
        record = {
            "schema": SCHEMA,
            "run": run.record,
            "seed": seed,
            "ranking": {key: ranking[key] for key in RANKING},
            "detection": detected,
            "errors": wrong_answers,
            "missing": missing,
            "variance": {
                "frequency": frequency[drawn].tolist(),
                "variance": rounded(variance[drawn]),
            },
            "assumptions": theory.assumptions(
                graph.label(TemporalLike(), "test"),
                variance,
                train=triples(graph.kg, "train"),
            ),
        }
        bar.update()
    for result in (ranking, *results):
        result.save(folder / f"evaluate-{result.protocol}.json")
    record = plain(record)
    text = json.dumps(record, allow_nan=False, ensure_ascii=False)
    write_atomically(folder / FILE, text.encode())
    return record
