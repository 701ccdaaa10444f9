# SPDX-License-Identifier: MIT
"""Runs test functions that raise AssertionError, and prints TAP."""
import os
import sys
import traceback


is_sanitized = "UE_TEST_SANITIZED" in os.environ  # by scripts/sanitize


def not_sanitized(reason):
    """A decorator, of a test that means nothing if the programs are built with a sanitizer."""
    def mark(test):
        test.reason = reason
        return test
    return mark


def run(tests):
    print(f"1..{len(tests)}")
    failed = 0
    for number, test in enumerate(tests, 1):
        name = test.__name__.replace("_", " ")
        if is_sanitized and hasattr(test, "reason"):
            print(f"ok {number} - {name} # SKIP sanitizers: {test.reason}")
            continue
        try:
            test()
            print(f"ok {number} - {name}", flush=True)
        except Exception:
            failed = 1
            print(f"not ok {number} - {name}")
            print("".join(f"# {line}\n" for line in traceback.format_exc().splitlines()),
                  end="", flush=True)
    sys.exit(failed)


def same(got, expected):
    assert got == expected, f"\n  expected {expected!r}\n  got      {got!r}"
