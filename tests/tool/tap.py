# SPDX-License-Identifier: MIT
"""Runs test functions that raise AssertionError, and prints TAP."""
import concurrent.futures
import os
import sys
import traceback


is_sanitized = "UE_TEST_SANITIZED" in os.environ  # by scripts/sanitize
is_full = "UE_TEST_FULL" in os.environ  # by hand or at night: long loops have all their rounds


def not_sanitized(reason):
    """A decorator, of a test that means nothing if the programs are built with a sanitizer."""
    def mark(test):
        test.reason = reason
        return test
    return mark


def is_left_out(test):
    return is_sanitized and hasattr(test, "reason")


def run(tests, at_once=1):
    """
    Of the tests those that UE_TEST_ONLY names, or all.

    at_once: the tests that run beside each other, since they wait more than they compute.
    """
    chosen = os.environ.get("UE_TEST_ONLY")
    tests = [test for test in tests if not chosen or test.__name__ in chosen.split(",")]
    print(f"1..{len(tests)}", flush=True)
    failed = 0
    pool = concurrent.futures.ThreadPoolExecutor(at_once)
    ends = [test if at_once == 1 or is_left_out(test) else pool.submit(test).result
            for test in tests]
    for number, (test, end) in enumerate(zip(tests, ends), 1):
        name = test.__name__.replace("_", " ")
        if is_left_out(test):
            print(f"ok {number} - {name} # SKIP sanitizers: {test.reason}")
            continue
        try:
            end()
            print(f"ok {number} - {name}", flush=True)
        except Exception:
            failed = 1
            print(f"not ok {number} - {name}")
            print("".join(f"# {line}\n" for line in traceback.format_exc().splitlines()),
                  end="", flush=True)
    sys.exit(failed)


def beside(check, cases):
    """Check all cases beside each other, and raise what the first one of them raised."""
    with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
        list(pool.map(check, cases))


def written_to(file):
    """What a process has written so far; it shares the file's position, which thus must not move."""
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode()


def same(got, expected):
    assert got == expected, f"\n  expected {expected!r}\n  got      {got!r}"
