-- Open messages; see SQLite's migration of the same number.

CREATE TABLE open (
    bid      bigint NOT NULL,
    depth    bigint NOT NULL,
    sid      bigint NOT NULL,
    ver      bigint NOT NULL,
    epoch    bigint NOT NULL,
    since    bigint NOT NULL,
    expires  bigint NOT NULL,
    lease_ms bigint NOT NULL,
    owner    text NOT NULL,
    process  text NOT NULL,
    PRIMARY KEY (bid, depth)
);

CREATE TABLE draft (
    bid   bigint NOT NULL,
    depth bigint NOT NULL,
    upto  bigint NOT NULL,
    step  bigint NOT NULL,
    body  bytea NOT NULL,
    PRIMARY KEY (bid, depth, upto)
);
