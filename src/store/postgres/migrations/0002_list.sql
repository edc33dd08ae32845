-- List rows: what lists filter, sort and show. Derived from the changelog; may be dropped and
-- rebuilt.

-- The last changelog number that each projection has applied.
CREATE TABLE projection (
    name text PRIMARY KEY,
    no   bigint NOT NULL
) WITH (fillfactor = 10);
INSERT INTO projection (name, no) VALUES ('list', 0);

CREATE TABLE list (
    sid            bigint PRIMARY KEY,
    kind           bigint NOT NULL,
    status         bigint NOT NULL,
    project        bigint NOT NULL,
    workspace      bigint NOT NULL,
    account        bigint NOT NULL,
    parent         bigint NOT NULL,
    created        bigint NOT NULL,
    updated        bigint NOT NULL,
    modified       bigint NOT NULL,
    deleted        bigint NOT NULL,
    gone           bool GENERATED ALWAYS AS (deleted <> 0) STORED,
    role_name      text COLLATE "C" NOT NULL,
    provider_path  text COLLATE "C" NOT NULL,
    model_provider text COLLATE "C" NOT NULL,
    model_name     text COLLATE "C" NOT NULL,
    hay            bytea NOT NULL,
    body           bytea NOT NULL
) WITH (fillfactor = 80);

-- A list of one kind, deleted or not, in any order, is a range of one of these indexes. Lists of
-- several kinds merge such ranges.
CREATE INDEX list_created ON list (kind, gone, created, sid);
CREATE INDEX list_updated ON list (kind, gone, updated, sid);
CREATE INDEX list_modified ON list (kind, gone, modified, sid);
CREATE INDEX list_project_created ON list (project, kind, gone, created, sid) WHERE project <> 0;
CREATE INDEX list_project_updated ON list (project, kind, gone, updated, sid) WHERE project <> 0;
CREATE INDEX list_project_modified ON list (project, kind, gone, modified, sid) WHERE project <> 0;
CREATE INDEX list_parent_created ON list (parent, kind, gone, created, sid) WHERE parent <> 0;
CREATE INDEX list_parent_updated ON list (parent, kind, gone, updated, sid) WHERE parent <> 0;
CREATE INDEX list_parent_modified ON list (parent, kind, gone, modified, sid) WHERE parent <> 0;
