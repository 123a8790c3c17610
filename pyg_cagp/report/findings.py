r"""All that a report shows, as one document that pages are made from."""

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data
from tqdm import tqdm

from pyg_cagp import evaluate, theory
from pyg_cagp._utils.files import check_target, write_atomically
from pyg_cagp.coverage import Coverage
from pyg_cagp.evaluate.record import plain
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.inference.evaluation import graph_of
from pyg_cagp.report.detection import all_detection
from pyg_cagp.report.mistakes import mistakes
from pyg_cagp.report.thinning import rounded, thinned
from pyg_cagp.train import load_run
from pyg_cagp.transforms import TemporalLikeOOD
from pyg_cagp.uncertainty import SemanticUncertainty

SCHEMA = 1

#: The file of the document in the folder of a run.
FILE = "report.json"

#: How many entities the picture of variances shows.
MAX_ENTITIES = 3000


def gather(
    run_folder: str | Path,
    root: str | Path | None = None,
    dataset: str | Path | None = None,
    device: torch.device | str = "cpu",
    seed: int = 0,
    progress: bool = False,
) -> dict[str, Any]:
    r"""Judges a run in every way its graph allows, and writes what was found
    to :obj:`report.json`, and each evaluation's record to
    :obj:`evaluate-PROTOCOL.json`, in its folder.

    Args:
        run_folder (str or pathlib.Path): The folder of the run.
        root (str or pathlib.Path, optional): The folder that holds datasets.
            (default: :obj:`None`)
        dataset (str or pathlib.Path, optional): Where the graph is now, if not
            where it was when the run was trained. (default: :obj:`None`)
        device (torch.device or str, optional): Where to compute.
            (default: :obj:`"cpu"`)
        seed (int, optional): The seed of whatever is random.
            (default: :obj:`0`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar
            where there is a terminal. (default: :obj:`False`)
    """
    folder = Path(run_folder)
    run = load_run(folder, device=device)
    check_target(folder / FILE)
    kg = graph_of(run.record, root, dataset)
    if not bool(kg.test_mask.any()):
        raise InvalidInputError(
            f"the graph of '{folder}' has no test triples to report on"
        )
    disable = None if progress else True
    with tqdm(total=4, desc="judging", disable=disable) as bar:
        ranking = evaluate.ranking(run.model, kg)
        bar.update()
        detected, missing, records = all_detection(run.model, kg, seed)
        bar.update()
        wrong = None
        try:
            wrong, record = mistakes(run.model, kg, seed)
            records.append(record)
        except InvalidInputError as error:
            missing["error-ranking"] = str(error)
        bar.update()
        variance = SemanticUncertainty(run.model).entity().cpu()
        found = {
            "schema": SCHEMA,
            "run": run.record,
            "seed": seed,
            "ranking": {
                key: ranking[key]
                for key in ("mrr", "hits@1", "hits@3", "hits@10", "by_side")
            },
            "detection": detected,
            "errors": wrong,
            "missing": missing,
            "variance": _points(variance, kg, seed),
            "assumptions": theory.assumptions(
                TemporalLikeOOD.preset("stated")(kg), variance
            ),
        }
        bar.update()
    for record in (ranking, *records):
        record.save(folder / f"evaluate-{record.protocol}.json")
    found = plain(found)
    text = json.dumps(found, allow_nan=False, ensure_ascii=False)
    write_atomically(folder / FILE, text.encode())
    return found


def _points(variance: Tensor, kg: Data, seed: int) -> dict[str, list[float]]:
    frequency = Coverage.from_data(kg).frequency()
    chosen = thinned(torch.zeros_like(frequency), MAX_ENTITIES, seed)
    return {
        "frequency": frequency[chosen].tolist(),
        "variance": rounded(variance[chosen]),
    }
