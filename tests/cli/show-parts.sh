#!/bin/sh
# Of a part of a session the system prompt is not shown; custom messages are, unless they are for the model only.
export BOUGH_STORE="$PWD/a.db"
cat >pi.jsonl <<'END'
{"type":"session","version":3,"id":"cm-1","timestamp":"2026-01-02T03:04:05Z","cwd":"/srv/x"}
{"type":"message","id":"aaaa1111","parentId":null,"timestamp":"2026-01-02T03:04:06Z","message":{"role":"user","content":"hello","timestamp":1}}
{"type":"custom_message","id":"bbbb1111","parentId":"aaaa1111","timestamp":"2026-01-02T03:04:07Z","customType":"note","content":"a walrus was here","display":true}
{"type":"custom_message","id":"cccc1111","parentId":"bbbb1111","timestamp":"2026-01-02T03:04:08Z","customType":"secret","content":[{"type":"text","text":"a narwhal hides"}],"display":false}
END
bough import --yes pi.jsonl >/dev/null 2>&1
bough show 1 | grep -v ^session | mask
bough show 1 --hidden --no-header | tail -n 3 | mask
bough show 1 --json | wc -l
bough tree 1 | mask
bough search walrus | cut -f 5-
bough search narwhal; echo "exit $?"
echo "-- the system prompt, the provider, a cost that is not known"
bough new "Prompted" --system "You are terse." -m anthropic/claude >/dev/null
bough append 2 "one" >/dev/null
bough append 2 --role assistant -m anthropic/claude --input 10 --output 5 "two" >/dev/null
bough show 2 | mask
bough show 2 --last 1 | mask
