"""Prints the steps that Polygraphy's `debug precision` takes, by the classes that it takes them with."""

import sys

from polygraphy.logger import G_LOGGER
from polygraphy.tools.debug.subtool.precision import BisectMarker, LinearMarker

G_LOGGER.module_severity = G_LOGGER.CRITICAL

for layers in range(1, int(sys.argv[1]) + 1):
    for passing in range(1 << (layers + 1)):
        for mode, Marker in (("bisect", BisectMarker), ("linear", LinearMarker)):
            for direction in ("forward", "reverse"):
                marker = Marker(layers, direction)
                found = []
                marker.success_message = lambda marker=marker: found.append(marker.good)
                steps, stop = [], False
                while not stop:
                    indices = marker.select_layers()
                    steps.append(f"{indices.start}:{indices.stop}")
                    stop = marker.step(bool(passing >> len(indices) & 1))
                print(layers, passing, mode, direction, " ".join(steps), found[0] if found else "none")
