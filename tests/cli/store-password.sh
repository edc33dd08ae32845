#!/bin/sh
# A password in an argument is visible to other users: it is refused.
for url in "postgres://me:secret@localhost/x" "postgresql://me:@localhost/x" "postgres://me@h/x?password=secret" "postgres://h/x?a=b&sslpassword=s"; do
    bough ls --store "$url" || echo "exit $?"
done
bough migrate --to "postgres://me:secret@localhost/x" || echo "exit $?"
bough new x --store "sqlite:$PWD/a@b:c.db" >/dev/null && echo "a file may have any name"
