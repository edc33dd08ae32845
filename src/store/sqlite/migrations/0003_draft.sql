-- Messages that are still being written. The entry itself is there from the start; who writes it
-- stands in `open`, what was written so far in `draft`. Both go when it is sealed.

CREATE TABLE open (
    k        INTEGER PRIMARY KEY,
    sid      INTEGER NOT NULL,
    ver      INTEGER NOT NULL,
    epoch    INTEGER NOT NULL,
    since    INTEGER NOT NULL,
    expires  INTEGER NOT NULL,
    lease_ms INTEGER NOT NULL,
    owner    TEXT NOT NULL,
    process  TEXT NOT NULL
) STRICT;

-- Adding steps touches this table alone: what they make of the message is found by adding them up.
CREATE TABLE draft (
    k    INTEGER NOT NULL,
    upto INTEGER NOT NULL,
    step INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (k, upto)
) STRICT, WITHOUT ROWID;
