CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL);
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_id TEXT REFERENCES sessions(id) ON DELETE SET NULL, fork_message_id TEXT, slug TEXT, project_dir TEXT NOT NULL, model_provider TEXT NOT NULL, model_name TEXT NOT NULL, total_input_tokens INTEGER NOT NULL DEFAULT 0, total_output_tokens INTEGER NOT NULL DEFAULT 0, total_cache_read_tokens INTEGER NOT NULL DEFAULT 0, total_cache_write_tokens INTEGER NOT NULL DEFAULT 0, total_cost_usd REAL NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, deleted_at INTEGER, metadata TEXT NOT NULL DEFAULT '{}', kind TEXT NOT NULL DEFAULT 'primary' CHECK (kind IN ('primary', 'subagent')), first_message_preview TEXT, parent_tool_use_id TEXT);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, role TEXT NOT NULL, parts TEXT NOT NULL, input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER, cost_usd REAL, duration_ms INTEGER, created_at INTEGER NOT NULL, deleted_at INTEGER);
CREATE INDEX messages_of ON messages(session_id, created_at) WHERE deleted_at IS NULL;
CREATE TABLE compaction_markers (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, before_message_id TEXT NOT NULL, summary TEXT NOT NULL, input_tokens_saved INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL);
CREATE TABLE session_todos (session_id TEXT PRIMARY KEY, items TEXT NOT NULL, updated_at INTEGER NOT NULL);
CREATE TABLE session_memories (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, content TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, deleted_at INTEGER);

INSERT INTO sessions (id, slug, project_dir, model_provider, model_name, total_input_tokens, total_cost_usd, created_at, updated_at)
 VALUES ('S1', 'A title', '/p', 'anthropic', 'claude', 100, 0.25, 1794772800000, 1794772800000);
INSERT INTO sessions (id, parent_id, fork_message_id, slug, project_dir, model_provider, model_name, created_at, updated_at)
 VALUES ('S2', 'S1', 'M2', 'A fork', '/p', 'anthropic', 'claude', 1794772800000, 1794772800000);
INSERT INTO sessions (id, parent_id, kind, parent_tool_use_id, project_dir, model_provider, model_name, created_at, updated_at)
 VALUES ('S3', 'S1', 'subagent', 't1', '/p', 'anthropic', 'claude', 1794772800000, 1794772800000);
INSERT INTO messages (id, session_id, role, parts, input_tokens, output_tokens, cost_usd, duration_ms, created_at) VALUES
 ('M1', 'S1', 'user', '[{"type":"text","text":"hi"}]', NULL, NULL, NULL, NULL, 1794772800000),
 ('M2', 'S1', 'assistant', '[{"type":"thinking","text":"hm","signature":"s"},{"type":"tool_use","id":"t1","name":"task","input":{}}]', 10, 5, 0.01, 1200, 1794772800001),
 ('M3', 'S1', 'tool', '[{"type":"tool_result","tool_use_id":"t1","content":"done","is_error":false}]', NULL, NULL, NULL, NULL, 1794772800002),
 ('M4', 'S1', 'assistant', 'no list', NULL, NULL, NULL, NULL, 1794772800003),
 ('M5', 'S2', 'user', '[{"type":"text","text":"another way"}]', NULL, NULL, NULL, NULL, 1794772800004),
 ('M6', 'S3', 'assistant', '[{"type":"text","text":"done"}]', 1, 1, NULL, NULL, 1794772800005);
INSERT INTO messages (id, session_id, role, parts, created_at, deleted_at) VALUES ('M7', 'S1', 'user', '[]', 1794772800006, 1794772800007);
INSERT INTO compaction_markers VALUES ('K1', 'S1', 'M2', 'so far', 7, 1794772800003);
INSERT INTO session_todos VALUES ('S1', '[{"content":"c","status":"pending","priority":"low"}]', 1794772800000);
INSERT INTO session_memories VALUES ('R1', 'S1', 'remember this', 1794772800000, 1794772800000, NULL);
