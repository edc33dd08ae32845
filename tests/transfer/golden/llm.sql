INSERT INTO conversations VALUES ('c1', 'Time', 'gpt-4o');
INSERT INTO responses VALUES ('r1', 'gpt-4o', 'What time is it?', 'Be brief.', NULL, '{"seed":1}', '', NULL, 'c1', 1500, '2026-11-15T20:00:01.500000', 20, 5, NULL, NULL, 'gpt-4o-2024-08-06'), ('r2', 'gpt-4o', '', NULL, NULL, '{}', 'It is noon.', NULL, 'c1', 900, '2026-11-15T20:00:03+00:00', 30, 6, NULL, NULL, NULL);
INSERT INTO fragments VALUES (1, 'h', 'a long fragment', '', '');
INSERT INTO prompt_fragments VALUES ('r1', 1, 0);
INSERT INTO attachments VALUES ('a1', 'image/png', NULL, NULL, x'89504E47'), ('a2', 'image/png', NULL, 'https://example.com/a.png', NULL);
INSERT INTO prompt_attachments VALUES ('r1', 'a1', 0), ('r1', 'a2', 1);
INSERT INTO tool_calls VALUES (1, 'r1', 1, 'clock', '{"zone":"UTC"}', 'call_1');
INSERT INTO tool_results VALUES (1, 'r2', 1, 'clock', '12:00', 'call_1', NULL, NULL);
