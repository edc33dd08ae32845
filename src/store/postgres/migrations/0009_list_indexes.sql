-- Lists by workspace, account, role or status are ranges of an index too, in every order. The
-- partial indexes cost nothing for sessions without such a value. They replace those of 0006.
DROP INDEX list_workspace;
DROP INDEX list_account;
DROP INDEX list_role;
CREATE INDEX list_workspace_created ON list (workspace, kind, gone, created, sid) WHERE workspace <> 0;
CREATE INDEX list_workspace_updated ON list (workspace, kind, gone, updated, sid) WHERE workspace <> 0;
CREATE INDEX list_workspace_modified ON list (workspace, kind, gone, modified, sid) WHERE workspace <> 0;
CREATE INDEX list_account_created ON list (account, kind, gone, created, sid) WHERE account <> 0;
CREATE INDEX list_account_updated ON list (account, kind, gone, updated, sid) WHERE account <> 0;
CREATE INDEX list_account_modified ON list (account, kind, gone, modified, sid) WHERE account <> 0;
CREATE INDEX list_role_created ON list (role_name, kind, gone, created, sid) WHERE role_name <> '';
CREATE INDEX list_role_updated ON list (role_name, kind, gone, updated, sid) WHERE role_name <> '';
CREATE INDEX list_role_modified ON list (role_name, kind, gone, modified, sid) WHERE role_name <> '';
CREATE INDEX list_status_created ON list (status, kind, gone, created, sid);
CREATE INDEX list_status_updated ON list (status, kind, gone, updated, sid);
CREATE INDEX list_status_modified ON list (status, kind, gone, modified, sid);
