#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""doc/fleet.md: its figures, metrics, configuration and alerts. Arguments: the source folder,
the program."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from tap import run, same

source, tool = pathlib.Path(sys.argv[1]), sys.argv[2]
page = (source / "doc/fleet.md").read_text()
rules = source / "packaging/prometheus/userevents.rules.yml"
folder = pathlib.Path(tempfile.mkdtemp())
NAME = r"\buserevents_[a-z_]+"
NUMBER = re.compile(r"\d[\d,.]*")
# Counts of files of the kernel's events, and of events that happened.
ELSEWHERE = {"userevents_unrecorded_events_total", "userevents_events_total"}


def promtool(*args):
    assert shutil.which("promtool"), "promtool is missing; scripts/packages --install tests"
    done = subprocess.run(["promtool", *args], capture_output=True, text=True, timeout=300)
    assert not done.returncode, done.stdout + done.stderr


def settings():
    """The configuration of the page, for rings and files of this test."""
    text = re.search(r"collect\.conf`:\n\n   ```\n(.*?)   ```", page, re.S)[1]
    lines = [line.strip() for line in text.splitlines()]
    assert {"event", "otlp", "record", "metrics"} <= {line.split(" = ")[0] for line in lines}
    return lines


def exported_names():
    """Metrics of a collector with the page's settings."""
    config, ring, metrics = folder / "conf", folder / "a.ring", folder / "userevents.prom"
    subprocess.run([tool, "ring", "create", ring], check=True)
    lines = [line for line in settings() if line.split(" = ")[0] not in
             ("event", "record", "rotate", "keep-free", "state", "metrics")]
    config.write_text("\n".join([*lines, f"ring = {ring}", f"state = {folder}/counts",
                                 f"metrics = {metrics}", ""]))
    child = subprocess.Popen([tool, "collect", "--config", str(config)])
    while not metrics.exists() and child.poll() is None:
        time.sleep(0.02)
    child.send_signal(signal.SIGTERM)
    same(child.wait(timeout=300), 0)
    return set(re.findall(NAME, metrics.read_text()))


def the_figures_are_those_of_the_script():
    shown = re.search(r"```\n(10,000 machines.*?)```", page, re.S)[1]
    done = subprocess.run([sys.executable, source / "scripts/fleet-cost", "--tool", tool],
                          capture_output=True, text=True, timeout=300)
    same(NUMBER.sub("#", shown), NUMBER.sub("#", done.stdout))
    for one, other in zip(NUMBER.findall(shown), NUMBER.findall(done.stdout)):
        one, other = (float(text.replace(",", "")) for text in (one, other))
        # The time of reading makes a few bytes of difference in gzip.
        assert abs(one - other) <= max(0.11, other / 100), f"{one} is {other} today"


def each_metric_and_reason_exists():
    names = exported_names()
    for text in (page, rules.read_text()):
        used = set(re.findall(NAME, text))
        assert used - ELSEWHERE, "no metrics are named"
        same(sorted(used - ELSEWHERE - names), [])
    promised = set(re.findall(NAME, (source / "doc/collect.md").read_text()))
    same(sorted(ELSEWHERE - promised), [])
    reasons = set(re.findall(r'lost_events_total\{reason="(\w+)"',
                             (folder / "userevents.prom").read_text()))
    table = re.search(r"\| reason \|.*?\n\n", page, re.S)[0]
    same(sorted(re.findall(r"^\| `(\w+)`", table, re.M)), sorted(reasons))


def each_alert_fires_when_it_should():
    promtool("check", "rules", str(rules))
    test = folder / "rules.yml"
    test.write_text((source / "tests/tool/fleet_rules.yml").read_text()
                    .replace("RULES", str(rules)))
    promtool("test", "rules", str(test))
    alerts = set(re.findall(r"alert: (\w+)", rules.read_text()))
    same(set(re.findall(r"alertname: (\w+)", test.read_text())), alerts)


os.environ.pop("OTEL_EXPORTER_OTLP_ENDPOINT", None)
run([the_figures_are_those_of_the_script, each_metric_and_reason_exists,
     each_alert_fires_when_it_should])
