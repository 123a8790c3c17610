"""What TensorBoard would show, read back from the event files."""

import shutil

from tensorboard.backend.event_processing.event_accumulator import (
    EventAccumulator,
)

from pyg_cagp.report import write_board


def read(folder):
    events = EventAccumulator(str(folder), size_guidance={"images": 0})
    events.Reload()
    return events


def card(events, name):
    (found,) = events.Tensors(f"{name}/text_summary")
    return found.tensor_proto.string_val[0].decode()


def test_board_has_the_card_the_curves_and_the_pictures(reported):
    folder, found = reported
    events = read(folder / "report")
    tags = events.Tags()
    pictures = {path.stem for path in (folder / "report").glob("*.png")}
    assert set(tags["images"]) == {f"report/{name}" for name in pictures}
    assert {"decomposition", "risk-coverage", "variance"} <= pictures
    lines = card(events, "detection").splitlines()
    areas = {line.split(" | ")[0].strip("| "): line for line in lines}
    for protocol, part in found["detection"].items():
        for method, rows in part["methods"].items():
            assert f"{rows['overall']['auroc']:.4f}" in areas[protocol]
            assert f"{protocol}/{method}" in tags["tensors"]
    text = card(events, "config")
    assert found["run"]["config"]["model"]["name"] in text
    assert "num_train" in text


def test_a_second_report_takes_the_place_of_the_first(own_run, reported):
    for path in reported[0].glob("evaluate-*"):
        shutil.copy(path, own_run)
    for _ in range(2):
        write_board(own_run, reported[1])
    assert len(list((own_run / "report").glob("events.out.*"))) == 1
