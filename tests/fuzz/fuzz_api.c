/*
 * Fuzz: the input is a sequence of calls on a memory store. Every refusal has a message, all stored
 * data can be read, and a full fsck at the end finds nothing.
 *
 * The first byte of a call selects it; its arguments come from the bytes that follow. Past the end
 * of the input all bytes are 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bough/bough.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/context/context.h"
#include "core/model/totals.h"
#include "fuzz/api_run.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* ---- results ---- */

static bool told(struct run *r, enum bough_rc rc)
{
    MUST(!rc || (r->err.msg[0] && r->err.rc == rc));
    MUST(rc != BOUGH_CORRUPT && rc != BOUGH_IO && rc != BOUGH_UNKNOWN);
    return !rc;
}

static void keep_session(struct run *r, const struct bough_session *s)
{
    MUST(s->id[0] && s->slug && s->title && s->origin);
    if (r->nsessions < MOST_SESSIONS)
        memcpy(r->sessions[r->nsessions++], s->id, sizeof s->id);
}

static void keep_entry(struct run *r, const char *id)
{
    if (r->nentries < MOST_ENTRIES)
        memcpy(r->entries[r->nentries++], id, BOUGH_ID_LEN + 1);
}

static void keep_appended(struct run *r, const struct bough_append_result *out)
{
    for (size_t i = 0; i < out->n; i++)
        keep_entry(r, out->ids[i]);
    if (out->call[0])
        memcpy(r->call, out->call, sizeof r->call);
}

/* ---- sessions ---- */

static void op_create(struct run *r)
{
    struct bough_session_create_options in = { .title = word(r), .project = word(r) };
    unsigned more = take(r);
    struct bough_session *s;

    in.parent = more & 1 ? session(r) : NULL;
    in.fork_entry = more & 2 ? entry(r) : NULL;
    in.kind = more & 4 ? BOUGH_SUBAGENT : BOUGH_PRIMARY;
    in.id = more & 8 ? word(r) : NULL;
    in.slug = more & 16 ? word(r) : NULL;
    in.data = more & 32 ? json(r) : str_of("");
    in.metadata = more & 32 ? json(r) : str_of("");
    in.totals_mode = more & 64 ? BOUGH_TOTALS_MANUAL : BOUGH_TOTALS_AUTO;
    in.workspace = more & 128 ? word(r) : NULL;
    if (told(r, bough_session_create(r->s, r->a, &in, &s, &r->err)))
        keep_session(r, s);
}

static void op_fork(struct run *r)
{
    const char *from = session(r);
    unsigned more = take(r);
    struct bough_session_fork_options how = { .before = more & 1, .copy = more & 2 };
    struct bough_session *s;

    how.entry = more & 4 ? entry(r) : NULL;
    how.title = more & 8 ? word(r) : NULL;
    how.id = more & 16 ? word(r) : NULL;
    if (told(r, bough_session_fork(r->s, r->a, from, &how, &s, &r->err)))
        keep_session(r, s);
}

static void op_session(struct run *r)
{
    const char *id = session(r);

    switch (take(r) % 8) {
    case 0:
        told(r, bough_session_rename(r->s, id, word(r), &r->err));
        return;
    case 1:
        told(r, bough_session_archive(r->s, id, &r->err));
        return;
    case 2:
        told(r, bough_session_unarchive(r->s, id, &r->err));
        return;
    case 3:
        told(r, bough_session_delete(r->s, id, &r->err));
        return;
    case 4:
        told(r, bough_session_restore(r->s, id, &r->err));
        return;
    case 5:
        told(r, bough_session_clear(r->s, id, &r->err));
        return;
    case 6:
        told(r, bough_head_reset(r->s, id, &r->err));
        return;
    case 7:
        told(r, bough_head_move(r->s, id, entry(r), &r->err));
        return;
    }
}

static void op_status(struct run *r)
{
    const char *id = session(r), *owner = word(r);
    enum bough_status status = (enum bough_status)(take(r) % 5);
    int64_t epoch;

    told(r, bough_session_status(r->s, id, status, owner, number(r), &epoch, &r->err));
}

static void op_update(struct run *r)
{
    const char *id = session(r);
    struct bough_session_update_options edit = { .title = word(r),
                                                 .project = word(r),
                                                 .account = word(r) };

    edit.model_name = word(r);
    edit.data = json(r);
    edit.metadata = json(r);
    told(r, bough_session_update(r->s, id, &edit, &r->err));
}

static void op_purge(struct run *r)
{
    struct bough_session_purge_result report;

    told(r, bough_session_purge(r->s, r->a, session(r), &report, &r->err));
}

static void op_group(struct run *r)
{
    static const char *const kinds[] = { "project", "workspace", "account", "" };
    const char *kind = kinds[take(r) % 4];
    struct bough_groups places;
    int64_t n;

    if (flag(r))
        told(r, bough_group_delete(r->s, kind, word(r), &n, &r->err));
    else
        told(r, bough_group_list(r->s, r->a, kind, &places, &r->err));
}

/* ---- entries ---- */

static struct bough_entry_new any_entry(struct run *r)
{
    static const char *const parts[] = {
        "{\"type\":\"text\",\"text\":\"hi\"}",
        "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"n\",\"input\":{}}",
        "{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"c\"}",
        "{\"type\":\"new\",\"x\":1}",
    };
    struct bough_entry_new e = { .role = (enum bough_role)(take(r) % 9), .text = word(r) };
    struct bough_totals used;
    unsigned more = take(r);

    if (more & 1) {
        struct bough_str *list = arena_array(r->a, MOST_PARTS, sizeof *list);

        e.nparts = take(r) % MOST_PARTS;
        for (size_t i = 0; i < e.nparts; i++) {
            unsigned k = take(r);

            list[i] = k < 220 ? str_of(parts[k % 4]) : json(r);
        }
        e.parts = list;
    }
    e.kind = more & 2 ? (enum bough_entry_kind)(take(r) % 11) : BOUGH_ENTRY_MESSAGE;
    e.kind_name = more & 2 ? word(r) : NULL;
    e.id = more & 4 ? word(r) : NULL;
    e.time = more & 8 ? number(r) : 0;
    e.data = more & 16 ? json(r) : str_of("");
    e.metadata = more & 16 ? json(r) : str_of("");
    if (more & 32) {
        used = totals(r);
        e.usage = totals_keep(r->a, &used);
    }
    e.by_call = more & 64;
    e.call = more & 128 ? r->call : NULL;
    return e;
}

static struct bough_call_new any_call(struct run *r)
{
    struct bough_call_new c = { .model = word(r), .provider = word(r), .used = totals(r) };

    c.id = flag(r) ? word(r) : NULL;
    c.usage = json(r);
    c.duration = number(r);
    return c;
}

static void op_append(struct run *r)
{
    const char *id = session(r);
    unsigned more = take(r);
    struct bough_entry_new e[BATCH];
    struct bough_head at;
    struct bough_append_options in = { .entries = e };
    struct bough_call_new call;
    struct bough_append_result out;

    in.n = more & 1 ? take(r) % (BATCH + 1) : 1;
    for (size_t i = 0; i < in.n; i++)
        e[i] = any_entry(r);
    if (more & 2) {
        call = any_call(r);
        in.call = &call;
    }
    in.at = more & 4 ? entry(r) : NULL;
    in.at_root = more & 8;
    in.keep_head = more & 16;
    if (more & 32) {
        at = (struct bough_head){ take(r), take(r) };
        in.expect_head = &at;
    }
    in.key = more & 64 ? word(r) : NULL;
    in.owner = more & 128 ? word(r) : NULL;
    if (told(r, bough_append(r->s, r->a, id, &in, &out, &r->err)))
        keep_appended(r, &out);
}

static void op_record(struct run *r)
{
    const char *id = session(r);
    struct bough_entry_new e[BATCH], reply;
    struct bough_record_options in = { .history = e, .nhistory = take(r) % (BATCH + 1) };
    struct bough_call_new call;
    struct bough_record_result out;

    for (size_t i = 0; i < in.nhistory; i++)
        e[i] = any_entry(r);
    if (flag(r)) {
        reply = any_entry(r);
        in.reply = &reply;
    }
    if (flag(r)) {
        call = any_call(r);
        in.call = &call;
    }
    in.key = flag(r) ? word(r) : NULL;
    if (told(r, bough_record(r->s, r->a, id, &in, &out, &r->err)))
        keep_appended(r, &out.appended);
}

static void op_mark(struct run *r)
{
    const char *id = session(r);
    struct bough_compact_options in = { .summary = word(r), .tokens_before = number(r) };
    char out[BOUGH_ID_LEN + 1];
    bool ok;

    if (flag(r)) {
        in.before = flag(r) ? entry(r) : NULL;
        in.first_kept = flag(r) ? entry(r) : NULL;
        in.details = json(r);
        in.key = flag(r) ? word(r) : NULL;
        ok = told(r, bough_compact(r->s, id, &in, out, &r->err));
    } else {
        struct bough_branch_with_summary_options how = { .summary = in.summary };

        how.target = flag(r) ? entry(r) : NULL;
        how.details = json(r);
        ok = told(r, bough_branch_with_summary(r->s, id, &how, out, &r->err));
    }
    if (ok)
        keep_entry(r, out);
}

static void op_hide(struct run *r)
{
    const char *id = session(r), *e = entry(r);

    if (flag(r))
        told(r, bough_entry_delete(r->s, id, e, &r->err));
    else
        told(r, bough_entry_restore(r->s, id, e, &r->err));
}

/* ---- notes and other rows beside entries ---- */

static void op_note(struct run *r)
{
    const char *id = session(r);
    struct bough_todo items[2] = { { .content = word(r), .status = "pending", .priority = "high" },
                                   { .content = "b", .status = "completed", .priority = "low" } };
    struct bough_totals delta;

    items[1].status = word(r);
    switch (take(r) % 4) {
    case 0:
        told(r, bough_label_set(r->s, id, entry(r), items[0].content, &r->err));
        return;
    case 1:
        told(r, bough_todo_replace(r->s, r->a, id, items, take(r) % 3, NULL, &r->err));
        return;
    case 2:
        told(r, bough_call_delete(r->s, flag(r) ? r->call : word(r), &r->err));
        return;
    case 3:
        delta = totals(r);
        told(r, bough_totals_add(r->s, id, &delta, &r->err));
        return;
    }
}

static void op_propagate(struct run *r)
{
    const char *id = session(r);
    struct bough_totals delta = totals(r);
    struct bough_totals_propagate_result list;

    told(r, bough_totals_propagate(r->s, r->a, id, &delta, &list, &r->err));
}

static void op_memory(struct run *r)
{
    enum bough_memory_scope scope = (enum bough_memory_scope)(take(r) % 4);
    const char *of = scope == BOUGH_MEMORY_OF_SESSION ? session(r) : word(r);
    struct bough_memory in = { .scope = scope, .of = of, .content = word(r), .title = word(r) };
    struct bough_memories list;
    struct bough_memory *out;

    if (flag(r) && told(r, bough_memory_add(r->s, r->a, &in, &out, &r->err)))
        memcpy(r->memory, out->id, sizeof out->id);
    if (flag(r))
        told(r, bough_memory_forget(r->s, r->a, scope, of, r->memory, &out, &r->err));
    told(r, bough_memory_list(r->s, r->a, scope, of, &list, &r->err));
}

static void op_chat(struct run *r)
{
    struct bough_tool_call call = { .id = word(r), .name = word(r), .arguments = word(r) };
    struct bough_chat_message m = { .role = word(r), .content = word(r) };
    struct bough_chat_messages all;
    struct bough_chat *c = NULL;

    m.tool_call_id = word(r);
    m.tool_calls = &call;
    m.ntool_calls = flag(r);
    if (!told(r, bough_chat_create(&c, r->s, flag(r) ? session(r) : NULL, &r->err)))
        return;
    told(r, bough_chat_add(c, &m, &r->err));
    if (flag(r))
        told(r, bough_chat_clear(c, &r->err));
    told(r, bough_chat_messages(c, r->a, &all, &r->err));
    bough_chat_destroy(c);
}

/* ---- reading ---- */

static void op_list(struct run *r)
{
    struct bough_session_list_options filter = { .project = word(r),
                                                 .query = word(r),
                                                 .status = word(r) };
    struct bough_sessions out;
    unsigned more = take(r);

    filter.parent = more & 1 ? session(r) : NULL;
    filter.roots = more & 2;
    filter.include_deleted = more & 4;
    filter.order = (enum bough_session_order)(more >> 3 & 3);
    filter.limit = number(r);
    filter.cursor = word(r);
    for (int i = 0; i < 3 && told(r, bough_session_list(r->s, r->a, &filter, &out, &r->err)); i++)
        filter.cursor = out.next;
}

static void op_read(struct run *r)
{
    const char *id = session(r);
    unsigned more = take(r);
    struct bough_entries_read_options how = { .what = (enum bough_entries_what)(more & 3),
                                              .newest = more & 4 };
    struct bough_entries_read_result out;

    how.messages = more & 8;
    how.deleted = more & 16;
    how.inherit = more & 32;
    how.at = more & 64 ? entry(r) : NULL;
    how.limit = number(r);
    if (told(r, bough_entries_read(r->s, r->a, id, &how, &out, &r->err)) && *out.entries.next) {
        how.cursor = out.entries.next;
        told(r, bough_entries_read(r->s, r->a, id, &how, &out, &r->err));
    }
}

static void op_tree(struct run *r)
{
    const char *id = session(r), *other = session(r), *one = entry(r), *two = entry(r);
    struct bough_entries list;
    struct bough_entry *e;
    struct bough_tree_diff_result diff;
    struct bough_tree_entries_options page = { .limit = 2 };
    struct bough_tree_diff_options sides = {
        .session = id, .one = one, .other_session = other, .other = two
    };

    told(r, bough_tree_children(r->s, r->a, id, one, &list, &r->err));
    told(r, bough_tree_common(r->s, r->a, id, one, two, &e, &r->err));
    told(r, bough_tree_diff(r->s, r->a, &sides, &diff, &r->err));
    told(r, bough_entry_get(r->s, r->a, flag(r) ? id : NULL, one, &e, &r->err));
    page.cursor = arena_printf(r->a, "%lld", (long long)number(r));
    told(r, bough_tree_entries(r->s, r->a, id, &page, &list, &r->err));
}

static void op_time(struct run *r)
{
    struct bough_store_log_options log = { .limit = 3 };
    struct bough_changes out;

    r->now += 1 + (int64_t)take(r) * 1000 * (take(r) + 1);
    log.after = number(r);
    told(r, bough_store_log(r->s, r->a, &log, &out, &r->err));
    told(r, bough_store_upkeep(r->s, &r->err));
}

static void (*const ops[])(struct run *r) = {
    op_create, op_append, op_append, op_fork, op_session, op_status, op_update,
    op_purge,  op_group,  op_record, op_mark, op_hide,    op_note,   op_propagate,
    op_memory, op_chat,   op_list,   op_read, op_tree,    op_time,
};

/* ---- the run ---- */

static int64_t now(void *user)
{
    struct run *r = user;

    return __atomic_fetch_add(&r->now, 1, __ATOMIC_RELAXED);
}

static void random_bytes(void *user, void *out, size_t n)
{
    struct run *r = user;

    for (size_t i = 0; i < n; i++)
        ((unsigned char *)out)[i] =
            (unsigned char)(__atomic_add_fetch(&r->seed, UINT64_C(0x9e3779b97f4a7c15),
                                               __ATOMIC_RELAXED) >>
                            40);
}

/* Everything a session shows must be readable. */
static void read_all(struct run *r, const char *id)
{
    struct bough_session *s;
    struct bough_entries_read_result path;
    struct bough_context_result out;
    char hash[65];

    if (bough_session_get(r->s, r->a, id, &s, &r->err) == BOUGH_GONE)
        return;
    MUST(strcmp(s->id, id) == 0);
    MUST(told(r, bough_entries_read(r->s, r->a, id, NULL, &path, &r->err)));
    MUST(told(r, bough_path_hash(r->s, id, NULL, hash, &r->err)));
    for (size_t i = 0; context_dialect_name(i); i++) {
        struct bough_context_options how = { .dialect = context_dialect_name(i) };

        MUST(told(r, bough_context(r->s, r->a, id, &how, &out, &r->err)));
    }
}

static void say(void *user, const struct bough_finding *f)
{
    (void)user;
    fprintf(stderr, "%s %s: %s\n", f->code, f->where, f->text);
}

static void check_all(struct run *r)
{
    struct bough_store_fsck_result report;

    for (size_t i = 0; i < r->nsessions; i++)
        read_all(r, r->sessions[i]);
    MUST(told(r, bough_store_fsck(r->s, BOUGH_FSCK_FULL, say, NULL, &report, &r->err)));
    MUST(report.errors == 0 && report.warnings == 0);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    struct run r = { .p = data, .end = data + n, .now = 1800000000000 };
    struct bough_env env = { .now = now, .random = random_bytes, .user = &r };
    struct bough_store_open_options options = { .env = &env };

    r.a = bough_arena_create();
    MUST(bough_store_open(&r.s, "memory:", &options, NULL) == BOUGH_OK);
    for (int i = 0; i < MOST_CALLS && r.p < r.end; i++) {
        memset(&r.err, 0, sizeof r.err);
        ops[take(&r) % (sizeof ops / sizeof *ops)](&r);
    }
    check_all(&r);
    bough_store_close(&r.s);
    bough_arena_destroy(r.a);
    return 0;
}
