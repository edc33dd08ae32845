/* The text of all fixed statements. Values are always bound, never formatted into the text. */
#include "store/sqlite/conn/sql.h"

/* A range of packed keys: depths of one branch, or ordinals of one (session, kind). */
#define RANGE " k BETWEEN ?1 AND ?2"
#define SOME                                                                                       \
    " AND (?3 = 0 OR (mask & ?3) <> 0) AND (?4 = 0 OR ((1 << kind) & ?4) <> 0)"                    \
    " AND (?5 <> 0 OR over = 0)"

/* The kind must be a literal: with a bound value SQLite does not use the partial index
 * entry_mark. */
#define MARKS(kind) "SELECT k FROM entry WHERE kind = " kind " AND over = 0 AND" RANGE
#define MARK(kind) MARKS(kind) " ORDER BY k DESC LIMIT 1"

/* Rows of the days ?1 to ?2. */
#define SPEND "SELECT " SPEND_COLS " FROM spend WHERE day BETWEEN ?1 AND ?2"
/* A sum in a STRICT table must stay an integer. */
#define SUM(column)                                                                                \
    column " = iif(excluded." column " > 0 AND " column                                            \
           " > 9223372036854775807 - excluded." column ", 9223372036854775807, " column            \
           " + excluded." column ")"

const char *const sql_text[SQL_COUNT] = {
    [SQL_BEGIN] = "BEGIN",
    [SQL_BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [SQL_COMMIT] = "COMMIT",
    [SQL_SAVE] = "SAVEPOINT txn",
    [SQL_SAVE_DROP] = "RELEASE txn",
    [SQL_SAVE_UNDO] = "ROLLBACK TO txn",
    [SQL_PIN] = "PRAGMA data_version",
    [SQL_SCHEMA] = "PRAGMA user_version",
    [SQL_META] = "SELECT value FROM meta WHERE key = ?1",

    [SQL_COUNTER_GET] = "SELECT value FROM counter WHERE name = ?1",
    [SQL_COUNTER_SET] = "UPDATE counter SET value = ?2 WHERE name = ?1",
    [SQL_SESSION_ADD] =
        "INSERT INTO session (" SESSION_COLS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    [SQL_SESSION_SET] = "UPDATE session SET ver = ver + 1, parent = ?3, kind = ?4, purged = ?5,"
                        " slug = ?6, body = ?7 WHERE sid = ?1 AND ver = ?2",
    [SQL_HEAD_ADD] =
        "INSERT INTO head (" HEAD_COLS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    [SQL_HEAD_SET] = "UPDATE head SET ver = ver + 1, bid = ?3, depth = ?4, status = ?5,"
                     " deleted = ?6, lease_epoch = ?7, lease_since = ?8, lease_expires = ?9,"
                     " lease_owner = ?10 WHERE sid = ?1 AND ver = ?2",
    [SQL_HEAD_VER] = "SELECT ver FROM head WHERE sid = ?1",
    [SQL_BRANCH_ADD] = "INSERT INTO branch (" BRANCH_COLS ") VALUES (?1, ?2, ?3, ?4, ?5)",
    [SQL_BRANCH_CUT] = "UPDATE branch SET cut = ?2 WHERE bid = ?1",
    [SQL_ENTRY_ADD] = "INSERT INTO entry (" ENTRY_COLS ") VALUES (?1, ?2, ?3, ?4, ?5)",
    [SQL_ENTRY_SET] = "UPDATE entry SET over = ?2, mask = ?3 WHERE k = ?1",
    [SQL_SLUG_COUNT] = "SELECT count(*) FROM session WHERE slug = ?1 AND purged = 0",
    [SQL_ALIAS_COUNT] = "SELECT count(*) FROM alias WHERE id = ?1 AND scope = 0",
    [SQL_ENTRY_THERE] = "SELECT 1 FROM entry WHERE k = ?1",
    [SQL_ENTRY_SEAL] = "UPDATE entry SET mask = ?2, body = ?3 WHERE k = ?1",
    [SQL_OPEN_ADD] = "INSERT INTO open (" OPEN_COLS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
                     " ?10, ?11)",
    [SQL_OPEN_SET] = "UPDATE open SET ver = ver + 1, epoch = ?4, since = ?5, expires = ?6,"
                     " lease_ms = ?7, owner = ?8, process = ?9, client = ?10, wanted = ?11"
                     " WHERE k = ?1 AND ver = ?3",
    [SQL_OPEN_DEL] = "DELETE FROM open WHERE k = ?1 AND ver = ?2",
    [SQL_OPEN_VER] = "SELECT ver FROM open WHERE k = ?1",
    [SQL_DRAFT_ADD] = "INSERT INTO draft (" DRAFT_COLS ") VALUES (?1, ?2, ?3, ?4)",
    [SQL_DRAFT_DEL] = "DELETE FROM draft WHERE k = ?1",
    [SQL_RECORD_ADD] = "INSERT INTO record (" RECORD_COLS ") VALUES (?1, ?2, ?3, ?4)",
    [SQL_RECORD_SET] =
        "UPDATE record SET ver = ver + 1, over = ?3, body = ?4 WHERE k = ?1 AND ver = ?2",
    [SQL_ALIAS_ADD] = "INSERT INTO alias (" ALIAS_COLS ") VALUES (?1, ?2, ?3, ?4, ?5)",
    [SQL_ALIAS_DEL] = "DELETE FROM alias WHERE id = ?1 AND scope = ?2",
    /* ?6: a key that expired by this time may be replaced. */
    [SQL_KEY_PUT] = "INSERT INTO key (sid, key, hash, no, expires, bid, depth)"
                    " VALUES (?1, ?2, ?3, ?4, ?5, ?7, ?8)"
                    " ON CONFLICT (sid, key) DO UPDATE SET hash = ?3, no = ?4, expires = ?5,"
                    " bid = ?7, depth = ?8"
                    " WHERE expires <= ?6",
    [SQL_LIST_PUT] =
        "INSERT OR REPLACE INTO list (" LIST_COLS ", gone) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,"
        " ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)",
    /* Usual case: kind, project, parent, created and gone are unchanged, so only the time indexes
     * move. */
    [SQL_LIST_MOVE] =
        "UPDATE list SET status = ?3, workspace = ?5, account = ?6, updated = ?9, modified = ?10,"
        " deleted = ?11, role_name = ?12, provider_path = ?13, model_provider = ?14,"
        " model_name = ?15, hay = ?16, body = ?17, errors = ?18, last_state = ?19, cost = ?20,"
        " last_model = ?21"
        " WHERE sid = ?1 AND kind = ?2 AND project = ?4 AND parent = ?7 AND created = ?8"
        " AND gone = ?22",
    [SQL_LIST_DEL] = "DELETE FROM list WHERE sid = ?1",
    [SQL_WATERMARK_SET] = "UPDATE projection SET no = ?1 WHERE name = 'list'",
    [SQL_SPEND_ADD] =
        "INSERT INTO spend (" SPEND_COLS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
        " ?12, ?13, ?14, ?15, ?16) ON CONFLICT (" SPEND_KEY ")"
        " DO UPDATE SET " SUM("calls") ", " SUM("unknown") ", " SUM("input") ", " SUM(
            "output") ","
                      " " SUM("reasoning") ", " SUM("cache_read") ", " SUM("cache_write") ", " SUM(
                          "cost") ","
                                  " " SUM("duration"),
    [SQL_SPEND_DROP] = "DELETE FROM spend WHERE sid = ?1",
    [SQL_SPEND_CLEAR] = "DELETE FROM spend",
    [SQL_SEEN_ADD] = "INSERT INTO seen (" SEEN_COLS ") VALUES (?1, ?2, ?3, ?4, ?5)",
    [SQL_SEEN_CLEAR] = "DELETE FROM seen",
    [SQL_SEEN_LAST] = "SELECT coalesce(max(no), 0) FROM seen WHERE key = ?1",
    [SQL_SEEN_FIND] = "SELECT " SEEN_COLS " FROM seen WHERE key = ?1 ORDER BY no DESC",
    [SQL_PURGE_SEEN] = "DELETE FROM seen WHERE (bid = 0 AND depth = ?1) OR bid IN (SELECT bid FROM"
                       " branch WHERE sid = ?1)",
    /* The entry or session may have been purged while its words were computed. */
    [SQL_TEXT_ADD] = "INSERT OR IGNORE INTO text_doc (" TEXT_COLS ") SELECT ?1, ?2, ?3, ?4"
                     " WHERE EXISTS (SELECT 1 FROM entry WHERE k = ?2)",
    [SQL_TEXT_ADD_TITLE] = "INSERT OR IGNORE INTO text_doc (" TEXT_COLS ") SELECT ?1, ?2, ?3, ?4"
                           " WHERE EXISTS (SELECT 1 FROM session WHERE sid = -?2 AND purged = 0)",
    [SQL_TEXT_DEL] = "DELETE FROM text_doc WHERE id = ?1",
    [SQL_TEXT_INDEX] = "INSERT INTO text_index (rowid, " INDEX_COLS ")"
                       " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    [SQL_TEXT_UNINDEX] = "INSERT INTO text_index (text_index, rowid, " INDEX_COLS ")"
                         " VALUES ('delete', ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    [SQL_TEXT_MARK_SET] = "UPDATE projection SET no = ?1 WHERE name = 'text'",
    [SQL_LOG_ADD] = "INSERT INTO log (" LOG_COLS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",

    [SQL_PURGE_TEXT] = "SELECT d.id, e.k, e.kind, e.mask, e.over, e.body FROM text_doc AS d "
                       "LEFT JOIN entry AS e"
                       " ON e.k = d.k WHERE d.k BETWEEN ?1 AND ?2 ORDER BY d.k DESC LIMIT 1",
    [SQL_PURGE_ENTRIES] =
        "DELETE FROM entry WHERE k IN (SELECT k FROM entry WHERE" RANGE " LIMIT ?3)",
    [SQL_PURGE_DRAFTS] = "DELETE FROM draft WHERE (k, upto) IN"
                         " (SELECT k, upto FROM draft WHERE" RANGE " LIMIT ?3)",
    [SQL_PURGE_OPEN] = "DELETE FROM open WHERE k IN (SELECT k FROM open WHERE" RANGE " LIMIT ?3)",
    [SQL_PURGE_RECORDS] =
        "DELETE FROM record WHERE k IN (SELECT k FROM record WHERE" RANGE " LIMIT ?3)",
    /* Highest id first: the marker of an unfinished purge begins with 0x1f, so it is
     * removed last. */
    [SQL_PURGE_ALIASES] = "DELETE FROM alias WHERE scope = ?1 AND scope <> 0 AND id IN (SELECT id"
                          " FROM alias WHERE scope = ?1 AND scope <> 0 ORDER BY id DESC LIMIT ?2)",
    [SQL_PURGE_NAMES] = "DELETE FROM alias WHERE what = 1 AND a = ?1 AND scope = 0 AND id IN"
                        " (SELECT id FROM alias WHERE what = 1 AND a = ?1 AND scope = 0 LIMIT ?2)",
    [SQL_PURGE_KEYS] =
        "DELETE FROM key WHERE sid = ?1 AND key IN (SELECT key FROM key WHERE sid = ?1 LIMIT ?2)",

    [SQL_SESSION_GET] = "SELECT " SESSION_COLS " FROM session WHERE sid = ?1",
    [SQL_SESSION_SLUG] = "SELECT sid FROM session WHERE slug = ?1 AND purged = 0",
    [SQL_SESSION_MADE] =
        "SELECT " SESSION_COLS " FROM session WHERE made BETWEEN ?1 AND ?2 ORDER BY sid",
    [SQL_SESSION_CHILDREN] =
        "SELECT " SESSION_COLS " FROM session WHERE parent = ?1 AND parent <> 0 ORDER BY sid",
    [SQL_HEAD_GET] = "SELECT " HEAD_COLS " FROM head WHERE sid = ?1",
    [SQL_BRANCH_GET] = "SELECT " BRANCH_COLS " FROM branch WHERE bid = ?1",
    [SQL_BRANCH_CHILDREN] = "SELECT " BRANCH_COLS " FROM branch WHERE parent = ?1 AND parent <> 0"
                            " AND base BETWEEN ?2 AND ?3 ORDER BY base, bid",
    [SQL_BRANCH_OF] = "SELECT " BRANCH_COLS " FROM branch WHERE sid = ?1 ORDER BY bid",
    [SQL_TIP] = "SELECT k FROM entry WHERE" RANGE " ORDER BY k DESC LIMIT 1",
    [SQL_ENTRY_GET] = "SELECT " ENTRY_COLS " FROM entry WHERE k = ?1",
    [SQL_ENTRY_UP] = "SELECT " ENTRY_COLS " FROM entry WHERE" RANGE " ORDER BY k",
    [SQL_ENTRY_UP_ALIVE] =
        "SELECT " ENTRY_COLS " FROM entry WHERE" RANGE " AND over = 0 ORDER BY k",
    [SQL_ENTRY_UP_SOME] = "SELECT " ENTRY_COLS " FROM entry WHERE" RANGE SOME " ORDER BY k",
    [SQL_ENTRY_DOWN] = "SELECT " ENTRY_COLS " FROM entry WHERE" RANGE " ORDER BY k DESC",
    [SQL_ENTRY_DOWN_ALIVE] =
        "SELECT " ENTRY_COLS " FROM entry WHERE" RANGE " AND over = 0 ORDER BY k DESC",
    [SQL_ENTRY_DOWN_SOME] = "SELECT " ENTRY_COLS " FROM entry WHERE" RANGE SOME " ORDER BY k DESC",
    [SQL_MARKS] = MARKS("3") " ORDER BY k",
    [SQL_MARKS_SUMMARY] = MARKS("4") " ORDER BY k",
    [SQL_MARK] = MARK("3"),
    [SQL_MARK_MODEL] = MARK("1"),
    [SQL_MARK_LEVEL] = MARK("2"),
    [SQL_OPEN_SCAN] = "SELECT " OPEN_COLS " FROM open WHERE" RANGE " ORDER BY k",
    [SQL_DRAFT_SCAN] = "SELECT " DRAFT_COLS " FROM draft WHERE k = ?1 AND upto > ?2 ORDER BY upto",
    [SQL_ALIAS_GET] = "SELECT " ALIAS_COLS " FROM alias WHERE id = ?1 AND scope = ?2",
    [SQL_ALIAS_ALL] = "SELECT " ALIAS_COLS " FROM alias WHERE id = ?1 ORDER BY scope",
    [SQL_KEY_GET] = "SELECT " KEY_COLS " FROM key WHERE sid = ?1 AND key = ?2",
    [SQL_RECORD_GET] = "SELECT " RECORD_COLS " FROM record WHERE k = ?1",
    [SQL_RECORD_UP] = "SELECT " RECORD_COLS " FROM record WHERE" RANGE " ORDER BY k",
    [SQL_RECORD_DOWN] = "SELECT " RECORD_COLS " FROM record WHERE" RANGE " ORDER BY k DESC",
    [SQL_RECORD_LAST] = "SELECT k FROM record WHERE" RANGE " ORDER BY k DESC LIMIT 1",
    [SQL_LOG_LAST] = "SELECT no FROM log ORDER BY no DESC LIMIT 1",
    [SQL_LOG_GET] = "SELECT " LOG_COLS " FROM log WHERE no = ?1",
    [SQL_LOG_SCAN] = "SELECT " LOG_COLS " FROM log WHERE no > ?1 ORDER BY no",
    [SQL_WATERMARK] = "SELECT no FROM projection WHERE name = 'list'",
    [SQL_LIST_GET] = "SELECT " LIST_COLS " FROM list WHERE sid = ?1",
    [SQL_SPEND_DAYS] = SPEND,
    [SQL_SPEND_SESSION] = SPEND " AND sid = ?3",
    [SQL_SPEND_PROJECT] = SPEND " AND project = ?3 AND project <> 0",
    [SQL_SPEND_ACCOUNT] = SPEND " AND account = ?3 AND account <> 0",
    [SQL_SPEND_PRINCIPAL] = SPEND " AND principal = ?3 AND principal <> ''",

    [SQL_BLOB_COUNT] = "UPDATE counter SET value = value + 1 WHERE name = 'blob'",
    [SQL_BLOB_NUMBER] = "SELECT value FROM counter WHERE name = 'blob'",
    [SQL_BLOB_ADD] = "INSERT INTO blob (" BLOB_COLS ") VALUES (?1, ?2, ?3, ?4, ?5)",
    [SQL_BLOB_TOUCH] = "UPDATE blob SET since = ?2 WHERE bno = ?1 AND state = 0",
    [SQL_BLOB_SEAL] = "UPDATE blob SET state = ?2, size = ?3, since = ?4, hash = ?5"
                      " WHERE bno = ?1 AND state = 0",
    [SQL_BLOB_SEEN] = "UPDATE blob SET since = ?2 WHERE bno = ?1 AND since < ?2",
    [SQL_BLOB_GIVE_UP] = "UPDATE blob SET state = 0, since = 0, hash = x'' WHERE bno = ?1",
    [SQL_BLOB_LINKED] = "UPDATE blob SET state = 2 WHERE bno = ?1",
    [SQL_BLOB_DEL] = "DELETE FROM blob WHERE bno = ?1",
    [SQL_BLOB_FIND] = "SELECT " BLOB_COLS " FROM blob WHERE hash = ?1 AND state <> 0",
    [SQL_BLOB_OLDEST] = "SELECT since FROM blob WHERE state <> 2 ORDER BY since LIMIT 1",
    [SQL_BLOB_OLD] = "SELECT bno FROM blob WHERE state <> 2 AND since <= ?1 ORDER BY since LIMIT 1",
    [SQL_BLOB_WRITING] = "SELECT bno FROM blob WHERE bno = ?1 AND state = 0",
    [SQL_CHUNK_ADD] = "INSERT INTO chunk (" CHUNK_COLS ") VALUES (?1, ?2, ?3)",
    [SQL_CHUNK_BYTES] = "SELECT sum(length(body)) FROM chunk WHERE" RANGE,
    [SQL_CHUNK_GET] = "SELECT " CHUNK_COLS " FROM chunk WHERE k = ?1",
    [SQL_LINK_ADD] = "INSERT OR IGNORE INTO blob_link (" LINK_COLS ") VALUES (?1, ?2)",
    [SQL_LINK_ANY] = "SELECT 1 FROM blob_link WHERE bno = ?1 LIMIT 1",
    [SQL_LINK_OF] = "SELECT " LINK_COLS " FROM blob_link WHERE bno = ?1 ORDER BY k",
    [SQL_PURGE_LOOSEN] = "UPDATE blob SET state = 1 WHERE state = 2 AND bno IN (SELECT bno FROM"
                         " blob_link WHERE" RANGE " ORDER BY k, bno LIMIT ?3)",
    [SQL_PURGE_LINKS] = "DELETE FROM blob_link WHERE (k, bno) IN (SELECT k, bno FROM blob_link"
                        " WHERE" RANGE " ORDER BY k, bno LIMIT ?3)",
    [SQL_PURGE_CHUNKS] =
        "DELETE FROM chunk WHERE k IN (SELECT k FROM chunk WHERE" RANGE " LIMIT ?3)",
    [SQL_TEXT_TITLE] = "SELECT " TEXT_COLS " FROM text_doc WHERE k = ?1",
    [SQL_TEXT_MARK] = "SELECT no FROM projection WHERE name = 'text'",
    [SQL_TEXT_FIND] = "SELECT d.id, d.k, d.time, d.words FROM text_index AS i CROSS JOIN text_doc"
                      " AS d ON d.id = " TEXT_TOP " - i.rowid WHERE text_index MATCH ?1"
                      " AND i.rowid > ?2 AND d.time >= ?3 AND d.time < ?4 ORDER BY i.rowid",
};
