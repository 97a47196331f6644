"""`python -m bench`: measures, and writes the tables of docs/benchmarks.md."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from examples.shop import gateway as shop

from . import cursors, environments, growth, limits, operation, planning, report, wire
from .effort import FULL, QUICK, Effort
from .stage import Say, set_up


def measured(effort: Effort, *, aiobotocore: bool, say: Say) -> dict[str, str]:
    """Every section of the report, by its name."""
    load = os.getloadavg()
    other = environments.aiobotocore(say) if aiobotocore else None
    with set_up(say) as stage:
        if shop.sample is None:
            raise RuntimeError("the shop has a sample")
        stage.fill(shop, shop.sample())
        name = shop.table_name
        return {
            "machine": report.machine(load, aiobotocore=aiobotocore),
            "wire": wire.measure(stage, effort, shop=name, aiobotocore=other),
            "operation": operation.measure(stage, effort, shop=name),
            "writing": operation.measure_writing(stage, effort, shop=name),
            "planning": planning.measure(stage, effort),
            "cursors": cursors.measure(stage, effort),
            "limits": limits.measure(stage, effort),
            "growth": growth.measure(stage, effort),
        }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Measures Tablefold next to its peers, all on one local engine in one run.",
        epilog="Nothing is written before everything has been measured.",
    )
    parser.add_argument(
        "--quick", action="store_true", help="measure little, and print instead of writing"
    )
    parser.add_argument(
        "--output", type=Path, help="document to fill (docs/benchmarks.md unless --quick)"
    )
    parser.add_argument(
        "--no-aiobotocore",
        dest="aiobotocore",
        action="store_false",
        help="leave aiobotocore out, which is installed into .bench/aiobotocore",
    )
    given = parser.parse_args(arguments)
    output: Path | None = given.output or (None if given.quick else report.DOCUMENT)
    if output is not None:
        report.filled(output.read_text(encoding="utf-8"), dict.fromkeys(SECTIONS, ""))
    sections = measured(
        QUICK if given.quick else FULL,
        aiobotocore=given.aiobotocore,
        say=lambda line: print(line, flush=True),
    )
    if output is None:
        print("\n\n".join(sections.values()))
    else:
        report.write(output, sections)
        print(f"Wrote {output}")


SECTIONS = (
    "machine",
    "wire",
    "operation",
    "writing",
    "planning",
    "cursors",
    "limits",
    "growth",
)

if __name__ == "__main__":
    main()
