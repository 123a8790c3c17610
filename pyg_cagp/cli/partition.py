r"""The command :obj:`pyg-cagp partition`."""

import argparse
from typing import Any, get_args

from pyg_cagp._utils.table import format_table
from pyg_cagp.cli.common import add_common, dataset_name, print_json
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.typing import PartitionName


def add_command(commands: Any) -> None:
    r"""Adds the command to the command line."""
    parser = commands.add_parser(
        "partition",
        help="count ID, emerging and novel triples of a graph",
        description="Partitions validation and test triples by entity "
        "frequency and coverage.",
        epilog="example: pyg-cagp partition fb15k-237 --preset table2",
    )
    parser.add_argument(
        "dataset",
        type=dataset_name,
        help="a name (see 'pyg-cagp datasets'), a folder or a file",
    )
    parser.add_argument(
        "--preset",
        choices=get_args(PartitionName),
        help="a partition of the paper: that of its text (default), the same "
        "with the threshold included, that of tables 1 and 2, or that of the "
        "appendix",
    )
    parser.add_argument(
        "--quantile",
        type=float,
        help="instead of a preset: the quantile of entity frequencies that is "
        "the threshold",
    )
    parser.add_argument(
        "--inclusive",
        action="store_true",
        help="with --quantile: entities whose frequency equals the threshold "
        "are emerging as well",
    )
    parser.add_argument(
        "--population",
        choices=("seen", "all"),
        default="seen",
        help="take the quantile over entities with training triples (default), "
        "or over all",
    )
    parser.add_argument(
        "--self-loops",
        choices=("twice", "once"),
        default="twice",
        help="count a triple whose head is its tail twice for the entity "
        "(default), or once",
    )
    add_common(parser)


def run(args: argparse.Namespace) -> None:
    r"""Partitions a graph and describes the result."""
    if args.preset is not None and args.quantile is not None:
        raise InvalidInputError("give --preset or --quantile, not both")
    if args.inclusive and args.quantile is None:
        raise InvalidInputError("--inclusive goes with --quantile")
    from pyg_cagp.datasets import load
    from pyg_cagp.evaluate import partition_summary
    from pyg_cagp.transforms import TemporalLikeOOD

    preset = None if args.quantile is not None else args.preset or "stated"
    rule = (
        {"quantile": args.quantile, "inclusive": args.inclusive}
        if preset is None
        else TemporalLikeOOD.presets[preset]
    )
    if (args.population, args.self_loops) != ("seen", "twice"):
        preset = None  # It is not a partition of the paper.
    transform = TemporalLikeOOD(
        **rule, population=args.population, self_loops=args.self_loops
    )
    kg = load(args.dataset, root=args.root, seed=args.seed)
    summary = {
        "dataset": args.dataset,
        "preset": preset,
        **partition_summary(kg, transform),
    }
    if args.json:
        print_json(summary)
    else:
        print(_describe(summary))


def _describe(summary: dict[str, Any]) -> str:
    from pyg_cagp.coverage.kinds import KINDS

    sign = "<=" if summary["inclusive"] else "<"
    coverage = summary["coverage"]
    kinds = (*KINDS, "total")
    columns = (*KINDS[1:3], "overall")
    sizes: list[tuple] = [("split", *kinds)]
    auroc: list[tuple] = [("U_str AUROC", *columns, "rho")]
    for name, split in summary["splits"].items():
        values = split["u_str_auroc"]
        sizes.append((name, *(split[kind] for kind in kinds)))
        auroc.append((name, *(values[kind] for kind in columns), split["rho"]))
    preset = f", preset {summary['preset']}" if summary["preset"] else ""
    return (
        f"{summary['dataset']}: {summary['num_nodes']:,} entities, "
        f"{summary['num_relations']:,} relations, "
        f"{summary['num_train']:,} training triples\n"
        f"coverage: {coverage['nnz']:,} entity-relation pairs "
        f"({coverage['density']:.2%}), {coverage['bytes']:,} bytes\n"
        f"emerging: min(freq(h), freq(t)) {sign} {summary['tau']:g} "
        f"(quantile {summary['quantile']}{preset})\n\n"
        f"{format_table(sizes)}\n\n{format_table(auroc)}\n\n"
        f"Novel contexts are defined by missing coverage, so their AUROC is 1 "
        f"by construction."
    )
