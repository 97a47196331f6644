"""How many examples a property is tried with: few in every run, many in a long one.

`HYPOTHESIS_PROFILE=long` makes a run long. A failure prints the blob that brings it back.
"""

import os

from hypothesis import HealthCheck, Phase, settings

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"


def effort(few: int, many: int) -> settings:
    return settings(
        max_examples=many if LONG else few,
        deadline=None,
        print_blob=True,
        phases=[phase for phase in Phase if phase is not Phase.explain],
        suppress_health_check=list(HealthCheck),  # pyright: ignore[reportArgumentType]
    )
