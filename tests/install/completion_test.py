# SPDX-License-Identifier: MIT
"""completion_test.py SOURCE TOOL: the shells complete all that --help prints, alone."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../tool"))
import tap  # noqa: E402
from tap import same  # noqa: E402
import terminal  # noqa: E402

SOURCE, TOOL = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
FOLDER = os.path.join(SOURCE, "packaging/completion")
ENVIRONMENT = {**os.environ, "PATH": f"{os.path.dirname(TOOL)}:{os.environ['PATH']}",
               "LC_ALL": "C.UTF-8"}
BEFORE = ["help", "--help", "--version"]  # what --help names in its last lines alone

# Each shell prints the words that it completes for a line of words, the last one begun.
BASH = """
. "$0/userevents.bash"
while read -r line; do
	IFS=' ' read -ra COMP_WORDS <<<"$line"
	[[ $line != *' ~' ]] || COMP_WORDS[-1]=
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_userevents userevents "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
	echo "${COMPREPLY[@]}"
done
"""
FISH = """
source $argv[1]/userevents.fish
while read -l line
    echo (complete -C (string replace ' ~' ' ' $line) | string split -f 1 \\t)
end
"""
# The functions of zsh work in its line editor alone.
ZSH = """
_describe() { local name=$@[-1]; completed=(${${(P)name}%%:*}) }
_files() { completed=() }
while read -r line; do
	words=(${=line}) CURRENT=${#${=line}} PREFIX=${${=line}[-1]}
	[[ $PREFIX != '~' ]] || PREFIX=
	() { . $0/_userevents }
	print -r -- ${(M)completed:#$PREFIX*}
done
"""


def ask(command, lines):
    """{line: its words}; "~" stands for an empty word."""
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(command, input="".join(f"{line}\n" for line in lines), cwd=empty,
                              text=True, capture_output=True, env=ENVIRONMENT, check=True)
    same(done.stderr, "")
    return dict(zip(lines, (sorted(row.split()) for row in done.stdout.split("\n")[:-1])))


def shells():
    return {"bash": ["bash", "-c", BASH, FOLDER],
            "fish": ["fish", "--no-config", "-c", FISH, FOLDER],
            "zsh": ["zsh", "-f", "-c", ZSH.replace("$0/", FOLDER + "/")]}


def help_of(*words):
    return subprocess.run([TOOL, *words, "--help"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def commands():
    listed = help_of().split("Commands:\n")[1].split('\n"userevents')[0].splitlines()
    return [line.split()[0] for line in listed if line.startswith("  ")]


def verbs_of(command):
    word = help_of(command).split("\n")[0].split()[3:]
    word = [each for each in word if each != "[OPTIONS]"][:1]
    return word[0].split("|") if word and re.fullmatch(r"[a-z|]+\|[a-z|]+", word[0]) else []


def options_of(*words):
    """The options have a column of their own; what is longer has a line of its own."""
    options = help_of(*words).partition("Options:\n")[2].partition("\nExamples:\n")[0]
    rows = [row for row in options.splitlines() if row.startswith(("  -", "      -"))]
    assert all(len(row) < 27 or row[26] == " " or len(row.split()) == 2 for row in rows), rows
    return sorted(word for row in rows for word in row.split()[:2] if word.startswith("--"))


def expected():
    lines = {"userevents ~": sorted(commands() + BEFORE), "userevents help ~": sorted(commands()),
             "userevents run program": []}
    for command in commands():
        lines[f"userevents {command} --"] = options_of(command)
        if verbs_of(command):
            lines[f"userevents {command} ~"] = sorted(verbs_of(command))
        for verb in verbs_of(command):
            lines[f"userevents {command} {verb} --"] = options_of(command, verb)
    formats = ["ctf", "otlp", "otlp-json", "otlp-protobuf", "perfetto"]
    lines["userevents export --to ~"] = lines["userevents export --brief -t ~"] = formats
    lines["userevents export --to otlp-"] = formats[2:4]
    lines["userevents decode --to ~"] = []
    lines["userevents re"] = sorted(name for name in commands() if name.startswith("re"))
    return lines


def completes_what_help_prints(shell):
    got = ask(shells()[shell], list(LINES))
    assert sum(map(len, LINES.values())) > 200, "--help was not understood"
    same(LINES["userevents ring ~"], ["create", "info", "set"])
    for line, words in LINES.items():
        same((line, got[line]), (line, words))


LINES = expected()


def bash_completes_what_help_prints():
    completes_what_help_prints("bash")


def fish_completes_what_help_prints():
    completes_what_help_prints("fish")


def zsh_completes_what_help_prints():
    completes_what_help_prints("zsh")


def zsh_loads_the_file_by_its_first_line():
    with tempfile.TemporaryDirectory() as home:
        with open(os.path.join(home, ".zshrc"), "w") as rc:
            rc.write(f"fpath=({FOLDER} $fpath); autoload -U compinit && compinit -u -D\n"
                     "PS1='ready> '\n")
        typed = b"userevents docto\t\x15exit\n"
        shown = terminal.on_terminal(
            "/usr/bin/zsh", "-d", "-i", answer=lambda text: typed if b"ready> " in text else None,
            ZDOTDIR=home, PATH=ENVIRONMENT["PATH"])
    assert "userevents doctor" in shown, shown


tap.run([bash_completes_what_help_prints, fish_completes_what_help_prints,
         zsh_completes_what_help_prints, zsh_loads_the_file_by_its_first_line])
