#!/bin/bash
# with-postgres.sh COMMAND...: runs it beside a PostgreSQL server of its own, on a Unix socket in a
# folder that is removed afterwards. The command finds it by
#   BOUGH_TEST_POSTGRES   the URL of an empty database, as a role that may do no more than it must
#   BOUGH_TEST_PGDIR      the server's folder; in it, servers that tests start for themselves: own.*
#   BOUGH_TEST_PGSERVER   the script that does that, pg-server.sh
# Memory is its disk where there is enough of it: fsync stays on, as bough insists.
set -eu
server=$(cd "$(dirname "$0")" && pwd)/pg-server.sh
base=${PGTEST_BASE:-${TMPDIR:-/tmp}}
if [ -z "${PGTEST_BASE:-}" ] && [ -w /dev/shm ] &&
    [ "$(df --output=avail -k /dev/shm | tail -n 1)" -gt 1000000 ]; then
    base=/dev/shm
fi
dir=$(mktemp -d "$base/bough-pg.XXXXXX")
# A test that was killed leaves its servers to us.
quit() {
    for own in "$dir"/own.*; do
        [ ! -d "$own" ] || "$server" remove "$own"
    done
    "$server" remove "$dir"
}
trap quit EXIT
trap 'exit 143' TERM INT
"$server" make "$dir"
cp -a "$dir/data" "$dir/fresh"
"$server" start "$dir"
export BOUGH_TEST_PGDIR="$dir" BOUGH_TEST_PGSERVER="$server"
export BOUGH_TEST_POSTGRES="postgres://bough@/bough?host=$dir"
"$@"
