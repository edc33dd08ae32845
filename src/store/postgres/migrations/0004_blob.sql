-- Attachments: bytes stored once, in pieces of 64 KB, however many entries show them. state 0:
-- being written; 1: complete, possibly not linked; 2: linked. The state is a hint for the sweep;
-- the rows of blob_link decide.
CREATE TABLE blob (
    bno   bigint PRIMARY KEY,
    state bigint NOT NULL,
    size  bigint NOT NULL,
    since bigint NOT NULL,
    hash  bytea NOT NULL -- SHA-256; empty while being written
);
CREATE UNIQUE INDEX blob_hash ON blob (hash) WHERE state <> 0;
CREATE INDEX blob_loose ON blob (since, bno) WHERE state <> 2;

CREATE TABLE chunk (
    bno  bigint NOT NULL,
    idx  bigint NOT NULL,
    sum  bigint NOT NULL, -- CRC-32C of the bytes
    body bytea NOT NULL,
    PRIMARY KEY (bno, idx)
);
ALTER TABLE chunk ALTER body SET STORAGE EXTERNAL; -- images and archives: nothing to compress

-- The entry comes first in the primary key, so that a purge removes ranges.
CREATE TABLE blob_link (
    bid   bigint NOT NULL,
    depth bigint NOT NULL,
    bno   bigint NOT NULL,
    PRIMARY KEY (bid, depth, bno)
);
CREATE INDEX blob_link_bno ON blob_link (bno, bid, depth);
