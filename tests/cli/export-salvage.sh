#!/bin/sh
# Salvage only reads; its exit code says when it found nothing to save.
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
