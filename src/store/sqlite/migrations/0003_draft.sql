-- Open messages. The entry exists from the start, its lease is in `open`, and the steps so far are
-- in `draft`. Sealing the message removes both.

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

-- Adding steps writes only this table. The content of the message is computed from all its steps.
CREATE TABLE draft (
    k    INTEGER NOT NULL,
    upto INTEGER NOT NULL,
    step INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (k, upto)
) STRICT, WITHOUT ROWID;
