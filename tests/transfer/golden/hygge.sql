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
