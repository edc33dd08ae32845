-- What the calls of a session spent on a day now also says whose handle stored them (a principal such as 'token:ci', '' for the
-- owner), so that a budget can be that of a token. It is derived: the next program that opens the store rebuilds it.
DROP TABLE spend;
CREATE TABLE spend (
    day         bigint NOT NULL,
    sid         bigint NOT NULL,
    project     bigint NOT NULL,
    account     bigint NOT NULL,
    provider    text COLLATE "C" NOT NULL,
    model       text COLLATE "C" NOT NULL,
    principal   text COLLATE "C" NOT NULL,
    calls       bigint NOT NULL,
    unknown     bigint NOT NULL,
    input       bigint NOT NULL,
    output      bigint NOT NULL,
    reasoning   bigint NOT NULL,
    cache_read  bigint NOT NULL,
    cache_write bigint NOT NULL,
    cost        bigint NOT NULL,
    duration    bigint NOT NULL,
    PRIMARY KEY (day, sid, project, account, provider, model, principal)
);
CREATE INDEX spend_sid ON spend (sid, day);
CREATE INDEX spend_project ON spend (project, day) WHERE project <> 0;
CREATE INDEX spend_account ON spend (account, day) WHERE account <> 0;
CREATE INDEX spend_principal ON spend (principal, day) WHERE principal <> '';
UPDATE projection SET no = -1 WHERE name = 'list' AND no > 0;
-- Records of kind 15 with the name 'budget' are budgets and their reservations. An older bough would ignore them.
