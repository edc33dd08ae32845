-- Source tables; nothing here is derived. Every change writes its changelog row (table log) in the
-- same transaction. Times are milliseconds since 1970. Numbers never change. Bodies are the last
-- column, so that filters need not read them.

CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Counters never go back: removing the row with the highest number must not free that number.
CREATE TABLE counter (
    name  TEXT NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO counter (name, value) VALUES ('session', 0), ('branch', 0);

CREATE TABLE session (
    sid    INTEGER PRIMARY KEY,
    ver    INTEGER NOT NULL,
    made   INTEGER NOT NULL,
    chk    INTEGER NOT NULL,
    parent INTEGER NOT NULL,
    kind   INTEGER NOT NULL,
    purged INTEGER NOT NULL,
    slug   TEXT NOT NULL,
    body   BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX session_slug ON session (slug) WHERE purged = 0;
CREATE INDEX session_made ON session (made);
CREATE INDEX session_parent ON session (parent) WHERE parent <> 0;

-- The position of a session and its lease. The row is narrow, so that updates are cheap.
CREATE TABLE head (
    sid           INTEGER PRIMARY KEY,
    ver           INTEGER NOT NULL,
    bid           INTEGER NOT NULL,
    depth         INTEGER NOT NULL,
    status        INTEGER NOT NULL,
    deleted       INTEGER NOT NULL,
    lease_epoch   INTEGER NOT NULL,
    lease_since   INTEGER NOT NULL,
    lease_expires INTEGER NOT NULL,
    lease_owner   TEXT NOT NULL
) STRICT;

CREATE TABLE branch (
    bid    INTEGER PRIMARY KEY,
    sid    INTEGER NOT NULL,
    parent INTEGER NOT NULL,
    base   INTEGER NOT NULL,
    cut    INTEGER NOT NULL
) STRICT;
CREATE INDEX branch_sid ON branch (sid);
CREATE INDEX branch_parent ON branch (parent, base) WHERE parent <> 0;

-- k = bid << 32 | depth. A branch is stored in the order of its path, and an entry is found by its
-- id without an index.
CREATE TABLE entry (
    k    INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    mask INTEGER NOT NULL,
    over INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;
-- Compactions (kind 3) that are not deleted. The index finds the latest marker in one step at any
-- depth.
CREATE INDEX entry_mark ON entry (kind) WHERE kind = 3 AND over = 0;

-- k = sid << 32 | kind << 28 | ordinal.
CREATE TABLE record (
    k    INTEGER PRIMARY KEY,
    ver  INTEGER NOT NULL,
    over INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE alias (
    id    TEXT NOT NULL,
    scope INTEGER NOT NULL,
    what  INTEGER NOT NULL,
    a     INTEGER NOT NULL,
    b     INTEGER NOT NULL,
    PRIMARY KEY (id, scope)
) STRICT, WITHOUT ROWID;
CREATE INDEX alias_scope ON alias (scope) WHERE scope <> 0;
CREATE INDEX alias_session ON alias (a) WHERE what = 1 AND scope = 0; -- other names of a session

-- sid is the session number inside the key. One B-tree serves both lookup and purge.
CREATE TABLE key (
    sid     INTEGER NOT NULL,
    key     TEXT NOT NULL,
    hash    BLOB NOT NULL,
    no      INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    bid     INTEGER NOT NULL,
    depth   INTEGER NOT NULL,
    PRIMARY KEY (sid, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE log (
    no     INTEGER PRIMARY KEY,
    n      INTEGER NOT NULL,
    sid    INTEGER NOT NULL,
    kind   INTEGER NOT NULL,
    time   INTEGER NOT NULL,
    bid    INTEGER NOT NULL,
    depth  INTEGER NOT NULL,
    record INTEGER NOT NULL,
    aux    INTEGER NOT NULL
) STRICT;
