#!/bin/sh
# Tools without a server: built-in ones, and those of MCP servers. bough itself plays the MCP server, over stdio and over HTTP.
config=home/.config/bough/config.ini
mkdir -p home/.config/bough work
echo "-- built in"
bough tools
bough tools ls files -C work
bough tools ls demo --json | head -n 1
bough tools call files write '{"path":"a/b.txt","content":"one\ntwo\n"}' -C work; cat work/a/b.txt
bough tools call files edit '{"path":"a/b.txt","old_text":"two","new_text":"three"}' -C work --json
echo '{"path":"a/b.txt"}' | bough tools call files read - -C work
bough tools call files read '{"path":"../home/.profile"}' -C work; echo "exit $?"
bough tools call files/read '{}' -C work; echo "exit $?"
bough tools call demo weather '{"city":"Oslo"}'
printf '\033[31mred\n' >work/colour
bough tools call files read '{"path":"colour"}' -C work
echo "-- the shell is off, unless it is configured"
bough tools call shell run '{"command":"echo hello"}' -C work; echo "exit $?"
printf '[tools "shell"]\non = yes\nconfine = no\n' >$config
bough tools call shell run '{"command":"echo hello; exit 4"}' -C work; echo "exit $?"
echo "-- sessions"
export BOUGH_STORE="$PWD/a.db"
talk
bough tools call bough memories '{}' --session 1; echo "exit $?"
bough tools call bough todos '{}' --session 1; echo "exit $?"
bough tools call bough search_sessions '{"query":"locale","limit":1}' --session 1 | mask | cut -c1-60
echo "-- an MCP server: a program"
# shellcheck disable=SC2016 # bough replaces $SECRET, and its child $CANARY
printf '[tools "own"]\ncommand = bough --store "%s/a.db" mcp\n[tools "none"]\ncommand = /no/such/program\n[tools "quits"]\ncommand = sh -c "echo $CANARY bye >&2; exit 3"\nset = CANARY=$SECRET\n' "$PWD" >$config
export SECRET=canary-in-the-mine
bough tools
bough tools test 2>&1; echo "exit $?"
bough tools test own --json | sed 's/"version":"[^"]*"/"version":VERSION/'
bough tools test nobody; echo "exit $?"
bough tools ls own | cut -f 1-3
bough tools call own list_chat_sessions '{"limit":1}' | mask | cut -c1-60
bough tools call own get_tree '{"session":"nobody"}'; echo "exit $?"
bough tools call own mcp__own__get_cost >/dev/null; echo "exit $?"
bough tools call own nothing; echo "exit $?"
echo "-- an MCP server: a URL"
bough --store a.db token create tool --scopes mcp,read >key
bough --store a.db serve --socket "$PWD/s" --listen 127.0.0.1:0 >out 2>log &
server=$!
for _ in $(seq 200); do grep -qs '^Listening on http' out && break; sleep 0.1; done
url=$(sed -n 's|^Listening on \(http://127[^ ]*\).*|\1|p' out)
printf '[tools "far"]\nurl = %s/mcp\nallow_private = yes\nheader = Authorization: Bearer file:%s/key\n' "${url%/}" "$PWD" >$config
bough tools test far
bough tools call far list_chat_sessions '{"limit":1}' | mask | cut -c1-60
printf '[tools "far"]\nurl = %s/mcp\nallow_private = yes\n' "${url%/}" >$config
bough tools test far 2>&1 | cut -c1-140; echo "exit $?"
kill $server
wait $server
bough tools test far 2>&1 | cut -c1-140
echo "-- wrong settings"
for lines in 'command = x\nurl = https://x' 'url = http://x' 'comand = x' 'command = "x' 'command = x\nset = A' 'command = x\ntrust = maybe' 'env = PATH'; do
    printf '[tools "a"]\n%b\n' "$lines" >$config
    bough tools; echo "exit $?"
done
printf '[tools "files"]\ncommand = x\n' >$config
bough tools
echo "-- wrong command lines"
rm $config
bough tools other; bough tools ls a b; bough tools call files; bough tools ls files --session 1; bough tools ls files -C nowhere; true
