-- What lists of sessions show and filter by: errors, the state of the last message (see enum
-- bough_outcome), the cost with subagents in nano-USD, and the model of the last call.
ALTER TABLE list ADD COLUMN errors bigint NOT NULL DEFAULT 0;
ALTER TABLE list ADD COLUMN last_state bigint NOT NULL DEFAULT 0;
ALTER TABLE list ADD COLUMN cost bigint NOT NULL DEFAULT 0;
ALTER TABLE list ADD COLUMN last_model text COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX list_cost ON list (kind, gone, cost, sid);
CREATE INDEX list_project_cost ON list (project, kind, gone, cost, sid) WHERE project <> 0;
-- The partial indexes cost nothing for sessions in which nothing went wrong.
CREATE INDEX list_errors_created ON list (kind, gone, created, sid) WHERE errors > 0;
CREATE INDEX list_errors_updated ON list (kind, gone, updated, sid) WHERE errors > 0;
CREATE INDEX list_errors_modified ON list (kind, gone, modified, sid) WHERE errors > 0;
CREATE INDEX list_last_created ON list (last_state, kind, gone, created, sid) WHERE last_state > 1;
CREATE INDEX list_last_updated ON list (last_state, kind, gone, updated, sid) WHERE last_state > 1;
CREATE INDEX list_last_modified ON list (last_state, kind, gone, modified, sid) WHERE last_state > 1;
-- The next program that opens the store rebuilds the rows, and says in the masks of entries which
-- of them failed.
UPDATE projection SET no = -1 WHERE name = 'list' AND no > 0;
