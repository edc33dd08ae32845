#!/bin/sh
# How store.db.gz and expected.jsonl were made: a store with everything in it, written by the program
# of one commit, and what that program exports of it. They are kept, not made again: a test opens a
# copy with the program of today (tests/store/past.c).
#   tests/data/store-0.1/make.sh FOLDER    builds that commit in FOLDER, and leaves both files there
# Two lines of expected.jsonl were corrected since: 0.1 left out the head of a fork without messages of its own, and
# what a fork inherits from a purged session.
set -eu
commit=d6e57f6 # version 0.1.0, schema 6
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
to=$(cd "$1" && pwd)
tree=$to/tree
[ -d "$tree" ] || git -C "$here" worktree add --detach "$tree" "$commit"
make -C "$tree" VARIANT=release build/release/bough build/release/libbough.a
# shellcheck disable=SC2046 # several words are meant
cc -O1 -g -I"$tree/include" -x c "$here/make.c.txt" -x none "$tree/build/release/libbough.a" \
    $(pkg-config --libs libutf8proc libzstd libcrypto zlib libpq) -lpthread -lm -o "$to/make"

cp "$here/a-session.jsonl" "$to/"
rm -f "$to"/store.db* "$to"/copy.db*
"$to/make" fill "$to/store.db" "$to/a-session.jsonl"
bough() { "$tree/build/release/bough" --store "$to/store.db" "$@"; }
# Tokens are no part of the library. Their secrets are thrown away.
bough token create reader --scopes read >/dev/null
bough token create everything --scopes all --project /srv/shop >/dev/null
bough token revoke reader
# Damage an entry and a record, so that repair puts them aside: a stub and two quarantined rows.
sqlite3 "$to/store.db" "
    UPDATE entry SET body = CAST(substr(body, 1, 40) || x'ff' || substr(body, 42) AS BLOB)
        WHERE k = (SELECT max(k) - 1 FROM entry WHERE k >> 32 = (SELECT max(bid) FROM branch));
    UPDATE record SET body = CAST(x'ff' || substr(body, 2) AS BLOB)
        WHERE (k >> 28) & 15 = 4 AND k >> 32 = 2;"
bough fsck --repair || true
"$to/make" open "$to/store.db"
rm -f "$to"/store.db-*
cp "$to/store.db" "$to/copy.db"
"$to/make" tell "$to/copy.db" >"$to/expected.jsonl"
gzip -9 -n -k -f "$to/store.db"
ls -l "$to/store.db" "$to/store.db.gz" "$to/expected.jsonl"
