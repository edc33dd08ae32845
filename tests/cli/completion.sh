#!/bin/sh
# Completion scripts name every command; the one for bash completes commands, options and sessions.
export BOUGH_STORE="$PWD/a.db"
talk
for shell in bash zsh fish; do
    bough completion $shell >script
    for name in $(bough help --names); do grep -q -- "$name" script || echo "$shell does not know $name"; done
    grep -c include-subagents script
done
bough completion bash >script
bash -c '
    source ./script
    try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _bough; echo "${COMPREPLY[*]}"; }
    try bough sh
    try bough show why
    try bough --store x ls --inc
    try bough help co
    try bough --no
    try bough nothing --x
    try bough ls --kind ""
    try bough ls --sort m
    try bough append x --role a
    try bough token ""
    try bough completion ""' 2>&1
for shell in zsh fish; do
    command -v $shell >/dev/null || continue
    bough completion $shell >script
    $shell -n script || echo "$shell cannot read it"
done
echo "-- refused"
bough completion; echo "exit $?"
bough completion tcsh; echo "exit $?"
bough completion bash zsh; echo "exit $?"
