#!/bin/sh
# A command that does not exist: exit code 2, a near name is offered, nothing harmful is echoed.
bough frobnicate; echo "exit $?"
bough versoin; echo "exit $?"
bough hlep; echo "exit $?"
bough help frobnicate; echo "exit $?"
bough "$(printf 'a\033[31mb')"; echo "exit $?"
bough; echo "exit $?"
