#!/bin/sh
# Salvage only reads, and says by its exit code when nothing was to be saved.
say() {
    bough export "$@" >../out 2>../said
    code=$?
    sed "s|$PWD/||g" ../said
    echo "exit $code, $(wc -l <../out) lines"
}
say
say --salvage none.db
echo 'not a store' >text.db
say --salvage text.db
cat text.db
say --salvage text.db -o text.db
say --salvage text.db -o saved.jsonl
ls
