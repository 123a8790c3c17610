"""The event files, read back by TensorBoard."""

import shutil

from tensorboard.backend.event_processing.event_accumulator import (
    EventAccumulator,
)

from pyg_cagp.report import write_tensorboard


def read(folder):
    events = EventAccumulator(str(folder), size_guidance={"images": 0})
    events.Reload()
    return events


def text_of(events, name):
    (tensor,) = events.Tensors(f"{name}/text_summary")
    return tensor.tensor_proto.string_val[0].decode()


def test_events_hold_config_results_curves_and_pictures(reported):
    folder, record = reported
    events = read(folder / "report")
    tags = events.Tags()
    pictures = {path.stem for path in (folder / "report").glob("*.png")}
    assert set(tags["images"]) == {f"report/{name}" for name in pictures}
    assert {"decomposition", "risk-coverage", "variance"} <= pictures
    for protocol, part in record["detection"].items():
        table = text_of(events, f"detection/{protocol}")
        for method, rows in part["methods"].items():
            assert f"{rows['overall']['auroc']:.4f}" in table
            assert f"{protocol}/{method}" in tags["tensors"]
    text = text_of(events, "config")
    assert record["run"]["config"]["model"]["name"] in text
    assert "num_train" in text


def test_a_second_report_replaces_the_first(own_run, reported):
    for path in reported[0].glob("evaluate-*"):
        shutil.copy(path, own_run)
    for _ in range(2):
        write_tensorboard(own_run, reported[1])
    assert len(list((own_run / "report").glob("events.out.*"))) == 1
