"""Pages made of records that a test has written."""

import json

import pytest

from benchmark.paper import TABLES, Records, Store
from benchmark.paper.store import SCHEMA


def detected(**areas):
    return {
        "methods": {
            name.replace("_", " "): {"overall": {"auroc": area}}
            for name, area in areas.items()
        }
    }


@pytest.fixture
def claims(tmp_path):
    """Makes the page of some records, by claim."""

    def make(results):
        store = Store(tmp_path)
        for name, result in results.items():
            path = store.path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            record = {"schema": SCHEMA, "key": "", "result": result}
            path.write_text(json.dumps(record))
        table = TABLES["verdicts"][0](Records(store))
        return {row.title: row for row in table.rows}

    return make
