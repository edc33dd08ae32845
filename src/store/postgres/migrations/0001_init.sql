-- Source tables, like SQLite's migration of the same number. Every change writes its changelog row
-- (table log) in the same transaction. Times are milliseconds since 1970. Numbers never change. All
-- tables are in the store's own schema.

CREATE TABLE meta (
    key   text PRIMARY KEY,
    value text NOT NULL
);

-- One row. Every writer updates it first and so holds its lock until the commit. This serializes
-- commits: a snapshot shows all changes up to some number and none after it. Counters never go
-- back.
CREATE TABLE counter (
    one      bool PRIMARY KEY DEFAULT true CHECK (one),
    commits  bigint NOT NULL,
    no       bigint NOT NULL,
    sessions bigint NOT NULL,
    branches bigint NOT NULL,
    blobs    bigint NOT NULL
) WITH (fillfactor = 10);
INSERT INTO counter (commits, no, sessions, branches, blobs) VALUES (0, 0, 0, 0, 0);

-- libbough reads body. The columns id to metadata repeat its content for SQL users. data and
-- metadata are JSON as the caller gave it, in columns of their own, because PostgreSQL cannot
-- extract values from JSON that contains \u0000.
CREATE TABLE session (
    sid    bigint PRIMARY KEY,
    ver    bigint NOT NULL,
    made   bigint NOT NULL,
    chk    bigint NOT NULL,
    parent bigint NOT NULL,
    kind   bigint NOT NULL,
    purged bigint NOT NULL,
    slug   text COLLATE "C" NOT NULL,
    body   bytea NOT NULL,
    id     text COLLATE "C" NOT NULL,
    doc    text,
    data   text,
    metadata text
);
CREATE INDEX session_id ON session (id);
CREATE UNIQUE INDEX session_slug ON session (slug) WHERE purged = 0;
CREATE INDEX session_made ON session (made, sid);
CREATE INDEX session_parent ON session (parent, sid) WHERE parent <> 0;

-- The position of a session and its lease. The row is narrow, and columns that change have no
-- index.
CREATE TABLE head (
    sid           bigint PRIMARY KEY,
    ver           bigint NOT NULL,
    bid           bigint NOT NULL,
    depth         bigint NOT NULL,
    status        bigint NOT NULL,
    deleted       bigint NOT NULL,
    lease_epoch   bigint NOT NULL,
    lease_since   bigint NOT NULL,
    lease_expires bigint NOT NULL,
    lease_owner   text NOT NULL
) WITH (fillfactor = 70);

CREATE TABLE branch (
    bid    bigint PRIMARY KEY,
    sid    bigint NOT NULL,
    parent bigint NOT NULL,
    base   bigint NOT NULL,
    cut    bigint NOT NULL
);
CREATE INDEX branch_sid ON branch (sid, bid);
CREATE INDEX branch_parent ON branch (parent, base, bid) WHERE parent <> 0;

-- parts is a JSON array of the parts' original bytes, stored apart from the rest of the packed
-- body. libbough joins both again; SQL users read it as it is. NULL: the parts are in body, because
-- PostgreSQL cannot store them as text. The columns no to metadata repeat what body contains, for
-- SQL users.
CREATE TABLE entry (
    bid   bigint NOT NULL,
    depth bigint NOT NULL,
    kind  bigint NOT NULL,
    mask  bigint NOT NULL,
    over  bigint NOT NULL,
    no    bigint NOT NULL,
    mno   bigint NOT NULL,
    time  bigint NOT NULL,
    role  smallint NOT NULL,
    id    text COLLATE "C" NOT NULL,
    body  bytea NOT NULL,
    parts text,
    data  text,
    metadata text,
    types text, -- of the parts, in order: text,tool
    PRIMARY KEY (bid, depth)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02);
-- lz4, if the server supports it: several times faster than the default, and about as small.
DO $$ BEGIN
    ALTER TABLE entry ALTER COLUMN parts SET COMPRESSION lz4;
EXCEPTION WHEN OTHERS THEN NULL;
END $$;
CREATE INDEX entry_id ON entry (id);
-- Finds compactions (3), changes of model (1) and of thinking level (2) in one step at any depth.
CREATE INDEX entry_mark ON entry (bid, kind, depth) WHERE kind IN (1, 2, 3) AND over = 0;

CREATE TABLE record (
    sid  bigint NOT NULL,
    kind bigint NOT NULL,
    ord  bigint NOT NULL,
    ver  bigint NOT NULL,
    over bigint NOT NULL,
    body bytea NOT NULL,
    doc  text,
    PRIMARY KEY (sid, kind, ord)
);

-- Foreign ids may contain any bytes.
CREATE TABLE alias (
    id    bytea NOT NULL,
    scope bigint NOT NULL,
    what  bigint NOT NULL,
    a     bigint NOT NULL,
    b     bigint NOT NULL,
    PRIMARY KEY (id, scope)
);
CREATE INDEX alias_scope ON alias (scope, id) WHERE scope <> 0;
CREATE INDEX alias_session ON alias (a) WHERE what = 1 AND scope = 0; -- other names of a session

CREATE TABLE key (
    sid     bigint NOT NULL,
    key     bytea NOT NULL,
    hash    bytea NOT NULL,
    no      bigint NOT NULL,
    expires bigint NOT NULL,
    bid     bigint NOT NULL,
    depth   bigint NOT NULL,
    PRIMARY KEY (sid, key)
);

CREATE TABLE log (
    no     bigint PRIMARY KEY,
    n      bigint NOT NULL,
    sid    bigint NOT NULL,
    kind   bigint NOT NULL,
    time   bigint NOT NULL,
    bid    bigint NOT NULL,
    depth  bigint NOT NULL,
    record bigint NOT NULL,
    aux    bigint NOT NULL
);
