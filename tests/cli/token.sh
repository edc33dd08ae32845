#!/bin/sh
# Tokens: created, listed without their secret, revoked; the secret is not in the file.
secret=$(bough token create ci --scopes read,export)
echo "$secret" | sed -E 's/[0-9a-f]{64}/<secret>/'
bough token create ci || echo "exit $?"
bough token create all --scopes all --project /srv/shop --days 0 --json | mask | sed -E 's/[0-9a-f]{64}/<secret>/'
bough token ls | mask
bough token revoke ci
bough token revoke ci
bough token revoke nobody || echo "exit $?"
bough token ls --json | mask
bough token create x --scopes fly || echo "exit $?"
bough token create || echo "exit $?"
bough token sell x || echo "exit $?"
cat "$HOME"/.local/share/bough/bough.db* | grep -ac "${secret#bough_}"
bough fsck
mkdir -p "$HOME/work" && cd "$HOME" && bough token create here --project ./work --json | grep -o '"project":"[^"]*"' | sed "s|$HOME|~|"
