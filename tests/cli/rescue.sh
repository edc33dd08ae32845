#!/bin/sh
# A file whose pages are damaged is never repaired in place: a new store takes its place, and the old
# file is kept. What is salvaged can be restored.
export BOUGH_STORE="$PWD/a.db"
hide() { sed -E "s|$PWD/||g; s/[0-9]{8}T[0-9]{6}Z/<time>/; s/[0-9]+ pages/N pages/; s/[0-9]+ records/N records/" | mask; }
talk
bough show '#1' --json >before
# The header and the schema are lost.
damage() { dd if=/dev/zero of="$1" bs=8192 count=1 conv=notrunc 2>/dev/null; printf 'SQLite' | dd of="$1" conv=notrunc 2>/dev/null; }
cp a.db broken.db
damage broken.db
echo "-- the lines of a salvage are not for import"
bough export --salvage broken.db -o saved.jsonl 2>&1 | hide
head -n 1 saved.jsonl
bough --store other.db import saved.jsonl 2>&1 | hide
echo "-- a new store, which can be restored"
bough export --salvage broken.db --into saved.db 2>&1 | hide
bough restore-backup saved.db --store b.db --yes >/dev/null && bough --store b.db show '#1' --json | cmp - before && echo "the same"
bough export --salvage broken.db --into saved.db 2>&1 | hide
bough export --into x.db; echo "exit $?"
echo "-- fsck --repair makes a new store, and keeps the old file"
cksum <broken.db >sum
bough --store broken.db fsck --repair 2>&1 | hide
cksum <"$(echo broken.db.before-repair-*)" | cmp - sum && echo "the old file is unchanged"
bough --store broken.db show '#1' --json | cmp - before && echo "the same"
bough --store broken.db fsck
