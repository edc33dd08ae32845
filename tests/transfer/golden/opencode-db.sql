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
