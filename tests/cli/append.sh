#!/bin/sh
# Ways to append: text, stdin, parts, JSON Lines, with a call, at another entry than the head.
export BOUGH_STORE="$PWD/a.db"
bough append '#1' hello 2>err; echo "exit $?"; mask <err
bough new Talk >/dev/null
bough append '#1' "plain" | mask
echo "from a pipe" | bough append . - | mask
printf '{"role":"user","text":"one","id":"x1","time":"2026-01-02T03:04:05Z"}\n\n{"role":"assistant","content":[{"type":"text","text":"two"}]}\n{"kind":"model_change","data":{"modelId":"gpt"}}\n' |
    bough append '#1' --jsonl | mask
bough append '#1' --role assistant -m openai/gpt --input 10 --output 5 --reasoning 1 --cache-read 2 --cache-write 3 --cost 0.5 "paid" --json | mask
bough append '#1' --key k "once" --json | mask
bough append '#1' --key k "once" --json | mask
bough append '#1' --at @1 --keep-head "aside" --json | mask
bough append '#1' --root "again from nothing" --json | mask
bough show '#1' --own --json | mask | cut -c 1-400
echo "-- refused"
bough append '#1'; echo "exit $?"
bough append '#1' x --role nobody; echo "exit $?"
bough append '#1' x --parts '[]'; echo "exit $?"
bough append '#1' --parts '{"type":'; echo "exit $?"
bough append '#1' x --cost much; echo "exit $?"
bough append '#1' x --input -3; echo "exit $?"
printf '{"role":"user","text":"kept"}\nnot json\n' | bough append '#1' --jsonl 2>&1 | mask
bough append '#1' x --time soon; echo "exit $?"
bough append '#1' x --time 2026-02-30; echo "exit $?"
bough append '#1' x --time 1970-01-01; echo "exit $?"
echo '{"role":"user","text":"x","time":"2026-13-01"}' | bough append '#1' --jsonl; echo "exit $?"
echo '{"role":"user","text":"x","time":0}' | bough append '#1' --jsonl; echo "exit $?"
bough append '#1' x --root --at @1; echo "exit $?"
bough append '#9' x; echo "exit $?"
bough fsck
