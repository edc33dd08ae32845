#!/bin/sh
# fsck only reads: it makes no store, and says by its exit code that it could not look at one.
look() {
    bough fsck "$@" >../said 2>&1
    code=$?
    sed "s|$PWD/||g" ../said
    echo "exit $code"
}
look --store none.db
ls
echo 'not a store' >text.db
look --store text.db
cat text.db
look --deeper
look --quick --repair
look --store none.db --repair
bough help fsck | head -n 1
