#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""man and mandoc show the pages without warnings."""
import subprocess
import tempfile
from pathlib import Path

from manual import FOLDER, PAGES
import tap  # its folder is known now


def mandoc(*paths):
    return subprocess.run(["mandoc", "-Tlint", "-W", "warning", *paths], text=True,
                          stdout=subprocess.PIPE, check=False, cwd=FOLDER).stdout


def groff(*paths):
    result = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", *paths],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            check=False)
    return result.stderr


def mandoc_has_no_warning_about_a_page():
    assert len(PAGES) > 50
    tap.same(mandoc(*PAGES), "")


def man_has_no_warning_about_a_page():
    tap.same("".join(groff(page) for page in PAGES), "")


def both_warn_of_a_page_that_is_wrong():
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "wrong.3"
        page.write_text('.TH wrong 3 2026-01-01\n.SH NAME\nwrong \\- text\n.PP\n.PP\n'
                        '\\fZtext\\*[none]\n')
        assert "WARNING" in mandoc(page)
        assert "warning" in groff(page)


tap.run([
    mandoc_has_no_warning_about_a_page,
    man_has_no_warning_about_a_page,
    both_warn_of_a_page_that_is_wrong,
])
