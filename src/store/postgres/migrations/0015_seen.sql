-- Where a request of a client belongs: keys (hashes, cut to 16 bytes) of what replies said, of their ids, and of clients' names of
-- sessions. Derived from entries and calls, and written with them. bid 0: the row names session `depth`, not an entry. A look-up
-- reads the rows of one key, the newest first.
CREATE TABLE seen (
    key    bytea NOT NULL,
    no     bigint NOT NULL,
    bid    bigint NOT NULL,
    depth  bigint NOT NULL,
    strict bigint NOT NULL,
    PRIMARY KEY (key, no)
);
-- Calls keep what a gateway knows of them (tags from 25 on), and sessions the name that a client gave them (tags 21 and 22). A
-- changelog row of kind 16 says that a call got another price. An older bough does not know them.
