CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT NOT NULL);
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, workspace_id TEXT, parent_id TEXT, slug TEXT NOT NULL, directory TEXT NOT NULL, path TEXT, title TEXT NOT NULL, version TEXT NOT NULL, share_url TEXT, summary_additions INTEGER, summary_deletions INTEGER, summary_files INTEGER, summary_diffs TEXT, metadata TEXT, cost REAL NOT NULL DEFAULT 0, tokens_input INTEGER NOT NULL DEFAULT 0, tokens_output INTEGER NOT NULL DEFAULT 0, tokens_reasoning INTEGER NOT NULL DEFAULT 0, tokens_cache_read INTEGER NOT NULL DEFAULT 0, tokens_cache_write INTEGER NOT NULL DEFAULT 0, revert TEXT, permission TEXT, agent TEXT, model TEXT, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, time_compacting INTEGER, time_archived INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX message_of ON message(session_id, time_created, id);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX part_of ON part(message_id, id);
CREATE TABLE todo (session_id TEXT NOT NULL, content TEXT NOT NULL, status TEXT NOT NULL, priority TEXT NOT NULL, position INTEGER NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, PRIMARY KEY (session_id, position));
CREATE TABLE session_input (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, prompt TEXT NOT NULL, delivery TEXT NOT NULL, admitted_seq INTEGER NOT NULL, promoted_seq INTEGER, time_created INTEGER NOT NULL);
CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, type TEXT NOT NULL, seq INTEGER NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);

INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated) VALUES ('ses_1', 'p', 's', '/p', 'T', '1', 1794772800000, 1794772800000);
INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, time_created, time_updated) VALUES ('ses_2', 'p', 'ses_1', 's', '/p', 'Child', '1', 1794772800000, 1794772800000);
INSERT INTO message VALUES
 ('msg_z', 'ses_1', 1794772800000, 1794772800000, '{"role":"user","time":{"created":1794772800000}}'),
 ('msg_a', 'ses_1', 1794772800001, 1794772800001, '{"role":"assistant","parentID":"msg_z","time":{"created":1794772800001},"cost":0.5,"tokens":{"input":1,"output":2,"reasoning":0,"cache":{"read":3,"write":4}},"providerID":"p","modelID":"m","finish":"stop"}'),
 ('msg_c', 'ses_2', 1794772800002, 1794772800002, '{"role":"user","time":{"created":1794772800002}}'),
 ('msg_d', 'ses_2', 1794772800003, 1794772800003, 'broken');
INSERT INTO part VALUES
 ('prt_2', 'msg_a', 'ses_1', 1794772800001, 1, '{"type":"text","text":"hello"}'),
 ('prt_1', 'msg_z', 'ses_1', 1794772800000, 1, '{"type":"text","text":"hi"}'),
 ('prt_3', 'msg_a', 'ses_1', 1794772800002, 1, '{"type":"tool","callID":"c","tool":"bash","state":{"status":"error","input":{},"error":"no","time":{"start":1,"end":2}}}');
INSERT INTO todo VALUES ('ses_1', 'second', 'pending', 'low', 1, 1, 1), ('ses_1', 'first', 'completed', 'high', 0, 1, 1);
