-- Attachments: bytes kept once, however many entries show them, in pieces of 64 KB.

-- state 0: being written; 1: whole, perhaps linked by nobody; 2: linked. Only a hint for the sweep: what
-- counts are the rows of blob_link. since: when it was last stored by somebody who may still link it.
CREATE TABLE blob (
    bno   INTEGER PRIMARY KEY,
    state INTEGER NOT NULL,
    size  INTEGER NOT NULL,
    since INTEGER NOT NULL,
    hash  BLOB NOT NULL -- SHA-256; empty while being written
) STRICT;
CREATE UNIQUE INDEX blob_hash ON blob (hash) WHERE state <> 0;
CREATE INDEX blob_loose ON blob (since) WHERE state <> 2;

-- k = bno << 24 | piece.
CREATE TABLE chunk (
    k    INTEGER PRIMARY KEY,
    sum  INTEGER NOT NULL, -- CRC-32C of the bytes
    body BLOB NOT NULL
) STRICT;

-- k is the key of an entry. By entry first: a purge removes ranges of it.
CREATE TABLE blob_link (
    k   INTEGER NOT NULL,
    bno INTEGER NOT NULL,
    PRIMARY KEY (k, bno)
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_link_bno ON blob_link (bno);

INSERT INTO counter (name, value) VALUES ('blob', 0);
