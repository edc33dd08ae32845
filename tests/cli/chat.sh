#!/bin/sh
# Prompts are sent to a provider, and stored with their replies: from a pipe, as an option, on a terminal.
export BOUGH_STORE="$PWD/a.db"
mkdir -p home/.config/bough
fake-provider >port &
provider=$!
for _ in $(seq 200); do [ -s port ] && break; sleep 0.1; done
printf '[provider "local"]\nkind = openai-compatible\nbase_url = http://127.0.0.1:%s\nallow_private = yes\nauth = none\n' \
    "$(cat port)" >home/.config/bough/config.ini
bough chat --model tiny-1 --say "hello there"; echo "exit $?"
echo "and from a pipe" | bough chat .; echo "exit $?"
bough show . --no-header | mask
echo "-- a provider that refuses"
bough chat . --say fail; echo "exit $?"
echo "-- no model, no provider, no prompt, no such session"
bough chat --say "hi"; echo "exit $?"
HOME=$PWD/nowhere bough chat --model m --say "hi" 2>&1 | mask
bough ls | wc -l
bough chat . --say " "; echo "exit $?"
bough chat nowhere --say hi 2>&1 | mask
echo "-- on a terminal: commands, and Ctrl-C keeps what came"
{ sleep 1; printf 'typed words\r'; sleep 1; printf '/help\r'; sleep 1; printf 'slow\r'; sleep 2; printf '\003'; sleep 1; printf '/quit\r'; sleep 1; } |
    TERM=dumb script -qefc 'bough chat .' /dev/null >screen 2>&1
for words in 'TYPED WORDS' '/retry' 'SLOW'; do grep -qa "$words" screen && echo "shown: $words"; done
bough show . --no-header --last 2 | mask
echo "-- a summary by a model"
bough compact . --model tiny-1 --keep-tokens 1 | mask
bough context . --dialect openai-chat | grep -o 'A text of many words.'
bough compact . --keep @1; echo "exit $?"
kill $provider
bough fsck >/dev/null; echo "fsck $?"
