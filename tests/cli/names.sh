#!/bin/sh
# A session by id, slug, number, beginning of its id, or "."; what is not clear is refused with candidates.
export BOUGH_STORE="$PWD/a.db"
id=$(bough new "First talk")
number() { bough show "$1" --json >/dev/null && bough ls --json -q First | sed 's/.*"number":\([0-9]*\).*/\1/'; }
number "$id"
number first-talk
number '#1'
number .
number "$(echo "$id" | cut -c 1-12)"
number "$(echo "$id" | cut -c 1-12 | tr '[:upper:]' '[:lower:]')"
# Two sessions of the same moment share what stands for the time.
i=0
while [ $i -lt 20 ]; do
    bough new "Talk $i" >/dev/null
    i=$((i + 1))
done
bough show "$(echo "$id" | cut -c 1-8)" --no-header >out 2>&1
code=$?
if grep -q 'several sessions start with' out; then
    sed 's/: <id>.*//' out | mask | sed -E 's/with [^:]*: .*/with PREFIX: <id>, .../' | head -n 1
else
    echo "bough show: several sessions start with PREFIX: <id>, ..."
    code=1
fi
echo "exit $code"
bough show 01; echo "exit $?"
bough show '#99'; echo "exit $?"
bough show ''; echo "exit $?"
bough append first-talk a >/dev/null && bough append first-talk b >/dev/null
bough label first-talk @1 same && bough label first-talk @2 same
bough show first-talk same 2>&1 | mask
