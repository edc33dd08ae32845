#!/bin/sh
# Writes sessions to standard output, to a file, to a directory; what is written can be imported. export-salvage.sh: of a damaged file.
export BOUGH_STORE="$PWD/a.db"
talk
bough export '#1' | grep -oE '^\{("bough":1,)?"type":"[a-z]+"' | sort | uniq -c | sed 's/^ *//'
for at in @2 cause '#1.2'; do bough export '#1' --at "$at" --format pi | cut -d, -f 1 | tr '\n' ' '; echo; done
bough export '#3' -f markdown 2>/dev/null | head -n 3 | mask
echo "-- a file, and back"
bough export --all -o all.jsonl; echo "exit $?"
stat -c '%a %n' all.jsonl
grep -c '"type":"session"' all.jsonl
bough --store b.db import all.jsonl | cut -f 1,3- | mask
bough --store b.db ls --kind all --sort created | cut -f 6,7,9,11
bough --store b.db fsck
echo "-- a file for each session"
bough export '#1' '#2' --format pi --dir there | sed 's/T[0-9-]*Z_/T<time>_/' | mask
find there -type f | wc -l | tr -d ' '
echo "-- refused"
bough export; echo "exit $?"
bough export '#9'; echo "exit $?"
bough export '#1' -f nonsense; echo "exit $?"
bough export '#1' -o all.jsonl; echo "exit $?"
bough export '#1' --at @99; echo "exit $?"
bough export '#1' '#2' -f pi; echo "exit $?"
bough export --all -f pi; echo "exit $?"
bough export '#1' '#2' --at @1; echo "exit $?"
bough export '#1' -o all.jsonl --force; echo "exit $?"
grep -c '"type":"session"' all.jsonl
echo "-- a fork whose parent was purged"
bough new 'A parent' >/dev/null
bough append '#4' 'inherited text' >/dev/null
bough fork '#4' >/dev/null
bough append '#5' 'own text' >/dev/null
bough purge '#4' --yes >/dev/null
for format in bough pi claude-code opencode; do bough export '#5' -f $format | grep -oE '(inherited|own) text' | uniq | tr '\n' ','; echo; done
