-- Attachments: bytes stored once, in pieces of 64 KB, however many entries show them.

-- state 0: being written; 1: complete, possibly not linked; 2: linked. The state is a hint for the
-- sweep; the rows of blob_link decide. since: when the blob was last stored by a caller that may
-- still link it.
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

-- k is the key of an entry. It comes first in the primary key, so that a purge removes ranges.
CREATE TABLE blob_link (
    k   INTEGER NOT NULL,
    bno INTEGER NOT NULL,
    PRIMARY KEY (k, bno)
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_link_bno ON blob_link (bno);

INSERT INTO counter (name, value) VALUES ('blob', 0);
