#!/bin/bash
# pg-server.sh VERB DIR ...: manages a PostgreSQL server in DIR, for tests. tests/with-postgres.sh starts one for
# all tests; tests/lib/pg_server.c starts those that a test stops, kills or deprives of space. The server
# listens on a Unix socket in DIR and writes DIR/log.
#   make DIR [FROM]        creates it, with the role and database of docs/postgres.md; or copies FROM/fresh
#   conf DIR FILE          adds standard input to DIR/data/FILE
#   start DIR [NAME=VALUE...]   starts it with these variables in its environment
#   stop DIR MODE          with a mode of pg_ctl: smart, fast, immediate
#   freeze DIR, thaw DIR   stops all its processes with a signal, and continues them
#   standby DIR OF         creates a hot standby of the running server in OF, without starting it
#   promote DIR
#   tls DIR                creates two authorities and a certificate for "localhost" in DIR/tls
#   pool DIR MODE          starts pgbouncer in front of it, in DIR/pool: transaction, session
#   remove DIR             stops its processes and removes the folder
set -eu
verb=$1 dir=$2
shift 2
bin=${BOUGH_TEST_PGBIN:-$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)}
if [ -z "$bin" ]; then
    echo "pg-server: no PostgreSQL server is installed; scripts/install-deps does that" >&2
    exit 1
fi
# PostgreSQL refuses to run as root.
as=()
[ "$(id -u)" != 0 ] || as=(runuser -u postgres --)
own() { # FOLDER: gives it to the server's user and lets the tests enter it
    chmod 755 "$1"
    [ "$(id -u)" != 0 ] || chown postgres "$1"
}
loud() { # LOG COMMAND...: shows the command's output only if it failed
    local log=$1
    shift
    "${as[@]}" "$@" >"$log" 2>&1 </dev/null || { cat "$log" >&2; exit 1; }
}

make() {
    own "$dir"
    if [ $# = 1 ]; then
        cp -a "$1/fresh" "$dir/data"
        return
    fi
    loud "$dir/initdb.log" "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C --no-sync
    "${as[@]}" tee -a "$dir/data/postgresql.conf" >/dev/null <<CONF
listen_addresses = ''
max_connections = 200
shared_buffers = 128MB
max_wal_size = 2GB
max_locks_per_transaction = 256
log_min_messages = fatal
CONF
    # In single-user mode, without a server: one statement a line.
    "${as[@]}" "$bin/postgres" --single -j -D "$dir/data" postgres >"$dir/initdb.log" 2>&1 <<SQL ||
CREATE ROLE bough LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;

CREATE DATABASE bough ENCODING 'UTF8';

REVOKE ALL ON DATABASE bough FROM PUBLIC;

GRANT CONNECT, CREATE, TEMPORARY ON DATABASE bough TO bough;
SQL
        { cat "$dir/initdb.log" >&2; exit 1; }
}

start() {
    "${as[@]}" env "$@" "$bin/pg_ctl" -D "$dir/data" -w -t 60 -l "$dir/log" -o "-k '$dir'" start \
        >/dev/null 2>&1 </dev/null || { cat "$dir/log" >&2; exit 1; }
}

all() { # SIGNAL
    local pid
    pid=$(head -n 1 "$dir/data/postmaster.pid" 2>/dev/null) || return 0
    # shellcheck disable=SC2046  # numbers
    kill "-$1" "$pid" $(cat "/proc/$pid/task/$pid/children" 2>/dev/null) 2>/dev/null || true
}

standby() {
    own "$dir"
    loud "$dir/basebackup.log" "$bin/pg_basebackup" -h "$1" -U postgres -D "$dir/data" -R -c fast \
        --no-sync -d "application_name=standby"
}

# `other` is an authority that did not sign the server's certificate, for tests of refusal.
tls() {
    local key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
    local make=("${as[@]}" openssl req -x509 -days 2 "${key[@]}")

    mkdir -p "$dir/tls"
    own "$dir/tls"
    cd "$dir/tls"
    {
        "${make[@]}" -subj "/CN=bough test" -keyout ca.key -out ca.crt
        "${make[@]}" -subj "/CN=somebody else" -keyout other.key -out other.crt
        "${as[@]}" openssl req "${key[@]}" -subj "/CN=localhost" -keyout server.key -out server.csr
        "${as[@]}" openssl x509 -req -days 2 -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out server.crt
    } >/dev/null 2>&1
    "${as[@]}" chmod 600 server.key
}

pool() {
    mkdir -p "$dir/pool"
    own "$dir/pool"
    echo '"bough" ""' | "${as[@]}" tee "$dir/pool/users" >/dev/null
    "${as[@]}" tee "$dir/pool/pgbouncer.ini" >/dev/null <<CONF
[databases]
bough = host=$dir
[pgbouncer]
listen_addr =
unix_socket_dir = $dir/pool
listen_port = 5432
auth_type = trust
auth_file = $dir/pool/users
pool_mode = $1
default_pool_size = ${2:-20}
pidfile = $dir/pool/pid
logfile = $dir/pool/log
CONF
    loud "$dir/pool/start.log" env PATH="$PATH:/usr/sbin" pgbouncer -q -d "$dir/pool/pgbouncer.ini"
    for _ in $(seq 200); do # pgbouncer goes to the background before it listens
        "$bin/pg_isready" -q -h "$dir/pool" -U bough -d bough && return
        sleep 0.02
    done
    cat "$dir/pool/log" >&2
    exit 1
}

remove() {
    local pid
    if pid=$(cat "$dir/pool/pid" 2>/dev/null); then
        kill -KILL "$pid" 2>/dev/null || true
    fi
    all CONT
    "${as[@]}" "$bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null 2>&1 || true
    rm -rf "$dir"
}

cd "$dir"
case $verb in
make | start | standby | tls | pool | remove) "$verb" "$@" ;;
conf) "${as[@]}" tee -a "$dir/data/$1" >/dev/null ;;
stop) "${as[@]}" "$bin/pg_ctl" -D "$dir/data" -m "$1" stop >/dev/null ;;
freeze) all STOP ;;
thaw) all CONT ;;
promote) "${as[@]}" "$bin/pg_ctl" -D "$dir/data" -w -t 60 promote >/dev/null ;;
*)
    echo "pg-server: $verb?" >&2
    exit 2
    ;;
esac
