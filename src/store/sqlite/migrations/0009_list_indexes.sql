-- Lists by workspace, account, role or status are ranges of an index too, in every order. The
-- partial indexes cost nothing for sessions without such a value.
CREATE INDEX list_workspace_created ON list (workspace, kind, gone, created) WHERE workspace <> 0;
CREATE INDEX list_workspace_updated ON list (workspace, kind, gone, updated) WHERE workspace <> 0;
CREATE INDEX list_workspace_modified ON list (workspace, kind, gone, modified) WHERE workspace <> 0;
CREATE INDEX list_account_created ON list (account, kind, gone, created) WHERE account <> 0;
CREATE INDEX list_account_updated ON list (account, kind, gone, updated) WHERE account <> 0;
CREATE INDEX list_account_modified ON list (account, kind, gone, modified) WHERE account <> 0;
CREATE INDEX list_role_created ON list (role_name, kind, gone, created) WHERE role_name <> '';
CREATE INDEX list_role_updated ON list (role_name, kind, gone, updated) WHERE role_name <> '';
CREATE INDEX list_role_modified ON list (role_name, kind, gone, modified) WHERE role_name <> '';
CREATE INDEX list_status_created ON list (status, kind, gone, created);
CREATE INDEX list_status_updated ON list (status, kind, gone, updated);
CREATE INDEX list_status_modified ON list (status, kind, gone, modified);
