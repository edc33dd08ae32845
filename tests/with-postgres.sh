#!/bin/bash
# with-postgres.sh COMMAND...: runs it beside a PostgreSQL server of its own, on a Unix socket in a
# folder that is removed afterwards. The command finds it by
#   BOUGH_TEST_POSTGRES   the URL of an empty database, as a role that may do no more than it must
#   BOUGH_TEST_PGDIR      the server's folder: tests that stop, start or cut it off work there
# Memory is its disk where there is enough of it: fsync stays on, as bough insists.
set -eu
bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
if [ -z "$bin" ]; then
    echo "with-postgres: no PostgreSQL server is installed; scripts/install-deps does that" >&2
    exit 1
fi
base=${PGTEST_BASE:-${TMPDIR:-/tmp}}
if [ -z "${PGTEST_BASE:-}" ] && [ -w /dev/shm ] &&
    [ "$(df --output=avail -k /dev/shm | tail -n 1)" -gt 1000000 ]; then
    base=/dev/shm
fi
dir=$(mktemp -d "$base/bough-pg.XXXXXX")
# PostgreSQL refuses to run as root.
as=()
if [ "$(id -u)" = 0 ]; then
    chown postgres "$dir"
    as=(runuser -u postgres --)
fi
quit() {
    "${as[@]}" "$bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null 2>&1 || true
    rm -rf "$dir"
}
trap quit EXIT
trap 'exit 143' TERM INT
chmod 755 "$dir"
cd "$dir"
"${as[@]}" "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C --no-sync >"$dir/initdb.log" 2>&1 ||
    { cat "$dir/initdb.log" >&2; exit 1; }
"${as[@]}" tee -a "$dir/data/postgresql.conf" >/dev/null <<CONF
listen_addresses = ''
unix_socket_directories = '$dir'
max_connections = 200
shared_buffers = 128MB
max_wal_size = 2GB
max_locks_per_transaction = 256
log_min_messages = fatal
CONF
"${as[@]}" "$bin/pg_ctl" -D "$dir/data" -w -t 60 -l "$dir/log" start >/dev/null ||
    { cat "$dir/log" >&2; exit 1; }
"$bin/psql" -q -h "$dir" -U postgres -d postgres -v ON_ERROR_STOP=1 <<SQL
CREATE ROLE bough LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
CREATE DATABASE bough ENCODING 'UTF8';
REVOKE ALL ON DATABASE bough FROM PUBLIC;
GRANT CONNECT, CREATE, TEMPORARY ON DATABASE bough TO bough;
SQL
export BOUGH_TEST_PGDIR="$dir" BOUGH_TEST_PGBIN="$bin"
export BOUGH_TEST_POSTGRES="postgres://bough@/bough?host=$dir"
cd "$OLDPWD"
"$@"
