-- Where a request of a client belongs: keys (hashes, cut to 16 bytes) of what replies said, of their ids, and of clients' names of
-- sessions. Derived from entries and calls, and written with them. bid 0: the row names session `depth`, not an entry. A look-up
-- reads the rows of one key, the newest first.
CREATE TABLE seen (
    key    BLOB NOT NULL,
    no     INTEGER NOT NULL,
    bid    INTEGER NOT NULL,
    depth  INTEGER NOT NULL,
    strict INTEGER NOT NULL,
    PRIMARY KEY (key, no)
) STRICT, WITHOUT ROWID;
-- Calls keep what a gateway knows of them (tags from 25 on), and sessions the name that a client gave them (tags 21 and 22). A
-- changelog row of kind 16 says that a call got another price. An older bough does not know them.
