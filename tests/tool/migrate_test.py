#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles and runs what doc/migrate.md shows, and compares its figures with those of
doc/performance.md.

Arguments: the program, the tree, the folder of the built library, "none" or the sanitizers
that it was built with.
"""
import pathlib
import re
import sys

from document import Workshop, files
from tap import run, same

tool, tree, library, sanitizers = sys.argv[1:5]
documents = pathlib.Path(tree) / "doc"
page = (documents / "migrate.md").read_text()
shop = Workshop(tool, tree, library, sanitizers)

# The row of the page, and those of doc/performance.md that its columns come from.
ROWS = {
    "`UE_WRITE()` to the kernel": ("ue_write_u32x1_off", "ue_write_u32x1",
                                   "ue_write_u32x10", "ue_write_str11_u32"),
    "`UE_WRITE()` into a ring": ("ring_u32x1_off", "ring_u32x1", "ring_u32x10",
                                 "ring_str11_u32"),
    "LTTng-UST, snapshot session": ("lttng_ust_u32x1_off", "lttng_ust_u32x1",
                                    "lttng_ust_u32x10", "lttng_ust_str11_u32"),
    "USDT probe, one argument by a uprobe": ("usdt_u32x1_off", "usdt_u32x1", None, None),
}


def its_programs_print_what_it_shows():
    shop.write(files(page))
    same([name for name, _ in files(page)], ["request.c", "texts.c", "usdt.c", "tracelogging.c"])
    same(shop.prints_what_it_shows(page), 8)


def its_figures_are_those_of_the_page_about_performance():
    measured = dict(re.findall(r"^(\w+) +(\d+)\b", (documents / "performance.md").read_text(),
                               re.M))
    for title, names in ROWS.items():
        row, = re.findall(rf"^\| {re.escape(title)} \|(.*)\|$", page, re.M)
        same([cell.strip() for cell in row.split("|")],
             [measured[name] if name else "" for name in names])


def every_name_of_ours_exists():
    headers = "".join(header.read_text() for header in
                      (pathlib.Path(tree) / "include").rglob("*.h"))
    names = set(re.findall(r"\b(?:UE_[A-Z0-9_]+|ue_[a-z0-9_]+)\b(?=\()", page))
    assert len(names) > 20, names
    same([name for name in sorted(names)
          if not re.search(rf"\b{name}\(", headers)], [])


def its_links_exist():
    for link in re.findall(r"\]\(([\w./-]+)\)", page):
        assert (documents / link).exists(), link


try:
    run([its_programs_print_what_it_shows, every_name_of_ours_exists,
         its_figures_are_those_of_the_page_about_performance, its_links_exist])
finally:
    shop.remove()
