#!/bin/sh
# The help names the usage, the commands with their summaries, and the options of every command.
# Only two of the commands are shown, so that a new one does not change this test.
bough help | grep -vE '^  [a-z]' ; echo "exit $?"
bough help | grep -E '^  (help|version) '
bough help version; echo "exit $?"

# The other ways to ask say the same.
bough help >a
bough --help >b && cmp a b
bough -h >b && cmp a b
bough help version >a
bough version --help >b && cmp a b
bough --help version >b; echo "exit $?"
