#!/bin/sh
# Search: words, phrases, fields, regular expressions, filters; in a pipe, as JSON, on a terminal.
export BOUGH_STORE="$PWD/a.db"
talk
seek() {
    bough search "$@" >out; code=$?
    mask <out; echo "exit $code"
}
seek locale
seek '"cache key"' -lacked
seek -- -lacked locale
seek 're:key.*lo[ck]ale' --limit 1
seek 're:(unclosed'
seek nothing-like-this
seek locale --role user
seek locale --session '#1' --path
seek locale --since 2099-01-01
seek locale --since never
bough search --json locale --limit 1 | mask
bough search; echo "exit $?"
echo "-- on a terminal"
on-terminal COLUMNS=60 BOUGH_PAGER=cat bough search locale --limit 2 | mask
echo "-- terms that overlap, and a hit without a highlight"
BOUGH_STORE="$PWD/overlap.db"
export BOUGH_STORE
id=$(bough new Overlap)
bough append "$id" "one two three" >/dev/null
bough search 'one two "one two three"' | cut -f 6-
bough search role:user | cut -f 6-
