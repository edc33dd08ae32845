#!/bin/sh
# An unknown command: exit code 2, a similar name is suggested, control characters are not echoed.
bough frobnicate; echo "exit $?"
bough versoin; echo "exit $?"
bough hlep; echo "exit $?"
for word in list delete init find cat; do bough $word 2>&1 | head -n 1; done
bough help frobnicate; echo "exit $?"
bough "$(printf 'a\033[31mb')"; echo "exit $?"
bough; echo "exit $?"
