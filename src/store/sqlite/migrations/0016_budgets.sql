-- What the calls of a session spent on a day now also says whose handle stored them (a principal such as 'token:ci', '' for the
-- owner), so that a budget can be that of a token. It is derived: the next program that opens the store rebuilds it.
DROP TABLE spend;
CREATE TABLE spend (
    day         INTEGER NOT NULL,
    sid         INTEGER NOT NULL,
    project     INTEGER NOT NULL,
    account     INTEGER NOT NULL,
    provider    TEXT NOT NULL,
    model       TEXT NOT NULL,
    principal   TEXT NOT NULL,
    calls       INTEGER NOT NULL,
    unknown     INTEGER NOT NULL,
    input       INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    reasoning   INTEGER NOT NULL,
    cache_read  INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    cost        INTEGER NOT NULL,
    duration    INTEGER NOT NULL,
    PRIMARY KEY (day, sid, project, account, provider, model, principal)
) STRICT, WITHOUT ROWID;
CREATE INDEX spend_sid ON spend (sid, day);
CREATE INDEX spend_project ON spend (project, day) WHERE project <> 0;
CREATE INDEX spend_account ON spend (account, day) WHERE account <> 0;
CREATE INDEX spend_principal ON spend (principal, day) WHERE principal <> '';
UPDATE projection SET no = -1 WHERE name = 'list' AND no > 0;
-- Records of kind 15 with the name 'budget' are budgets and their reservations. An older bough would ignore them.
