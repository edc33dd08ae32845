#!/bin/sh
# On a terminal, an operation that cannot be undone asks first and runs only after a yes.
export BOUGH_STORE="$PWD/a.db" TERM=dumb
talk
# The input that script types is echoed between the questions.
answer() { { sleep 0.5; echo "$1"; } | SHELL=/bin/sh script -qefc "$2; echo exit \$?" /dev/null | tr -d '\r' | sed 's|\[y/N\].*|[y/N]|' | grep -vE '^[a-z]?$'; }
answer n "bough purge '#3'"
answer "" "bough purge '#3'"
bough ls --kind all | cut -f 2
answer y "bough purge '#3'"
bough ls --kind all | cut -f 2
