#!/bin/bash
# with-postgres.sh COMMAND...: runs the command with a temporary PostgreSQL server, on a Unix socket in a
# folder that is removed afterwards. The command gets these variables:
#   BOUGH_TEST_POSTGRES   the URL of an empty database, for a role with the least rights that bough needs
#   BOUGH_TEST_PGDIR      the server's folder; servers that tests start themselves are in it, as own.*
#   BOUGH_TEST_PGSERVER   the script that starts those, pg-server.sh
# The server's files are in memory if there is enough of it. fsync stays on, because bough requires it.
set -eu
server=$(cd "$(dirname "$0")" && pwd)/pg-server.sh
base=${PGTEST_BASE:-${TMPDIR:-/tmp}}
if [ -z "${PGTEST_BASE:-}" ] && [ -w /dev/shm ] &&
    [ "$(df --output=avail -k /dev/shm | tail -n 1)" -gt 1000000 ]; then
    base=/dev/shm
fi
dir=$(mktemp -d "$base/bough-pg.XXXXXX")
# Stop the servers of tests that were killed.
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
