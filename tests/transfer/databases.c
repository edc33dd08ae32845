/* Helpers for tests: SQLite files as other tools create them. */
#include "databases.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "transfer/sources/sqlite_file.h"

const char hygge_schema[] =
    "CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL);"
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_id TEXT REFERENCES sessions(id)"
    " ON DELETE SET NULL, fork_message_id TEXT, slug TEXT, project_dir TEXT NOT NULL,"
    " model_provider TEXT NOT NULL, model_name TEXT NOT NULL,"
    " total_input_tokens INTEGER NOT NULL DEFAULT 0, total_output_tokens INTEGER NOT NULL DEFAULT "
    "0,"
    " total_cache_read_tokens INTEGER NOT NULL DEFAULT 0,"
    " total_cache_write_tokens INTEGER NOT NULL DEFAULT 0, total_cost_usd REAL NOT NULL DEFAULT 0,"
    " created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, deleted_at INTEGER,"
    " metadata TEXT NOT NULL DEFAULT '{}',"
    " kind TEXT NOT NULL DEFAULT 'primary' CHECK (kind IN ('primary', 'subagent')),"
    " first_message_preview TEXT, parent_tool_use_id TEXT);"
    "CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES sessions(id)"
    " ON DELETE CASCADE, role TEXT NOT NULL, parts TEXT NOT NULL, input_tokens INTEGER,"
    " output_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER, cost_usd REAL,"
    " duration_ms INTEGER, created_at INTEGER NOT NULL, deleted_at INTEGER);"
    "CREATE INDEX messages_of ON messages(session_id, created_at) WHERE deleted_at IS NULL;"
    "CREATE TABLE compaction_markers (id TEXT PRIMARY KEY, session_id TEXT NOT NULL,"
    " before_message_id TEXT NOT NULL, summary TEXT NOT NULL,"
    " input_tokens_saved INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL);"
    "CREATE TABLE session_todos (session_id TEXT PRIMARY KEY, items TEXT NOT NULL,"
    " updated_at INTEGER NOT NULL);"
    "CREATE TABLE session_memories (id TEXT PRIMARY KEY, session_id TEXT NOT NULL,"
    " content TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,"
    " deleted_at INTEGER);";

const char hecate_schema[] =
    "CREATE TABLE hecate_chat_sessions (id TEXT PRIMARY KEY, title TEXT NOT NULL,"
    " created_at TIMESTAMP NOT NULL, updated_at TIMESTAMP NOT NULL,"
    " system_prompt TEXT NOT NULL DEFAULT '');"
    "CREATE TABLE hecate_chat_session_provider_calls (id TEXT PRIMARY KEY, session_id TEXT NOT NULL"
    " REFERENCES hecate_chat_sessions(id) ON DELETE CASCADE, request_id TEXT NOT NULL,"
    " requested_provider TEXT NOT NULL, provider TEXT NOT NULL, provider_kind TEXT NOT NULL,"
    " requested_model TEXT NOT NULL, model TEXT NOT NULL, cost_micros_usd INTEGER NOT NULL,"
    " prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,"
    " total_tokens INTEGER NOT NULL, created_at TIMESTAMP NOT NULL);"
    "CREATE TABLE hecate_chat_session_messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL"
    " REFERENCES hecate_chat_sessions(id) ON DELETE CASCADE, sequence INTEGER NOT NULL,"
    " produced_by_call_id TEXT REFERENCES hecate_chat_session_provider_calls(id) ON DELETE SET "
    "NULL,"
    " message_json TEXT NOT NULL, created_at TIMESTAMP NOT NULL, UNIQUE (session_id, sequence));";

#define LLM_OLD                                                                                    \
    "CREATE TABLE _llm_migrations (name TEXT PRIMARY KEY, applied_at TEXT);"                       \
    "CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);"                     \
    "CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, "          \
    "prompt_json TEXT,"                                                                            \
    " options_json TEXT, response TEXT, response_json TEXT, conversation_id TEXT REFERENCES"       \
    " conversations(id), duration_ms INTEGER, datetime_utc TEXT, input_tokens INTEGER, "           \
    "output_tokens"                                                                                \
    " INTEGER, token_details TEXT, schema_id TEXT, resolved_model TEXT);"

const char llm_old_schema[] = LLM_OLD;
const char llm_schema[] = LLM_OLD
    "CREATE TABLE attachments (id TEXT PRIMARY KEY, type TEXT, path TEXT, url TEXT, content BLOB);"
    "CREATE TABLE prompt_attachments (response_id TEXT, attachment_id TEXT, \"order\" INTEGER,"
    " PRIMARY KEY (response_id, attachment_id));"
    "CREATE TABLE fragments (id INTEGER PRIMARY KEY, hash TEXT, content TEXT, datetime_utc TEXT, "
    "source"
    " TEXT);"
    "CREATE TABLE prompt_fragments (response_id TEXT, fragment_id INTEGER, \"order\" INTEGER);"
    "CREATE TABLE tool_calls (id INTEGER PRIMARY KEY, response_id TEXT, tool_id INTEGER, name TEXT,"
    " arguments TEXT, tool_call_id TEXT);"
    "CREATE TABLE tool_results (id INTEGER PRIMARY KEY, response_id TEXT, tool_id INTEGER, name "
    "TEXT,"
    " output TEXT, tool_call_id TEXT, instance_id INTEGER, exception TEXT);";

const char opencode_schema[] =
    "CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT NOT NULL);"
    "CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, workspace_id TEXT,"
    " parent_id TEXT, slug TEXT NOT NULL, directory TEXT NOT NULL, path TEXT, title TEXT NOT NULL,"
    " version TEXT NOT NULL, share_url TEXT, summary_additions INTEGER, summary_deletions INTEGER,"
    " summary_files INTEGER, summary_diffs TEXT, metadata TEXT, cost REAL NOT NULL DEFAULT 0,"
    " tokens_input INTEGER NOT NULL DEFAULT 0, tokens_output INTEGER NOT NULL DEFAULT 0,"
    " tokens_reasoning INTEGER NOT NULL DEFAULT 0, tokens_cache_read INTEGER NOT NULL DEFAULT 0,"
    " tokens_cache_write INTEGER NOT NULL DEFAULT 0, revert TEXT, permission TEXT, agent TEXT,"
    " model TEXT, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL,"
    " time_compacting INTEGER, time_archived INTEGER);"
    "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT"
    " NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);"
    "CREATE INDEX message_of ON message(session_id, time_created, id);"
    "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL,"
    " time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);"
    "CREATE INDEX part_of ON part(message_id, id);"
    "CREATE TABLE todo (session_id TEXT NOT NULL, content TEXT NOT NULL, status TEXT NOT NULL,"
    " priority TEXT NOT NULL, position INTEGER NOT NULL, time_created INTEGER NOT NULL,"
    " time_updated INTEGER NOT NULL, PRIMARY KEY (session_id, position));"
    "CREATE TABLE session_input (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, prompt TEXT NOT "
    "NULL,"
    " delivery TEXT NOT NULL, admitted_seq INTEGER NOT NULL, promoted_seq INTEGER,"
    " time_created INTEGER NOT NULL);"
    "CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, type TEXT NOT"
    " NULL, seq INTEGER NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL,"
    " data TEXT NOT NULL);";

/* The tool is another process. If this one had the file open, a child that reads it would inherit
 * what SQLite knows about it, but not the locks. */
struct db {
    pid_t pid;
    int fd; /* SQL goes there, "" or an error comes back; each with its NUL */
};

static bool get_text(FILE *f, char **text, size_t *size)
{
    return getdelim(text, size, '\0', f) > 0;
}

static void run_tool(const char *path, int fd)
{
    FILE *in = fdopen(fd, "r");
    char *sql = NULL, *why = NULL;
    sqlite3 *db = NULL;
    size_t size = 0;

    if (!in || sqlite3_open(path, &db) != SQLITE_OK)
        _exit(1);
    while (get_text(in, &sql, &size)) {
        why = NULL;
        (void)sqlite3_exec(db, sql, NULL, NULL, &why);
        if (write(fd, why ? why : "", why ? strlen(why) + 1 : 1) < 0)
            break;
        sqlite3_free(why);
    }
    sqlite3_close(db);
    _exit(0);
}

struct db *db_open(struct test *t, const char *path)
{
    struct db *db = arena_zalloc(t->arena, sizeof *db);
    int ends[2];

    sqlite_file_guard_forks();
    CHECK_INT(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
    db->pid = fork();
    if (db->pid == 0) {
        close(ends[0]);
        run_tool(path, ends[1]);
    }
    close(ends[1]);
    db->fd = ends[0];
    db_run(t, db, "SELECT 1");
    return db;
}

void db_run(struct test *t, struct db *db, const char *sql)
{
    size_t n = strlen(sql) + 1;
    char why[256] = "the tool ended";

    (void)t;
    while (n) {
        ssize_t put = write(db->fd, sql, n);

        CHECK(put > 0);
        sql += put;
        n -= (size_t)put;
    }
    CHECK(read(db->fd, why, sizeof why - 1) > 0);
    if (*why)
        FAIL("%.100s: %s", sql, why);
}

void db_close(struct db *db)
{
    close(db->fd);
    while (waitpid(db->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

const char *db_make(struct test *t, const char *name, const char *schema, const char *sql)
{
    const char *path = test_path(t, name);
    struct db *db;

    unlink(path);
    db = db_open(t, path);
    db_run(t, db, "PRAGMA journal_mode = WAL");
    db_run(t, db, schema);
    db_run(t, db, sql);
    db_close(db);
    return path;
}

void db_change(struct test *t, const char *path, const char *sql)
{
    struct db *db = db_open(t, path);

    db_run(t, db, sql);
    db_close(db);
}

const char *db_quoted(struct test *t, struct bough_str text)
{
    char *out = arena_alloc(t->arena, 2 * text.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\'')
            out[n++] = '\'';
        out[n++] = text.p[i];
    }
    out[n] = '\0';
    return out;
}

/* The bytes and times of a file and of its WAL and journal, as one string. */
static struct bough_str look(struct test *t, const char *path)
{
    static const char *const suffixes[] = { "", "-wal", "-journal" };
    struct bough_str out = { "", 0 };
    struct stat st;

    for (size_t i = 0; i < 3; i++) {
        const char *name = arena_printf(t->arena, "%s%s", path, suffixes[i]);
        char *all;
        size_t n = 0;

        if (stat(name, &st) != 0)
            continue;
        all = file_text(t, name, &n);
        out.p = arena_printf(t->arena, "%s %s %lld.%09ld %zu ", out.p, suffixes[i],
                             (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, n);
        out.n = strlen(out.p);
        all = memcpy(arena_alloc(t->arena, out.n + n), all, n);
        memmove(all + out.n, all, n);
        memcpy(all, out.p, out.n);
        for (size_t k = 0; k < n; k++) /* map bytes to letters, so that the result is a C string */
            all[out.n + k] = (char)('a' + ((unsigned char)all[out.n + k] ^ (k & 15)) % 26);
        out = (struct bough_str){ arena_strndup(t->arena, all, out.n + n), out.n + n };
    }
    return out;
}

struct bough_import_file_result import_db(struct test *t, const char *path)
{
    struct bough_str before = look(t, path);
    bool shm = fs_exists(arena_printf(t->arena, "%s-shm", path));
    struct bough_import_file_result in = import_file(t, path);

    CHECK_STR(before.p, look(t, path).p);
    CHECK_INT(shm, fs_exists(arena_printf(t->arena, "%s-shm", path)));
    return in;
}
