#!/bin/sh
# The help shows the usage, the commands with their summaries, and the options of all commands.
# Only two of the commands are shown, so that a new one does not change this test.
bough help >a; echo "exit $?"
grep -vE '^  [a-z]' a
bough help | grep -E '^  (help|version) '
bough help version; echo "exit $?"

# The other ways to ask for help print the same.
bough help >a
bough --help >b && cmp a b
bough -h >b && cmp a b
bough help version >a
bough version --help >b && cmp a b
bough --help version >b; echo "exit $?"
