-- Views for SQL users: the tables of alkhub's document. Deleted or purged sessions and deleted
-- messages are not shown. Columns from list rows (updated_at, and the columns that sessions are
-- filtered by) are updated in the background and may lag by some hundred changes.

CREATE INDEX list_workspace ON list (workspace) WHERE workspace <> 0;
CREATE INDEX list_account ON list (account) WHERE account <> 0;
CREATE INDEX list_role ON list (role_name) WHERE role_name <> '';
CREATE INDEX head_status ON head ((CASE status WHEN 0 THEN 'idle' WHEN 1 THEN 'busy' WHEN 2 THEN 'retry' ELSE 'archived' END))
    WHERE deleted = 0;
CREATE INDEX head_active ON head (sid) WHERE deleted = 0 AND status < 3;

CREATE VIEW sessions AS
SELECT s.id,
       coalesce(s.metadata::json, '{}'::json) AS metadata,
       to_timestamp((s.doc::json ->> 'created')::bigint / 1000.0) AS created_at,
       to_timestamp(coalesce(l.updated, (s.doc::json ->> 'created')::bigint) / 1000.0) AS updated_at,
       a.doc::json ->> 'name' AS account_id,
       p.doc::json ->> 'name' AS project_id,
       w.doc::json ->> 'name' AS workspace_id,
       parent.id AS parent_id,
       s.slug,
       coalesce(s.doc::json ->> 'title', '') AS title,
       CASE h.status WHEN 0 THEN 'idle' WHEN 1 THEN 'busy' WHEN 2 THEN 'retry' ELSE 'archived' END AS status,
       coalesce(s.doc::json ->> 'version', '1') AS version,
       s.doc::json ->> 'provider_path' AS provider,
       s.doc::json ->> 'role_name' AS role_name,
       coalesce(s.data::json, '{}'::json) AS data
FROM session s
JOIN head h ON h.sid = s.sid
LEFT JOIN list l ON l.sid = s.sid
LEFT JOIN session parent ON parent.sid = s.parent AND s.parent <> 0 AND parent.purged = 0
LEFT JOIN record p ON p.sid = 0 AND p.kind = 10 AND p.ord = l.project
LEFT JOIN record w ON w.sid = 0 AND w.kind = 11 AND w.ord = l.workspace
LEFT JOIN record a ON a.sid = 0 AND a.kind = 12 AND a.ord = l.account
WHERE s.purged = 0 AND h.deleted = 0;

CREATE VIEW messages AS
SELECT e.id,
       coalesce(e.metadata::json, '{}'::json) AS metadata,
       to_timestamp(e.time / 1000.0) AS created_at,
       to_timestamp(e.time / 1000.0) AS updated_at,
       s.id AS session_id,
       (ARRAY['', 'system', 'user', 'assistant', 'tool', 'bash', 'custom', 'other'])[e.role + 1] AS role,
       coalesce(e.data::json, '{}'::json) AS data,
       e.mno - 1 AS sequence
FROM entry e
JOIN branch b ON b.bid = e.bid
JOIN session s ON s.sid = b.sid
JOIN head h ON h.sid = s.sid
WHERE e.kind = 0 AND e.over = 0 AND s.purged = 0 AND h.deleted = 0;

-- No values are extracted from a part: PostgreSQL cannot read JSON that contains \u0000 or an
-- unpaired surrogate.
CREATE VIEW parts AS
SELECT e.id || '.' || lpad(to_hex(p.n - 1), 4, '0') AS id,
       '{}'::json AS metadata,
       to_timestamp(e.time / 1000.0) AS created_at,
       to_timestamp(e.time / 1000.0) AS updated_at,
       e.id AS message_id,
       s.id AS session_id,
       split_part(e.types, ',', p.n::int) AS type,
       p.data
FROM entry e
JOIN branch b ON b.bid = e.bid
JOIN session s ON s.sid = b.sid
JOIN head h ON h.sid = s.sid
CROSS JOIN LATERAL json_array_elements(e.parts::json) WITH ORDINALITY AS p (data, n)
WHERE e.kind = 0 AND e.over = 0 AND s.purged = 0 AND h.deleted = 0;
