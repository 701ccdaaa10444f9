#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""doc/fleet.md: its figures, metrics, configuration, alerts and dashboard. Arguments: the source folder,
the program."""
import functools
import json
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
dashboard = source / "packaging/grafana/userevents.json"
folder = pathlib.Path(tempfile.mkdtemp())
NAME = r"\buserevents_[a-z_]+"
NUMBER = re.compile(r"\d[\d,.]*")
# Counts of files of the kernel's events, and of events that happened.
ELSEWHERE = {"userevents_unrecorded_events_total", "userevents_events_total",
             "userevents_late_tracepoints_total", "userevents_processor_gaps_seconds_total"}


def promtool(*args):
    assert shutil.which("promtool"), "promtool is missing; scripts/packages --install tests"
    done = subprocess.run(["promtool", *args], capture_output=True, text=True, timeout=300)
    assert not done.returncode, done.stdout + done.stderr


def settings():
    """The configuration of the page, for rings and files of this test."""
    text = re.search(r"collect\.conf`[^\n]*:\n\n   ```\n(.*?)   ```", page, re.S)[1]
    lines = [line.strip() for line in text.splitlines()]
    assert {"event", "otlp", "record", "metrics"} <= {line.split(" = ")[0] for line in lines}
    return lines


@functools.cache
def exported_names():
    """Metrics of a collector with the page's settings, and a socket."""
    config, ring, metrics = folder / "conf", folder / "a.ring", folder / "userevents.prom"
    subprocess.run([tool, "ring", "create", ring], check=True)
    lines = [line for line in settings() if line.split(" = ")[0] not in
             ("event", "record", "queue-dir", "state", "metrics")]
    config.write_text("\n".join([*lines, f"ring = {ring}", f"state = {folder}/counts",
                                 f"socket = {folder}/socket", f"record = {folder}",
                                 f"queue-dir = {folder}/queue",
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
    for text in (page, rules.read_text(), dashboard.read_text()):
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


def queries():
    """Of all panels, with values in the place of Grafana's variables."""
    for panel in json.loads(dashboard.read_text())["panels"]:
        for target in panel["targets"]:
            text = target["expr"].replace("$__rate_interval", "5m").replace("$__range", "6h")
            yield panel["title"], re.sub(r"\$(job|instance)", ".*", text)


def labels_of(metric):
    """Those that a collector writes, or its description names, and those of Prometheus."""
    text = (folder / "userevents.prom").read_text()
    promised = re.search(rf"^\| `{metric}\{{(.*?)\}}`", (source / "doc/collect.md").read_text(), re.M)
    names = re.findall(r"(\w+)=", promised[1]) if promised else []
    for line in re.findall(rf"^{metric}\{{(.*)\}} ", text, re.M):
        names += re.findall(r'(\w+)="', line)
    return {*names, "job", "instance"}


def each_panel_asks_what_is_there():
    """Its metrics are tested above; here, the labels of each and the grammar of all."""
    exported_names()
    records = []
    for at, (title, text) in enumerate(queries()):
        allowed = set.intersection(*(labels_of(name) for name in re.findall(NAME, text)))
        used = re.findall(r'(\w+)[=!]~?"', text)
        used += re.findall(r"\w+", " ".join(re.findall(r"\bby \((.*?)\)", text)))
        same((title, sorted(set(used) - allowed)), (title, []))
        assert '"' not in re.sub(r'"(\.\*|socket\|damaged)"', "", text), text
        records.append(f"      - record: panel:{at}\n        expr: {json.dumps(text)}\n")
    assert len(records) > 10, records
    test = folder / "panels.yml"
    test.write_text("groups:\n  - name: panels\n    rules:\n" + "".join(records))
    promtool("check", "rules", str(test))


def panels_have_places_of_their_own():
    taken, ids = set(), []
    for panel in json.loads(dashboard.read_text())["panels"]:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                 for y in range(place["y"], place["y"] + place["h"])}
        assert not cells & taken and max(x for x, _ in cells) < 24, panel["title"]
        taken |= cells
        ids.append(panel["id"])
    same(len(set(ids)), len(ids))


def parsed(profile):
    parser = shutil.which("apparmor_parser", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    assert parser, "apparmor_parser is missing; scripts/packages --install tests"
    done = subprocess.run([parser, "-Q", "-K", "-S", profile], capture_output=True, timeout=300)
    return done.returncode


def installed(package):
    """The paths of a package, without a leading slash."""
    return (source / f"packaging/debian/{package}.install").read_text().split()


def the_profile_of_apparmor_is_for_the_installed_program_and_has_the_units_rights():
    (path,) = (source / "packaging/apparmor").iterdir()
    text = path.read_text()
    same(parsed(path), 0)
    broken = folder / "broken"
    broken.write_text(text.replace("capability perfmon,", "capability perfmom,"))
    assert parsed(broken), "a wrong capability is accepted"
    program = re.search(r"^profile [\w-]+ /(\S+) \{", text, re.M)[1]
    same(path.name, program.replace("/", "."))
    assert program in installed("userevents-export"), program
    unit = (source / "packaging/systemd/userevents-collect.service").read_text()
    same({f"CAP_{name}".upper() for name in re.findall(r"^  capability (\w+),", text, re.M)},
         set(re.search(r"^AmbientCapabilities=(.*)", unit, re.M)[1].split()))


def the_image_has_our_packages_and_the_manifests_command():
    text = (source / "packaging/container/Containerfile").read_text()
    packages = re.findall(r"(\S+)_\*\.deb", re.search(r"^COPY (.*)", text, re.M)[1])
    control = (source / "packaging/debian/control").read_text()
    same(sorted(set(packages) - set(re.findall(r"^Package: (.*)", control, re.M))), [])
    program, *words = json.loads(re.search(r"^ENTRYPOINT (.*)", text, re.M)[1])
    words += json.loads(re.search(r"^CMD (.*)", text, re.M)[1])
    files = [file for package in packages for file in installed(package)]
    assert program.lstrip("/") in files and "usr/libexec/userevents/userevents-collect" in files
    manifest = (source / "packaging/kubernetes/daemonset.yaml").read_text()
    same([pathlib.Path(program).name, *words],
         re.search(r"command: \[(.*)\]", manifest)[1].split(", "))
    rights = re.search(r"add: \[(.*)\]", manifest)[1].split(", ")
    assert "PERFMON" in rights and all(f"CAP_{name}" in text for name in rights), rights


os.environ.pop("OTEL_EXPORTER_OTLP_ENDPOINT", None)
run([the_figures_are_those_of_the_script, each_metric_and_reason_exists,
     each_alert_fires_when_it_should, each_panel_asks_what_is_there,
     panels_have_places_of_their_own,
     the_profile_of_apparmor_is_for_the_installed_program_and_has_the_units_rights,
     the_image_has_our_packages_and_the_manifests_command])
