#!/bin/sh
# Messages in a pipe: plain, complete, with ISO times and unrendered Markdown.
export BOUGH_STORE="$PWD/a.db"
talk
bough show '#1' | mask
echo "-- pieces"
at() { bough show "$@" --no-header | sed -n 's/^[a-z_]*  \(.*#[0-9.]*\)  .*/\1/p' | tr '\n' ' '; echo; }
at '#1' --last 2
at '#1' --from @5
at '#1' --at '#2.4'
at '#1' --at '#2.4' --from '#2.3'
bough show '#1' --from '#2.3'; echo "exit $?"
at '#1' --user
at '#1' --tools
at '#1' --messages
at '#1' --own
at '#1' --since-marker
at '#2'
bough show '#1' @6 | mask
bough show '#1' cause | mask
bough show '#1' head --json | mask
bough show '#1' --parts --last 3 --no-header | mask
bough show '#1' nothing; echo "exit $?"
bough show '#1' @99; echo "exit $?"
bough show '#1' --last 2 --from @1; echo "exit $?"
echo "-- long output is shortened on a terminal"
printf '[{"type":"tool_result","tool_use_id":"x","content":"%s"}]' "$(seq 1 20 | sed 's/$/\\n/' | tr -d '\n')" |
    bough append '#1' --role tool --parts - >/dev/null
on-terminal NO_COLOR=1 PAGER=cat bough show '#1' --last 1 --no-header | mask
on-terminal NO_COLOR=1 PAGER=cat bough show '#1' --last 1 --no-header --full | tail -n 4
echo "-- but not in a pipe"
bough show '#1' --last 1 --no-header | tail -n 4
