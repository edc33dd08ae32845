#!/bin/sh
# Cost by day, directory, model and session.
export BOUGH_STORE="$PWD/a.db"
talk
bough cost | mask
bough cost --by project
bough cost --by model
bough cost --by session | mask
bough cost --by session --json | mask
bough cost -b day --json | mask
bough append '#2' --role assistant -m openai/gpt --cost 1 "Paid by a fork." >/dev/null
bough cost --by model # adds up, without adjustments
echo "-- of a time and of a directory"
bough append '#2' --role assistant -m openai/gpt --cost 2 --time 2020-05-05 "Long ago." >/dev/null
bough cost | mask
bough cost --until 2020-05-06
bough cost --since 2030-01-01; echo "exit $?"
bough new Here >/dev/null && bough append '#4' --role assistant -m gpt --cost 3 --input 5 --cache-read 6 "Here." >/dev/null
bough cost --here -b model
bough cost -p /srv/shop -b project
echo "-- deleted sessions count"
bough rm '#4' && bough cost --here -b model
echo "-- by provider, account, week and month"
bough new Account --account acme >/dev/null && bough append '#5' --role assistant -m openai/gpt --cost 4 --time 2026-11-04 "Wednesday." >/dev/null
bough cost -b provider
bough cost -b account
bough cost -b week --until 2026-11-09
bough cost -b month --until 2026-11-09 --json
echo "-- a purged session stays spent, without its model"
bough purge '#5' --yes >/dev/null && bough cost -b model --until 2026-11-09 && bough cost -b account --until 2026-11-09
echo "-- refused"
bough cost --by year; echo "exit $?"
bough cost --since soon; echo "exit $?"
bough cost extra; echo "exit $?"
bough --store none.db cost 2>&1 | mask
