# SPDX-License-Identifier: MIT
"""The cost of a record of logging with python3-lttngust, for comparison, as writes.py measures it.

scripts/bench-bindings runs it while a session of LTTng records the logger "bench"."""
import logging
import time

import lttngust  # noqa: F401, adds a handler to the root logger

log = logging.getLogger("bench")
log.setLevel(1)
log.addHandler(logging.NullHandler())
best = float("inf")
for _ in range(300):
    begin = time.perf_counter_ns()
    for _ in range(50):
        log.warning("%d left", 3, extra={"item": "tea"})
    best = min(best, (time.perf_counter_ns() - begin) / 50)
print(f"python_logging_lttngust\t{best:.0f}")
