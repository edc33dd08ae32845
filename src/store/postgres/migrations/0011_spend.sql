-- What the calls of a session spent on a day (of UTC, days since 1970), for a model: derived from
-- the calls, and folded together with the list rows. sid 0: purged sessions without an heir. project
-- and account are those of the session when the call was stored; -1: not kept. cost is in nano-USD.
CREATE TABLE spend (
    day         bigint NOT NULL,
    sid         bigint NOT NULL,
    project     bigint NOT NULL,
    account     bigint NOT NULL,
    provider    text COLLATE "C" NOT NULL,
    model       text COLLATE "C" NOT NULL,
    calls       bigint NOT NULL,
    unknown     bigint NOT NULL,
    input       bigint NOT NULL,
    output      bigint NOT NULL,
    reasoning   bigint NOT NULL,
    cache_read  bigint NOT NULL,
    cache_write bigint NOT NULL,
    cost        bigint NOT NULL,
    duration    bigint NOT NULL,
    PRIMARY KEY (day, sid, project, account, provider, model)
);
CREATE INDEX spend_sid ON spend (sid, day);
CREATE INDEX spend_project ON spend (project, day) WHERE project <> 0;
CREATE INDEX spend_account ON spend (account, day) WHERE account <> 0;
-- A store that has calls already: the next program that opens it rebuilds what is derived.
UPDATE projection SET no = -1 WHERE name = 'list' AND no > 0;
