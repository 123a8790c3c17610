"""Records of results that are written by hand."""

from benchmark.paper.tables import Records


class MemoryStore:
    """A store in memory."""

    def __init__(self, results, inputs=(), seconds=()):
        self.results, self.names = results, sorted(results)
        self.inputs, self.seconds = dict(inputs), dict(seconds)

    def read(self, name):
        return {
            "name": name,
            "inputs": self.inputs.get(name, {}),
            "result": self.results[name],
            "provenance": {"seconds": self.seconds.get(name, 0.0)},
        }


def make_records(results, *args, **options):
    """Returns records of results by name."""
    return Records(MemoryStore(results), *args, **options)


def seeds(name, values, *path):
    """Returns one result for each value, which is at the end of a path."""
    results = {}
    for seed, value in enumerate(values):
        for key in reversed(path):
            value = {key: value}
        results[f"{name}/{seed}"] = value
    return results


def aurocs(**areas):
    """Returns the result of an experiment that evaluates some methods."""
    return {
        "methods": {
            name.replace("_", " "): {"overall": {"auroc": area}}
            for name, area in areas.items()
        }
    }
