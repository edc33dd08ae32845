/* Names of all fixed SQL statements. list.c builds the statements of lists from fragments. */
#ifndef STORE_SQLITE_CONN_SQL_H
#define STORE_SQLITE_CONN_SQL_H

enum sql {
    /* transactions */
    SQL_BEGIN,
    SQL_BEGIN_WRITE,
    SQL_COMMIT,
    SQL_SAVE,
    SQL_SAVE_DROP,
    SQL_SAVE_UNDO,
    SQL_PIN,
    SQL_SCHEMA,
    SQL_META,
    /* writing */
    SQL_COUNTER_GET,
    SQL_COUNTER_SET,
    SQL_SESSION_ADD,
    SQL_SESSION_SET,
    SQL_HEAD_ADD,
    SQL_HEAD_SET,
    SQL_HEAD_VER,
    SQL_BRANCH_ADD,
    SQL_BRANCH_CUT,
    SQL_ENTRY_ADD,
    SQL_ENTRY_SET,
    SQL_SLUG_COUNT,
    SQL_ALIAS_COUNT,
    SQL_ENTRY_THERE,
    SQL_ENTRY_SEAL,
    SQL_OPEN_ADD,
    SQL_OPEN_SET,
    SQL_OPEN_DEL,
    SQL_OPEN_VER,
    SQL_DRAFT_ADD,
    SQL_DRAFT_DEL,
    SQL_RECORD_ADD,
    SQL_RECORD_SET,
    SQL_ALIAS_ADD,
    SQL_ALIAS_DEL,
    SQL_KEY_PUT,
    SQL_LIST_PUT,
    SQL_LIST_MOVE,
    SQL_LIST_DEL,
    SQL_WATERMARK_SET,
    SQL_SPEND_ADD,
    SQL_SPEND_DROP,
    SQL_SPEND_CLEAR,
    SQL_SEEN_ADD,
    SQL_SEEN_CLEAR,
    SQL_SEEN_LAST,
    SQL_SEEN_FIND,
    SQL_PURGE_SEEN,
    SQL_TEXT_ADD,
    SQL_TEXT_ADD_TITLE,
    SQL_TEXT_DEL,
    SQL_TEXT_INDEX,
    SQL_TEXT_UNINDEX,
    SQL_TEXT_MARK_SET,
    SQL_LOG_ADD,
    /* purging */
    SQL_PURGE_TEXT,
    SQL_PURGE_ENTRIES,
    SQL_PURGE_DRAFTS,
    SQL_PURGE_OPEN,
    SQL_PURGE_RECORDS,
    SQL_PURGE_ALIASES,
    SQL_PURGE_NAMES,
    SQL_PURGE_KEYS,
    /* reading */
    SQL_SESSION_GET,
    SQL_SESSION_SLUG,
    SQL_SESSION_MADE,
    SQL_SESSION_CHILDREN,
    SQL_HEAD_GET,
    SQL_BRANCH_GET,
    SQL_BRANCH_CHILDREN,
    SQL_BRANCH_OF,
    SQL_TIP,
    SQL_ENTRY_GET,
    SQL_ENTRY_UP,
    SQL_ENTRY_UP_ALIVE,
    SQL_ENTRY_UP_SOME,
    SQL_ENTRY_DOWN,
    SQL_ENTRY_DOWN_ALIVE,
    SQL_ENTRY_DOWN_SOME,
    SQL_MARK,
    SQL_MARKS,
    SQL_MARKS_SUMMARY,
    SQL_MARK_MODEL,
    SQL_MARK_LEVEL,
    SQL_OPEN_SCAN,
    SQL_DRAFT_SCAN,
    SQL_ALIAS_GET,
    SQL_ALIAS_ALL,
    SQL_KEY_GET,
    SQL_RECORD_GET,
    SQL_RECORD_UP,
    SQL_RECORD_DOWN,
    SQL_RECORD_LAST,
    SQL_LOG_LAST,
    SQL_LOG_GET,
    SQL_LOG_SCAN,
    SQL_WATERMARK,
    SQL_LIST_GET,
    SQL_SPEND_DAYS,
    SQL_SPEND_SESSION,
    SQL_SPEND_PROJECT,
    SQL_SPEND_ACCOUNT,
    SQL_SPEND_PRINCIPAL,
    /* attachments */
    SQL_BLOB_COUNT,
    SQL_BLOB_NUMBER,
    SQL_BLOB_ADD,
    SQL_BLOB_TOUCH,
    SQL_BLOB_SEAL,
    SQL_BLOB_SEEN,
    SQL_BLOB_GIVE_UP,
    SQL_BLOB_LINKED,
    SQL_BLOB_DEL,
    SQL_BLOB_FIND,
    SQL_BLOB_OLDEST,
    SQL_BLOB_OLD,
    SQL_BLOB_WRITING,
    SQL_CHUNK_ADD,
    SQL_CHUNK_BYTES,
    SQL_CHUNK_GET,
    SQL_LINK_ADD,
    SQL_LINK_ANY,
    SQL_LINK_OF,
    SQL_PURGE_LOOSEN,
    SQL_PURGE_LINKS,
    SQL_PURGE_CHUNKS,
    SQL_TEXT_TITLE,
    SQL_TEXT_MARK,
    SQL_TEXT_FIND,
    SQL_COUNT, /* number of statements */
};

extern const char *const sql_text[SQL_COUNT];

/* Columns in the order in which row.c reads them. */
#define SESSION_COLS "sid, ver, made, chk, parent, kind, purged, slug, body"
#define HEAD_COLS                                                                                  \
    "sid, ver, bid, depth, status, deleted, lease_epoch, lease_since, lease_expires, lease_owner"
#define BRANCH_COLS "bid, sid, parent, base, cut"
#define ENTRY_COLS "k, kind, mask, over, body"
#define OPEN_COLS "k, sid, ver, epoch, since, expires, lease_ms, owner, process, client, wanted"
#define DRAFT_COLS "k, upto, step, body"
#define RECORD_COLS "k, ver, over, body"
#define ALIAS_COLS "id, scope, what, a, b"
#define KEY_COLS "key, hash, no, expires, bid, depth"
#define LOG_COLS "no, n, sid, kind, time, bid, depth, record, aux"
#define BLOB_COLS "bno, state, size, since, hash"
#define CHUNK_COLS "k, sum, body"
#define LINK_COLS "k, bno"
#define LIST_COLS                                                                                  \
    "sid, kind, status, project, workspace, account, parent, created, updated, modified, deleted," \
    " role_name, provider_path, model_provider, model_name, hay, body, errors, last_state, cost,"  \
    " last_model"

#define SPEND_KEY "day, sid, project, account, provider, model, principal"
#define SPEND_COLS                                                                                 \
    SPEND_KEY                                                                                      \
    ", calls, unknown, input, output, reasoning, cache_read, cache_write, cost, duration"

#define SEEN_COLS "key, no, bid, depth, strict"
#define TEXT_COLS "id, k, time, words"
/* 2^40. The rowid of a document in the full-text index is TEXT_TOP minus its id, so the newest
 * document comes first. */
#define TEXT_TOP "1099511627776"
/* The tag column filters by role, kind, branch and session. The others are the fields of
 * core/search/search.h, in order. */
#define INDEX_COLS "tag, text, reasoning, tool, input, output, file, title"

#endif
