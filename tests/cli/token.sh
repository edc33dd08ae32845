#!/bin/sh
# Tokens: made once, listed without their secret, revoked; nothing of the secret is in the file.
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
grep -c "$secret" "$HOME/.local/share/bough/bough.db"
bough fsck
