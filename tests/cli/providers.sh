#!/bin/sh
# Providers of the configuration are listed and tested; another server of bough plays a provider.
config=home/.config/bough/config.ini
mkdir -p home/.config/bough
bough providers; echo "exit $?"
echo "-- the usual variables are enough"
OPENAI_API_KEY=sk-canary ANTHROPIC_API_KEY=sk-canary bough providers
OPENAI_API_KEY=sk-canary bough providers --json
echo "-- sections"
printf '[provider "a"]\nkind = anthropic\nkey_env = NO_SUCH_KEY\nmodels = claude-*\n[gateway]\ndefault = a\n' >$config
bough providers
bough providers test; echo "exit $?"
echo "-- wrong settings"
printf '[provider "a"]\nkind = anthropic\nmodel = x\n' >$config
bough providers; echo "exit $?"
bough serve --socket "$PWD/s" 2>&1; echo "exit $?"
bough providers other; echo "exit $?"
bough providers ls a; echo "exit $?"
printf '[gateway]\nrecordd = off\n' >$config
bough providers; echo "exit $?"
printf '[provider "a"]\nkind = openai-compatible\nbase_url = https://%0200d\n' 1 >$config
bough providers 2>&1 | sed "s|$PWD|.|"
printf '[provider "%050d"]\nkind = openai\n' 1 >$config
bough providers 2>&1 | sed "s|$PWD|.|"
echo "-- another bough as a provider"
nowhere='base_url = http://127.0.0.1:1\nallow_private = yes\n'
printf '%b' '[provider "far"]\nkind = anthropic\nauth = none\n'"$nowhere"'models = claude-opus-5\n' >far.ini
printf '%b' '[provider "mine"]\nkind = openai\nkey_env = FAR_KEY\n'"$nowhere"'models = m-1\nalias = fast=m-1\n' >>far.ini
mkdir -p far/bough && mv far.ini far/bough/config.ini
printf '[provider "near"]\nkind = openai-compatible\nbase_url = http://127.0.0.1:1\nallow_private = yes\n' >$config
bough --store a.db token create tool --scopes gateway >key && chmod 600 key
FAR_KEY=sk-canary XDG_CONFIG_HOME="$PWD/far" bough --store a.db serve --socket "$PWD/s" --listen 127.0.0.1:0 >out 2>log &
server=$!
for _ in $(seq 200); do grep -qs '^Listening on http' out && break; sleep 0.1; done
grep -qs canary /proc/$server/environ /proc/$server/cmdline || echo "no key in its environment or arguments"
url=$(sed -n 's|^Listening on \(http://127[^ ]*\).*|\1|p' out)
printf '[provider "bough"]\nkind = openai-compatible\nbase_url = %s\nallow_private = yes\nkey_file = %s/key\n' "$url" "$PWD" >$config
bough providers test --json | sed "s|$url|URL|; s|$PWD|.|g; s/\"\\(checked_at\\|models_at\\)\":\"[^\"]*\"/\"\\1\":TIME/g; s/\"latency_ms\":[0-9]*/\"latency_ms\":N/"
bough providers test bough | cut -f 1-3,5
bough providers test nobody; echo "exit $?"
bough providers test bough --call nothing >/dev/null; echo "exit $?"
echo "-- a key that others can read is not used"
chmod 644 key
bough providers test | sed "s|$PWD|.|g"; bough providers test >/dev/null; echo "exit $?"
chmod 600 key
echo "-- a wrong file does not end a server; a right one counts at once"
printf '[provider "far"]\nkind = none\n' >far/bough/config.ini
kill -HUP $server
for _ in $(seq 200); do grep -q 'providers stay' log && break; sleep 0.1; done
grep -o 'the providers stay as they were.*' log
printf '%b' '[provider "mine"]\nkind = openai\nkey_env = FAR_KEY\n'"$nowhere"'models = m-2 m-3 m-4\n' >far/bough/config.ini
kill -HUP $server
for _ in $(seq 200); do grep -q 'reloaded' log && break; sleep 0.1; done
bough providers test bough | cut -f 1,3,5
kill $server
wait $server
echo "server: exit $?"
grep -c canary log out
true
