# SPDX-License-Identifier: MIT
# Completion of userevents for fish. Commands, options and formats are those that --help of the
# installed tool prints, so they cannot be out of date.

function __userevents_words # the words before the cursor
    commandline -opc
end

function __userevents_commands
    set -l words (__userevents_words)
    $words[1] --help 2>/dev/null | string replace -rf '^  ([a-z]+) +([A-Z].*)' '$1\t$2'
end

# Commands of a command: "create info set" of "Usage: userevents ring create|info|set".
function __userevents_verbs
    set -l words (__userevents_words)
    $words[1] $words[2] --help 2>/dev/null | head -n 1 |
        string replace -rf '^Usage: userevents [a-z]+ (\[OPTIONS\] )?([a-z]+(\|[a-z]+)+)( .*)?$' '$2' |
        string split '|'
end

function __userevents_options
    set -l words (__userevents_words)
    set -l verb
    if set -q words[3]; and contains -- $words[3] (__userevents_verbs)
        set verb $words[3]
    end
    $words[1] $words[2] $verb --help 2>/dev/null |
        string replace -rf '^  (-., |    )(--[a-z-]+)( [A-Z]+)? +([^ ].*)' '$2\t$4'
end

function __userevents_formats # of export --to
    set -l words (__userevents_words)
    $words[1] export --help 2>/dev/null | sed -n '/FORMAT is one of$/,/^$/p' |
        string replace -rf '^  ([a-z][a-z-]*) +(.*)' '$1\t$2'
end

function __userevents_needs_format
    set -l words (__userevents_words)
    string match -q export -- $words[2]; and contains -- $words[-1] -t --to
end

function __userevents_has_words # N: so many before the cursor
    test (count (__userevents_words)) -eq $argv[1]
end

complete -c userevents -n '__userevents_has_words 1' -f -a '(__userevents_commands)'
complete -c userevents -n '__userevents_has_words 1' -f -a 'help\t"Describe a command."'
complete -c userevents -n '__userevents_has_words 1' -f -a '--help\t"List the commands."'
complete -c userevents -n '__userevents_has_words 1' -f -a '--version\t"Print the version."'
complete -c userevents -n '__userevents_has_words 2; and string match -q help (__userevents_words)[2]' \
    -f -a '(__userevents_commands)'
complete -c userevents -n '__userevents_has_words 2' -a '(__userevents_verbs)'
complete -c userevents -n __userevents_needs_format -x -a '(__userevents_formats)'
complete -c userevents -n 'not __userevents_has_words 1; and string match -q -- "-*" (commandline -ct)' \
    -f -a '(__userevents_options)'
