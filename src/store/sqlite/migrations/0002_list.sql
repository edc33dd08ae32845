-- List rows: what lists filter, sort and show. Derived from the changelog; may be dropped and
-- rebuilt.

-- The last changelog number that each projection has applied.
CREATE TABLE projection (
    name TEXT NOT NULL PRIMARY KEY,
    no   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO projection (name, no) VALUES ('list', 0);

CREATE TABLE list (
    sid            INTEGER PRIMARY KEY,
    kind           INTEGER NOT NULL,
    status         INTEGER NOT NULL,
    project        INTEGER NOT NULL,
    workspace      INTEGER NOT NULL,
    account        INTEGER NOT NULL,
    parent         INTEGER NOT NULL,
    created        INTEGER NOT NULL,
    updated        INTEGER NOT NULL,
    modified       INTEGER NOT NULL,
    deleted        INTEGER NOT NULL,
    gone           INTEGER NOT NULL, -- deleted <> 0, for the indexes
    role_name      TEXT NOT NULL,
    provider_path  TEXT NOT NULL,
    model_provider TEXT NOT NULL,
    model_name     TEXT NOT NULL,
    hay            TEXT NOT NULL,
    body           BLOB NOT NULL
) STRICT;

-- A list of one kind, deleted or not, in any order, is a range of one of these indexes. Lists of
-- several kinds merge such ranges. The sid is the rowid, which ends every index key.
CREATE INDEX list_created ON list (kind, gone, created);
CREATE INDEX list_updated ON list (kind, gone, updated);
CREATE INDEX list_modified ON list (kind, gone, modified);
CREATE INDEX list_project_created ON list (project, kind, gone, created) WHERE project <> 0;
CREATE INDEX list_project_updated ON list (project, kind, gone, updated) WHERE project <> 0;
CREATE INDEX list_project_modified ON list (project, kind, gone, modified) WHERE project <> 0;
CREATE INDEX list_parent_created ON list (parent, kind, gone, created) WHERE parent <> 0;
CREATE INDEX list_parent_updated ON list (parent, kind, gone, updated) WHERE parent <> 0;
CREATE INDEX list_parent_modified ON list (parent, kind, gone, modified) WHERE parent <> 0;
