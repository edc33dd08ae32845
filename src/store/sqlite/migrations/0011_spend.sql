-- What the calls of a session spent on a day (of UTC, days since 1970), for a model: derived from
-- the calls, and folded together with the list rows. sid 0: purged sessions without an heir. project
-- and account are those of the session when the call was stored; -1: not kept. cost is in nano-USD.
CREATE TABLE spend (
    day         INTEGER NOT NULL,
    sid         INTEGER NOT NULL,
    project     INTEGER NOT NULL,
    account     INTEGER NOT NULL,
    provider    TEXT NOT NULL,
    model       TEXT NOT NULL,
    calls       INTEGER NOT NULL,
    unknown     INTEGER NOT NULL,
    input       INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    reasoning   INTEGER NOT NULL,
    cache_read  INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    cost        INTEGER NOT NULL,
    duration    INTEGER NOT NULL,
    PRIMARY KEY (day, sid, project, account, provider, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX spend_sid ON spend (sid, day);
CREATE INDEX spend_project ON spend (project, day) WHERE project <> 0;
CREATE INDEX spend_account ON spend (account, day) WHERE account <> 0;
-- A store that has calls already: the next program that opens it rebuilds what is derived.
UPDATE projection SET no = -1 WHERE name = 'list' AND no > 0;
