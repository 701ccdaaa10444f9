# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Completion of userevents for bash. Commands, options and formats are those that --help of the
# installed tool prints, so they cannot be out of date.

_userevents_commands() { # TOOL
	"$1" --help 2>/dev/null | sed -nE 's/^  ([a-z]+) +[A-Z].*/\1/p'
}

# Commands of a command: "create info set" of "Usage: userevents ring create|info|set".
_userevents_verbs() { # TOOL COMMAND
	"$1" "$2" --help 2>/dev/null |
		sed -nE '1s/^Usage: userevents [a-z]+ (\[OPTIONS\] )?([a-z]+(\|[a-z]+)+)( .*)?$/\2/p' | tr '|' '\n'
}

_userevents_options() { # TOOL COMMAND...
	"$@" --help 2>/dev/null | sed -nE 's/^  (-., |    )(--[a-z-]+).*/\2/p'
}

_userevents_formats() { # TOOL: of export --to
	"$1" export --help 2>/dev/null | sed -nE '/FORMAT is one of$/,/^$/s/^  ([a-z][a-z-]*) .*/\1/p'
}

_userevents() {
	local tool=$1 word=$2 command=${COMP_WORDS[1]} verbs verb candidates
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		candidates="help --help --version $(_userevents_commands "$tool")"
	elif [ "$command" = help ]; then
		candidates=$(_userevents_commands "$tool")
	elif [[ "$command $3" =~ ^export\ (-t|--to)$ ]]; then
		candidates=$(_userevents_formats "$tool")
	else
		verbs=$(_userevents_verbs "$tool" "$command")
		verb=$(grep -xF -e "${COMP_WORDS[2]}" <<<"$verbs")
		if [ "$COMP_CWORD" = 2 ] && [[ $word != -* ]]; then
			candidates=$verbs
		elif [[ $word == -* ]]; then
			# shellcheck disable=SC2086 # no word if there is no verb
			candidates=$(_userevents_options "$tool" "$command" $verb)
		fi
	fi
	# Without a candidate, bash completes the names of files.
	mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$word")
}

complete -o bashdefault -o default -F _userevents userevents
