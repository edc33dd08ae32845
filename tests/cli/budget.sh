#!/bin/sh
# Budgets: set, listed with what was spent, changed, removed; what makes no sense is refused.
bough budget ls 2>/dev/null || echo "exit $?"
mkdir -p "$HOME/shop" && cd "$HOME/shop" || exit 1
bough budget set 50 --project . | mask
bough budget ls | wc -l
bough budget set 5.25 --token ci --window day --allow-unknown | mask
bough budget set \$0 --window total | mask
bough budget set 40 --project . | mask
s=$(bough new --project . --json | sed -E 's/.*"id":"([^"]*)".*/\1/')
bough budget set 1 --session "$s" --window total --json | mask | sed "s|$s|<session>|"
bough append "$s" --role assistant -m openai/gpt --cost 0.75 "done" >/dev/null
bough budget ls | mask | sed "s|$s|<session>|; s|$HOME|~|; s|20[0-9][0-9]-[0-9T:.Z-]*|<time>|g"
bough budget ls --json | mask | sed "s|$s|<session>|; s|$HOME|~|" | sed -n '1p;3p'
bough cost --json | grep -o '"cost_nano_usd":[0-9]*'
for id in $(bough budget ls --json | sed -E 's/.*"id":"([^"]*)","scope":"(store|token)".*/\1/; t; d'); do
    bough budget rm "$id" | mask
done
bough budget ls | wc -l
bough budget rm nope || echo "exit $?"
bough budget set || echo "exit $?"
bough budget set ten || echo "exit $?"
bough budget set -- -1 || echo "exit $?"
bough budget set 1 --project . --token ci || echo "exit $?"
bough budget set 1 --window year || echo "exit $?"
bough budget set 1 --session nope || echo "exit $?"
bough budget sell || echo "exit $?"
bough fsck
