/* The text of all fixed statements. Values are always bound, never formatted into the text. A scan
 * ends with LIMIT and is repeated from the key after its last row. */
#include "store/postgres/wire/sql.h"

/* The tip of the head's branch; its base when the branch has no entries. */
#define HEAD_TIP                                                                                   \
    ", coalesce((SELECT depth FROM entry WHERE entry.bid = head.bid ORDER BY depth DESC LIMIT 1)," \
    " (SELECT base FROM branch WHERE branch.bid = head.bid), 0)"

/* $4 mask, $5 kinds, $6 include deleted entries, $7 limit */
#define ENTRY_RANGE                                                                                \
    " FROM entry WHERE bid = $1 AND depth BETWEEN $2 AND $3 AND ($4 = 0 OR (mask & $4) <> 0) AND"  \
    " ($5 = 0 OR ((1::bigint << kind::int) & $5) <> 0) AND ($6 <> 0 OR over = 0) ORDER BY depth"

/* Entries by (branch, depth). Large bodies are left out, so that the size of the answer is
 * bounded. */
#define ENTRY_PLACES                                                                               \
    " FROM unnest($1, $2) AS want (b, d) JOIN entry ON bid = b AND depth = d WHERE"                \
    " pg_column_size(body) < 16384"

/* Rows of the days $1 to $2 that meet a condition on $3, in order of the key, behind $4 to
 * $10. */
#define SPEND(condition)                                                                           \
    "SELECT " SPEND_COLS " FROM spend WHERE day BETWEEN $1 AND $2 " condition " AND (" SPEND_KEY   \
    ") > ($4, $5, $6, $7, $8, $9, $10) ORDER BY " SPEND_KEY " LIMIT $11"
/* Sums end at the largest number instead of failing. */
#define SUM(column)                                                                                \
    column " = CASE WHEN excluded." column " <= 0 THEN spend." column " + excluded." column        \
           " WHEN spend." column " > 9223372036854775807 - excluded." column                       \
           " THEN 9223372036854775807 ELSE spend." column " + excluded." column " END"
#define SPEND_SUMS                                                                                 \
    SUM("calls")                                                                                   \
    ", " SUM("unknown") ", " SUM("input") ", " SUM("output") ", " SUM("reasoning") ", " SUM(       \
        "cache_read") ", " SUM("cache_write") ", " SUM("cost") ", " SUM("duration")

const struct sql_statement pg_sql[SQL_COUNT] = {
    [SQL_BEGIN_READ] = { "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "" },
    [SQL_BEGIN] = { "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", "" },
    [SQL_RELAX] = { "SET LOCAL synchronous_commit = off", "" },
    [SQL_COMMIT] = { "COMMIT", "" },
    [SQL_ROLLBACK] = { "ROLLBACK", "" },
    [SQL_SAVE] = { "SAVEPOINT txn", "" },
    [SQL_SAVE_DROP] = { "RELEASE SAVEPOINT txn", "" },
    [SQL_SAVE_UNDO] = { "ROLLBACK TO SAVEPOINT txn", "" },
    /* Every writer updates this row first, which serializes commits; see
     * migrations/0001_init.sql. */
    [SQL_TAKE] = { "UPDATE counter SET commits = commits + 1, no = no + $1,"
                   " sessions = sessions + $2, branches = branches + $3"
                   " RETURNING commits, no, sessions, branches,"
                   " pg_current_xact_id()::text::bigint,"
                   " (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint",
                   "iii" },
    [SQL_OUTCOME] = { "SELECT CASE pg_xact_status($1::text::xid8) WHEN 'committed' THEN 1"
                      " WHEN 'aborted' THEN 2 ELSE 0 END::bigint",
                      "i" },
    [SQL_META] = { "SELECT value FROM meta WHERE key = $1", "t" },
    [SQL_META_SET] = { "INSERT INTO meta (key, value) VALUES ($1, $2)"
                       " ON CONFLICT (key) DO UPDATE SET value = $2",
                       "tt" },
    [SQL_NUMBERS] = { "SELECT no, sessions, branches, blobs, (SELECT no FROM projection WHERE"
                      " name = 'list'), (SELECT value FROM meta WHERE key = 'epoch'), (SELECT value"
                      " FROM meta WHERE key = 'store'), coalesce((SELECT value FROM meta WHERE"
                      " key = 'moving'), '') FROM counter",
                      "" },
    [SQL_NUMBERS_SET] = { "UPDATE counter SET no = $1, sessions = $2, branches = $3, blobs = $4",
                          "iiii" },
    [SQL_SIZE] = { "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c"
                   " WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'",
                   "" },
    [SQL_BROKEN] = { "SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c"
                     " ON c.oid = i.indexrelid WHERE NOT (i.indisvalid AND i.indisready)"
                     " AND c.relnamespace = current_schema()::regnamespace",
                     "" },

    [SQL_SESSION_ADD] = { "INSERT INTO session (" SESSION_COLS ", doc, data, metadata, id)"
                          " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
                          " ON CONFLICT DO NOTHING",
                          "iiiiiiitbtttt" },
    [SQL_SESSION_SET] = { "UPDATE session SET ver = ver + 1, parent = $3, kind = $4, purged = $5,"
                          " slug = $6, body = $7, doc = $8, data = $9, metadata = $10"
                          " WHERE sid = $1 AND ver = $2",
                          "iiiiitbttt" },
    [SQL_HEAD_ADD] = { "INSERT INTO head (" HEAD_COLS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8,"
                       " $9, $10) ON CONFLICT DO NOTHING",
                       "iiiiiiiiit" },
    [SQL_HEAD_SET] = { "UPDATE head SET ver = ver + 1, bid = $3, depth = $4, status = $5,"
                       " deleted = $6, lease_epoch = $7, lease_since = $8, lease_expires = $9,"
                       " lease_owner = $10 WHERE sid = $1 AND ver = $2",
                       "iiiiiiiiit" },
    /* How many of these heads still have the given version. */
    [SQL_HEADS_ARE] = { "SELECT count(*) FROM unnest($1, $2) AS w (s, v) JOIN head ON sid = s AND"
                        " ver = v",
                        "II" },
    [SQL_BRANCH_ADD] = { "INSERT INTO branch (" BRANCH_COLS ") VALUES ($1, $2, $3, $4, $5)"
                         " ON CONFLICT DO NOTHING",
                         "iiiii" },
    [SQL_BRANCH_CUT] = { "UPDATE branch SET cut = $2 WHERE bid = $1", "ii" },
    /* $16 the tip that the branch must have; NULL: the entry follows another one in the same
     * statement. */
    [SQL_ENTRY_ADD] = { "INSERT INTO entry (" ENTRY_ALL ") SELECT bid, depth, kind, mask, over,"
                        " body, parts, no, mno, time, role::smallint, id, data, metadata, types"
                        " FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,"
                        " $15, $16) AS w (" ENTRY_ALL ", tip) WHERE tip IS NULL OR coalesce((SELECT"
                        " e.depth FROM entry e WHERE e.bid = w.bid ORDER BY e.depth DESC LIMIT 1),"
                        " (SELECT base FROM branch b WHERE b.bid = w.bid)) = tip",
                        "IIIIIBTIIIITTTTI" },
    [SQL_ENTRY_TIP] = { "SELECT coalesce((SELECT depth FROM entry WHERE bid = $1 ORDER BY depth"
                        " DESC LIMIT 1), (SELECT base FROM branch WHERE bid = $1), -1)",
                        "i" },
    [SQL_ENTRY_SET] = { "UPDATE entry SET over = $3, mask = $4 WHERE bid = $1 AND depth = $2",
                        "iiii" },
    [SQL_SLUG_COUNT] = { "SELECT count(*) FROM session WHERE slug = $1 AND purged = 0", "t" },
    [SQL_ALIAS_COUNT] = { "SELECT count(*) FROM alias WHERE id = $1 AND scope = 0", "b" },
    [SQL_ENTRY_THERE] = { "SELECT 1::bigint FROM entry WHERE bid = $1 AND depth = $2", "ii" },
    [SQL_ENTRY_IS] = { "SELECT 1::bigint FROM entry WHERE bid = $1 AND depth = $2 AND id = $3",
                       "iit" },
    /*
     * $16 the counter's commits, $17 session and $18 its head's version, $19 kind and $20 time of
     * the changelog row. If another transaction changed the counter row meanwhile, PostgreSQL
     * checks the condition on it again before updating.
     */
    [SQL_APPEND_ONE] = { "WITH c AS (UPDATE counter SET commits = commits + 1, no = no + 1 WHERE"
                         " commits = $16 AND (SELECT ver FROM head WHERE sid = $17) = $18 AND"
                         " coalesce((SELECT depth FROM entry WHERE bid = $1 ORDER BY depth DESC"
                         " LIMIT 1), (SELECT base FROM branch WHERE bid = $1)) = $2 - 1"
                         " RETURNING no), e AS (INSERT INTO entry (" ENTRY_ALL ") SELECT $1, $2,"
                         " $3, $4, $5, $6, $7, $8, $9, $10, $11::smallint, $12, $13, $14, $15"
                         " FROM c), l AS (INSERT INTO log (" LOG_COLS ") SELECT c.no, 1, $17, $19,"
                         " $20, $1, $2, 0, 0 FROM c) SELECT no FROM c",
                         "iiiiibtiiiittttiiiii" },
    [SQL_ENTRY_SEAL] = { "UPDATE entry SET kind = $3, mask = $4, over = $5, body = $6, parts = $7,"
                         " no = $8, mno = $9, time = $10, role = $11::smallint, id = $12, data = "
                         "$13,"
                         " metadata = $14, types = $15 WHERE bid = $1 AND depth = $2",
                         "iiiiibtiiiitttt" },
    [SQL_OPEN_ADD] = { "INSERT INTO open (" OPEN_COLS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8,"
                       " $9, $10, $11, $12) ON CONFLICT DO NOTHING",
                       "iiiiiiiittit" },
    [SQL_OPEN_SET] = { "UPDATE open SET ver = ver + 1, epoch = $4, since = $5, expires = $6,"
                       " lease_ms = $7, owner = $8, process = $9, client = $10, wanted = $11"
                       " WHERE bid = $1 AND depth = $2 AND ver = $3",
                       "iiiiiiittit" },
    [SQL_OPEN_DEL] = { "DELETE FROM open WHERE bid = $1 AND depth = $2 AND ver = $3", "iii" },
    [SQL_OPEN_VER] = { "SELECT ver FROM open WHERE bid = $1 AND depth = $2", "ii" },
    [SQL_DRAFT_ADD] = { "INSERT INTO draft (" DRAFT_COLS ") VALUES ($1, $2, $3, $4, $5)"
                        " ON CONFLICT DO NOTHING",
                        "iiiib" },
    [SQL_DRAFT_DEL] = { "DELETE FROM draft WHERE bid = $1 AND depth = $2", "ii" },
    [SQL_RECORD_ADD] = { "INSERT INTO record (" RECORD_COLS ", doc) SELECT * FROM unnest($1, $2,"
                         " $3, $4, $5, $6, $7)",
                         "IIIIIBT" },
    [SQL_RECORD_SET] = { "UPDATE record SET ver = ver + 1, over = $5, body = $6, doc = $7"
                         " WHERE sid = $1 AND kind = $2 AND ord = $3 AND ver = $4",
                         "iiiiibt" },
    [SQL_RECORD_LAST] = { "SELECT ord FROM record WHERE sid = $1 AND kind = $2"
                          " ORDER BY ord DESC LIMIT 1",
                          "ii" },
    [SQL_ALIAS_ADD] = { "INSERT INTO alias (" ALIAS_COLS ") VALUES ($1, $2, $3, $4, $5)"
                        " ON CONFLICT DO NOTHING",
                        "biiii" },
    [SQL_ALIAS_DEL] = { "DELETE FROM alias WHERE id = $1 AND scope = $2", "bi" },
    /* $8: a key that expired by this time may be replaced. */
    [SQL_KEY_PUT] = { "INSERT INTO key (sid, " KEY_COLS ") VALUES ($1, $2, $3, $4, $5, $6, $7)"
                      " ON CONFLICT (sid, key) DO UPDATE SET hash = $3, no = $4, expires = $5,"
                      " bid = $6, depth = $7 WHERE key.expires <= $8",
                      "ibbiiiii" },
    [SQL_LIST_PUT] = { "INSERT INTO list (" LIST_COLS ") SELECT * FROM unnest($1, $2, $3, $4, $5,"
                       " $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,"
                       " $21) ON CONFLICT (sid)"
                       " DO UPDATE SET kind = excluded.kind, status = excluded.status,"
                       " project = excluded.project, workspace = excluded.workspace,"
                       " account = excluded.account, parent = excluded.parent,"
                       " created = excluded.created, updated = excluded.updated,"
                       " modified = excluded.modified, deleted = excluded.deleted,"
                       " role_name = excluded.role_name, provider_path = excluded.provider_path,"
                       " model_provider = excluded.model_provider,"
                       " model_name = excluded.model_name, hay = excluded.hay,"
                       " body = excluded.body, errors = excluded.errors,"
                       " last_state = excluded.last_state, cost = excluded.cost,"
                       " last_model = excluded.last_model",
                       "IIIIIIIIIIITTTTBBIIIT" },
    [SQL_LIST_DEL] = { "DELETE FROM list WHERE sid = $1", "i" },
    [SQL_WATERMARK_SET] = { "UPDATE projection SET no = $1 WHERE name = 'list'", "i" },
    /* The entry or session may have been purged while its words were computed. */
    [SQL_SPEND_ADD] = { "INSERT INTO spend (" SPEND_COLS ") SELECT * FROM unnest($1, $2, $3, $4,"
                        " $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT"
                        " (" SPEND_KEY ") DO UPDATE SET " SPEND_SUMS,
                        "IIIITTTIIIIIIIII" },
    [SQL_SPEND_DROP] = { "DELETE FROM spend WHERE sid = $1", "i" },
    [SQL_SPEND_CLEAR] = { "DELETE FROM spend", "" },
    [SQL_SEEN_ADD] = { "INSERT INTO seen (" SEEN_COLS ") SELECT * FROM unnest($1, $2, $3, $4, $5)",
                       "BIIII" },
    [SQL_SEEN_CLEAR] = { "DELETE FROM seen", "" },
    [SQL_SEEN_LAST] = { "SELECT coalesce(max(no), 0) FROM seen WHERE key = $1", "b" },
    [SQL_SEEN_FIND] = { "SELECT " SEEN_COLS " FROM seen WHERE key = $1 AND no < $2 ORDER BY no DESC"
                        " LIMIT $3",
                        "bii" },
    [SQL_PURGE_SEEN] = { "DELETE FROM seen WHERE (bid = 0 AND depth = $1) OR bid IN (SELECT bid "
                         "FROM"
                         " branch WHERE sid = $1)",
                         "i" },
    [SQL_TEXT_ADD] = { "INSERT INTO text_doc (" TEXT_ALL ") SELECT $1, $2, $3, $4, $5, $6, $7,"
                       " $8 <> 0, array_to_tsvector($9) WHERE EXISTS (SELECT 1 FROM entry WHERE"
                       " bid = $2 AND depth = $3) ON CONFLICT DO NOTHING",
                       "iiiibiiiT" },
    [SQL_TEXT_ADD_TITLE] = { "INSERT INTO text_doc (" TEXT_ALL ") SELECT $1, $2, $3, $4, $5, $6,"
                             " $7, $8 <> 0, array_to_tsvector($9) WHERE EXISTS (SELECT 1 FROM"
                             " session WHERE sid = $3 AND purged = 0) ON CONFLICT DO NOTHING",
                             "iiiibiiiT" },
    [SQL_TEXT_DEL_TITLE] = { "DELETE FROM text_doc WHERE bid = 0 AND depth = $1", "i" },
    [SQL_TEXT_MARK_SET] = { "UPDATE projection SET no = $1 WHERE name = 'text'", "i" },
    [SQL_TEXT_CLEAR] = { "DELETE FROM text_doc", "" },
    [SQL_LOG_ADD] = { "INSERT INTO log (" LOG_COLS ") SELECT * FROM unnest($1, $2, $3, $4, $5, $6,"
                      " $7, $8, $9)",
                      "IIIIIIIII" },
    [SQL_LOG_IS] = { "SELECT 1::bigint FROM log WHERE no = $1 AND n = $2 AND sid = $3 AND kind = $4"
                     " AND time = $5 AND bid = $6 AND depth = $7 AND record = $8 AND aux = $9",
                     "iiiiiiiii" },
    /* Changes no row when no complete blob has this hash. */
    [SQL_LINK_ADD] = { "WITH b AS (UPDATE blob SET state = 2 WHERE hash = $3 AND state <> 0"
                       " RETURNING bno), l AS (INSERT INTO blob_link (" LINK_COLS ") SELECT $1,"
                       " $2, bno FROM b ON CONFLICT DO NOTHING) SELECT bno FROM b",
                       "iib" },

    /* $1 branch, $2 its cut, $3 limit */
    [SQL_PURGE_TEXT] = { "DELETE FROM text_doc WHERE id IN (SELECT id FROM text_doc WHERE bid = $1"
                         " AND depth > $2 LIMIT $3)",
                         "iii" },
    [SQL_PURGE_ENTRIES] = { "DELETE FROM entry WHERE bid = $1 AND depth IN (SELECT depth FROM"
                            " entry WHERE bid = $1 AND depth > $2 LIMIT $3)",
                            "iii" },
    [SQL_PURGE_DRAFTS] = { "DELETE FROM draft WHERE bid = $1 AND (depth, upto) IN (SELECT depth,"
                           " upto FROM draft WHERE bid = $1 AND depth > $2 LIMIT $3)",
                           "iii" },
    [SQL_PURGE_OPEN] = { "DELETE FROM open WHERE bid = $1 AND depth IN (SELECT depth FROM open"
                         " WHERE bid = $1 AND depth > $2 LIMIT $3)",
                         "iii" },
    [SQL_PURGE_RECORDS] = { "DELETE FROM record WHERE sid = $1 AND (kind, ord) IN (SELECT kind,"
                            " ord FROM record WHERE sid = $1 LIMIT $2)",
                            "ii" },
    /* Highest id first: the marker of an unfinished purge begins with 0x1f, so it is
     * removed last. */
    [SQL_PURGE_ALIASES] = { "DELETE FROM alias WHERE scope = $1 AND scope <> 0 AND id IN (SELECT"
                            " id FROM alias WHERE scope = $1 AND scope <> 0 ORDER BY id DESC"
                            " LIMIT $2)",
                            "ii" },
    [SQL_PURGE_NAMES] = { "DELETE FROM alias WHERE what = 1 AND a = $1 AND scope = 0 AND id IN"
                          " (SELECT id FROM alias WHERE what = 1 AND a = $1 AND scope = 0"
                          " LIMIT $2)",
                          "ii" },
    [SQL_PURGE_KEYS] = { "DELETE FROM key WHERE sid = $1 AND key IN (SELECT key FROM key WHERE"
                         " sid = $1 LIMIT $2)",
                         "ii" },
    [SQL_PURGE_LOOSEN] = { "UPDATE blob SET state = 1 WHERE state = 2 AND bno IN (SELECT bno FROM"
                           " blob_link WHERE bid = $1 AND depth > $2 ORDER BY depth, bno LIMIT"
                           " $3)",
                           "iii" },
    [SQL_PURGE_LINKS] = { "DELETE FROM blob_link WHERE bid = $1 AND (depth, bno) IN (SELECT depth,"
                          " bno FROM blob_link WHERE bid = $1 AND depth > $2 ORDER BY depth, bno"
                          " LIMIT $3)",
                          "iii" },
    [SQL_PURGE_CHUNKS] = { "DELETE FROM chunk WHERE bno = $1 AND idx IN (SELECT idx FROM chunk"
                           " WHERE bno = $1 LIMIT $2)",
                           "ii" },

    [SQL_SESSION_GET] = { "SELECT " SESSION_COLS " FROM session WHERE sid = $1", "i" },
    [SQL_SESSION_MANY] = { "SELECT " SESSION_COLS " FROM session WHERE sid = ANY ($1)"
                           " ORDER BY sid",
                           "I" },
    [SQL_SESSION_SLUG] = { "SELECT sid FROM session WHERE slug = $1 AND purged = 0", "t" },
    [SQL_SESSION_MADE] = { "SELECT " SESSION_COLS " FROM session WHERE made BETWEEN $1 AND $2"
                           " AND sid > $3 ORDER BY sid LIMIT $4",
                           "iiii" },
    [SQL_SESSION_CHILDREN] = { "SELECT " SESSION_COLS " FROM session WHERE parent = $1 AND"
                               " parent <> 0 AND sid > $2 ORDER BY sid LIMIT $3",
                               "iii" },
    [SQL_HEAD_GET] = { "SELECT " HEAD_COLS HEAD_TIP " FROM head WHERE sid = $1", "i" },
    [SQL_HEAD_MANY] = { "SELECT " HEAD_COLS HEAD_TIP " FROM head WHERE sid = ANY ($1)"
                        " ORDER BY sid",
                        "I" },
    [SQL_BRANCH_GET] = { "SELECT " BRANCH_COLS " FROM branch WHERE bid = $1", "i" },
    [SQL_BRANCH_MANY] = { "SELECT " BRANCH_COLS " FROM branch WHERE bid = ANY ($1) ORDER BY bid",
                          "I" },
    [SQL_BRANCH_CHILDREN] = { "SELECT " BRANCH_COLS " FROM branch WHERE parent = $1 AND"
                              " parent <> 0 AND base <= $2 AND (base, bid) > ($3, $4)"
                              " ORDER BY base, bid LIMIT $5",
                              "iiiii" },
    [SQL_BRANCH_OF] = { "SELECT " BRANCH_COLS " FROM branch WHERE sid = $1 AND bid > $2"
                        " ORDER BY bid LIMIT $3",
                        "iii" },
    [SQL_TIP] = { "SELECT depth FROM entry WHERE bid = $1 ORDER BY depth DESC LIMIT 1", "i" },
    [SQL_TIP_MANY] = { "SELECT want.bid, tip.depth FROM unnest($1) AS want (bid) LEFT JOIN LATERAL"
                       " (SELECT depth FROM entry WHERE entry.bid = want.bid ORDER BY depth DESC"
                       " LIMIT 1) AS tip ON true ORDER BY want.bid",
                       "I" },
    [SQL_ENTRY_GET] = { "SELECT " ENTRY_COLS " FROM entry WHERE bid = $1 AND depth = $2", "ii" },
    [SQL_ENTRY_MANY] = { "SELECT " ENTRY_COLS ENTRY_PLACES " AND coalesce(pg_column_size(parts),"
                         " 0) < 16384 ORDER BY bid, depth",
                         "II" },
    [SQL_FRONT_MANY] = { "SELECT " FRONT_COLS ENTRY_PLACES " ORDER BY bid, depth", "II" },
    [SQL_ENTRY_UP] = { "SELECT " ENTRY_COLS ENTRY_RANGE " LIMIT $7", "iiiiiii" },
    [SQL_ENTRY_DOWN] = { "SELECT " ENTRY_COLS ENTRY_RANGE " DESC LIMIT $7", "iiiiiii" },
    [SQL_FRONT_UP] = { "SELECT " FRONT_COLS ENTRY_RANGE " LIMIT $7", "iiiiiii" },
    [SQL_MARK] = { "SELECT depth FROM entry WHERE bid = $1 AND kind = $2 AND kind IN (1, 2, 3, 4)"
                   " AND over = 0 AND depth <= $3 ORDER BY depth DESC LIMIT 1",
                   "iii" },
    [SQL_MARKS] = { "SELECT e.bid, e.depth FROM unnest($1) AS want (bid) JOIN entry AS e ON"
                    " e.bid = want.bid AND e.kind = $2 AND e.kind IN (1, 2, 3, 4) AND e.over = 0"
                    " WHERE (e.bid, e.depth) > ($3, $4) ORDER BY e.bid, e.depth LIMIT $5",
                    "Iiiii" },
    [SQL_OPEN_SCAN] = { "SELECT " OPEN_COLS " FROM open WHERE (bid, depth) > ($1, $2) AND"
                        " (bid, depth) <= ($3, $4) ORDER BY bid, depth LIMIT $5",
                        "iiiii" },
    [SQL_DRAFT_SCAN] = { "SELECT " DRAFT_COLS " FROM draft WHERE bid = $1 AND depth = $2 AND"
                         " upto > $3 ORDER BY upto LIMIT $4",
                         "iiii" },
    [SQL_ALIAS_GET] = { "SELECT " ALIAS_COLS " FROM alias WHERE id = $1 AND scope = $2", "bi" },
    [SQL_ALIAS_ALL] = { "SELECT " ALIAS_COLS " FROM alias WHERE id = $1 AND scope > $2"
                        " ORDER BY scope LIMIT $3",
                        "bii" },
    [SQL_KEY_GET] = { "SELECT " KEY_COLS " FROM key WHERE sid = $1 AND key = $2", "ib" },
    [SQL_RECORD_GET] = { "SELECT " RECORD_COLS " FROM record WHERE sid = $1 AND kind = $2 AND"
                         " ord = $3",
                         "iii" },
    [SQL_CALL_MANY] = { "SELECT " RECORD_COLS " FROM unnest($1, $2) AS want (s, o) JOIN record"
                        " ON sid = s AND kind = 1 AND ord = o ORDER BY sid, ord",
                        "II" },
    [SQL_RECORD_UP] = { "SELECT " RECORD_COLS " FROM record WHERE sid = $1 AND kind = $2 AND ord"
                        " BETWEEN $3 AND $4 ORDER BY ord LIMIT $5",
                        "iiiii" },
    [SQL_RECORD_DOWN] = { "SELECT " RECORD_COLS " FROM record WHERE sid = $1 AND kind = $2 AND ord"
                          " BETWEEN $3 AND $4 ORDER BY ord DESC LIMIT $5",
                          "iiiii" },
    [SQL_LOG_LAST] = { "SELECT no FROM log ORDER BY no DESC LIMIT 1", "" },
    [SQL_LOG_GET] = { "SELECT " LOG_COLS " FROM log WHERE no = $1", "i" },
    [SQL_LOG_SCAN] = { "SELECT " LOG_COLS " FROM log WHERE no > $1 ORDER BY no LIMIT $2", "ii" },
    [SQL_WATERMARK] = { "SELECT no FROM projection WHERE name = 'list'", "" },
    [SQL_LIST_GET] = { "SELECT " LIST_COLS " FROM list WHERE sid = $1", "i" },
    [SQL_LIST_MANY] = { "SELECT " LIST_COLS " FROM unnest($1) AS want (sid) LEFT JOIN list"
                        " USING (sid) ORDER BY sid",
                        "I" },
    [SQL_SPEND_DAYS] = { SPEND("AND $3 = 0"), "iiiiiiittti" },
    [SQL_SPEND_PROJECT] = { SPEND("AND project = $3 AND project <> 0"), "iiiiiiittti" },
    [SQL_SPEND_ACCOUNT] = { SPEND("AND account = $3 AND account <> 0"), "iiiiiiittti" },
    [SQL_SPEND_PRINCIPAL] = { SPEND("AND principal = $3 AND principal <> ''"), "iitiiiittti" },
    [SQL_SPEND_SESSIONS] = { SPEND("AND sid = ANY ($3)"), "iiIiiiittti" },
    [SQL_TEXT_MARK] = { "SELECT no FROM projection WHERE name = 'text'", "" },

    [SQL_BLOB_NUMBER] = { "UPDATE counter SET blobs = blobs + 1 RETURNING blobs", "" },
    [SQL_BLOB_ADD] = { "INSERT INTO blob (" BLOB_COLS ") VALUES ($1, $2, $3, $4, $5)", "iiiib" },
    [SQL_BLOB_TOUCH] = { "UPDATE blob SET since = $2 WHERE bno = $1 AND state = 0", "ii" },
    [SQL_BLOB_SEAL] = { "UPDATE blob SET state = $2, size = $3, since = $4, hash = $5"
                        " WHERE bno = $1 AND state = 0",
                        "iiiib" },
    [SQL_BLOB_SEEN] = { "UPDATE blob SET since = $2 WHERE bno = $1 AND since < $2", "ii" },
    [SQL_BLOB_GIVE_UP] = { "UPDATE blob SET state = 0, since = 0, hash = '' WHERE bno = $1", "i" },
    [SQL_BLOB_LINKED] = { "UPDATE blob SET state = 2 WHERE bno = $1", "i" },
    [SQL_BLOB_DEL] = { "DELETE FROM blob WHERE bno = $1", "i" },
    [SQL_BLOB_FIND] = { "SELECT " BLOB_COLS " FROM blob WHERE hash = $1 AND state <> 0", "b" },
    [SQL_BLOB_OLDEST] = { "SELECT since FROM blob WHERE state <> 2 ORDER BY since LIMIT 1", "" },
    [SQL_BLOB_OLD] = { "SELECT bno FROM blob WHERE state <> 2 AND since <= $1 ORDER BY since"
                       " LIMIT 1",
                       "i" },
    [SQL_BLOB_WRITING] = { "SELECT bno FROM blob WHERE bno = $1 AND state = 0", "i" },
    [SQL_CHUNK_ADD] = { "INSERT INTO chunk (" CHUNK_COLS ") VALUES ($1, $2, $3, $4)", "iiib" },
    [SQL_CHUNK_BYTES] = { "SELECT coalesce(sum(length(body)), 0)::bigint FROM chunk"
                          " WHERE bno = $1",
                          "i" },
    [SQL_CHUNK_GET] = { "SELECT " CHUNK_COLS " FROM chunk WHERE bno = $1 AND idx = $2", "ii" },
    [SQL_LINK_ANY] = { "SELECT 1::bigint FROM blob_link WHERE bno = $1 LIMIT 1", "i" },
    [SQL_LINK_OF] = { "SELECT " LINK_COLS " FROM blob_link WHERE bno = $1 AND (bid, depth) >"
                      " ($2, $3) ORDER BY bid, depth LIMIT $4",
                      "iiii" },
};
