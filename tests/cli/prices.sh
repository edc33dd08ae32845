#!/bin/sh
# Prices: lists, the one of a day, and costs computed again.
export BOUGH_STORE="$PWD/a.db"
bough prices ls gpt-5.5
bough prices ls gpt-5.5-pro --json
bough prices ls no-such-model; echo "exit $?"
echo "-- the price of a day"
bough prices check claude-opus-5 --at 2026-11-16
bough prices check openai/gpt-5.5-2026 --at 2026-11-16
bough prices check openai/gpt-5.5 --at 2026-01-01; echo "exit $?"
bough prices check ollama/anything --at 2026-11-16
bough prices check anything --at 2026-11-16; echo "exit $?"
echo "-- computed again"
bough new Talk >/dev/null
bough append '#1' --role assistant -m openai/gpt-5.5 --input 1000 --output 100 --time 2026-06-01 "Listed." >/dev/null
bough append '#1' --role assistant -m openai/none --input 1000 --output 100 --time 2026-06-01 "Unknown." >/dev/null
bough append '#1' --role assistant -m openai/gpt-5.5 --input 1000 --cost 1 --time 2026-06-01 "Given." >/dev/null
bough prices recompute --dry-run
bough cost --by model
bough prices recompute --since 2026-06-02
bough prices recompute
bough prices recompute --json
bough cost --by model
printf 'provider,model,valid_from,input,output\nopenai,none,2026-01-01,0.5,2.125\n' >more.csv
bough prices check none --file more.csv
bough prices recompute --file more.csv
bough cost --by model
echo "-- overrides of the configuration"
mkdir -p home/.config/bough
printf '[price "openai/gpt-5.5"]\ninput = 1\n[price "mine/*"]\ninput = 0.5\noutput = 2.125\n' >home/.config/bough/config.ini
bough prices check openai/gpt-5.5 --at 2026-11-16
bough prices check mine/anything --at 2026-11-16
bough prices ls mine --json
bough prices check none --file more.csv
bough prices recompute --file more.csv
bough cost --by model
printf '[price "openai/gpt-5.5"]\ninput = cheap\n' >home/.config/bough/config.ini
bough prices ls; echo "exit $?"
rm home/.config/bough/config.ini
echo "-- refused"
printf 'provider,model,valid_from,input,output\nopenai,none,today,1,2\n' >bad.csv
bough prices ls --file bad.csv; echo "exit $?"
bough prices recompute --file bad.csv; echo "exit $?"
bough prices ls --file missing.csv; echo "exit $?"
bough prices check; echo "exit $?"
bough prices recompute extra; echo "exit $?"
bough prices update; echo "exit $?"
bough --store none.db prices recompute 2>&1 | mask
bough fsck
