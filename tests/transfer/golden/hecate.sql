INSERT INTO hecate_chat_sessions VALUES ('chat_1', 'Sums', '2026-11-15 20:00:00.123456789 +0000 UTC', '2026-11-15T20:00:00Z', 'Be brief.');
INSERT INTO hecate_chat_session_provider_calls VALUES ('call_a', 'chat_1', 'req_1', '', 'openai', 'cloud', 'auto', 'gpt-x', 1234, 20, 10, 31, '2026-11-15T20:00:01Z');
INSERT INTO hecate_chat_session_messages VALUES
 ('msg_2', 'chat_1', 1, 'call_a', '{"role":"assistant","content":"Four.","content_blocks":[{"type":"text","text":"Four."}]}', '2026-11-15T20:00:02Z'),
 ('msg_1', 'chat_1', 0, NULL, '{"role":"user","content":"2+2?"}', '2026-11-15T20:00:01Z'),
 ('msg_3', 'chat_1', 2, 'gone', 'broken', '2026-11-15T20:00:03Z');
