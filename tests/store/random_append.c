/* Random operations on entries: appends with all options, record, read, head, markers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/totals.h"
#include "store/random_ops.h"

enum { MOST_NEW = 6 };

static const char *const texts[] = { "hello", "alpha beta", "what is this?", "ok", "done",
                                     "",      "ünïcode ✓",  "next step",     "no" };
static const char *const parts[] = {
    "{\"type\":\"text\",\"text\":\"a part\"}",
    "{\"type\":\"text\",\"text\":\"b\\u00e9 \\ud83d\\ude00\",\"n\":1.50}",
    "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"}",
    "{\"type\":\"toolCall\",\"id\":\"t1\",\"name\":\"ls\",\"arguments\":{\"b\":1,\"a\":2}}",
    "{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":\"cat\",\"input\":{}}",
    "{\"type\":\"tool_result\",\"tool_use_id\":\"t2\",\"content\":\"x\"}",
    "{\"type\":\"whatever\",\"z\":[null,true]}",
    "{\"type\":\"image\",\"data\":\"aGk=\",\"mimeType\":\"image/png\"}",
};
static const char *const bad_parts[] = { "{\"no\":\"type\"}", "[1]", "{\"type\":", "" };

#define PICK(r, words) pick(r, words, sizeof(words) / sizeof *(words))

struct drawn {
    struct bough_entry_new e[MOST_NEW];
    struct bough_str parts[MOST_NEW][3];
    struct bough_call_new call;
    size_t n;
    bool has_call;
    size_t of_call; /* an older call, or NONE */
    size_t target;  /* of a label */
    uint64_t form;
};

static const char *any_text(struct random *r)
{
    size_t n;
    char *text;

    if (!chance(r, 4))
        return PICK(r, texts);
    n = 1000 + (size_t)draw(r, 9000);
    text = arena_alloc(r->keep, n + 1);
    for (size_t i = 0; i < n; i++)
        text[i] = chance(r, 50) ? (char)('a' + draw(r, 26)) : ' ';
    text[n] = '\0';
    return text;
}

static void any_message(struct random *r, struct bough_entry_new *e, struct bough_str *room)
{
    e->kind = BOUGH_ENTRY_MESSAGE;
    e->role = (enum bough_role)(1 + draw(r, 7));
    if (chance(r, 60))
        e->role = chance(r, 50) ? BOUGH_ROLE_USER : BOUGH_ROLE_ASSISTANT;
    if (chance(r, 70))
        e->text = any_text(r);
    if (e->text && !chance(r, 20))
        return;
    e->nparts = 1 + (size_t)draw(r, 3);
    e->parts = room;
    for (size_t i = 0; i < e->nparts; i++)
        room[i] = str_of(chance(r, 1) ? PICK(r, bad_parts) : PICK(r, parts));
}

static void any_other(struct random *r, struct bough_entry_new *e)
{
    e->kind = (enum bough_entry_kind)draw(r, chance(r, 5) ? 11 : 10);
    if (e->kind == BOUGH_ENTRY_COMPACTION)
        e->data = str_of("{\"summary\":\"S\",\"firstKeptEntryId\":\"c1\",\"tokensBefore\":5}");
    else if (e->kind == BOUGH_ENTRY_MODEL_CHANGE)
        e->data = str_of("{\"provider\":\"p\",\"modelId\":\"m\"}");
    else if (e->kind == BOUGH_ENTRY_THINKING_LEVEL_CHANGE)
        e->data = str_of("{\"thinkingLevel\":\"high\"}");
    else if (e->kind == BOUGH_ENTRY_SESSION_INFO)
        e->data = str_of("{\"name\":\"alpha named\"}");
    else if (e->kind == BOUGH_ENTRY_LABEL)
        e->data = str_of("{\"targetId\":\"c1\",\"label\":\"L\"}");
    else if (e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE)
        e->data = str_of("{\"customType\":\"x\",\"content\":\"hi\",\"display\":true}");
    e->kind_name = e->kind == BOUGH_ENTRY_OTHER && !chance(r, 5) ? "odd" : NULL;
}

static void any_new(struct random *r, struct drawn *d, size_t i)
{
    struct bough_entry_new *e = &d->e[i];
    struct bough_totals used;

    if (chance(r, 85))
        any_message(r, e, d->parts[i]);
    else
        any_other(r, e);
    if (chance(r, 12))
        e->id = arena_printf(r->keep, "c%llu", (unsigned long long)draw(r, 12));
    e->time = chance(r, 20) ? 1500000000000 + (int64_t)draw(r, 1000) : 0;
    e->finish = chance(r, 20) ? "stop" : NULL;
    e->duration = chance(r, 10) ? (int64_t)draw(r, 999) : 0;
    e->metadata = chance(r, 10) ? str_of("{\"m\":\"x\"}") : str_of("");
    if (chance(r, 5))
        e->error = str_of("{\"message\":\"broke\"}");
    if (chance(r, 20)) {
        used = any_totals(r, chance(r, 3));
        e->usage = totals_keep(r->keep, &used);
    }
    e->by_call = d->has_call ? chance(r, 50) : chance(r, 1);
}

static void any_call(struct random *r, struct drawn *d)
{
    d->call = (struct bough_call_new){ .request_id = chance(r, 50) ? "req" : NULL,
                                       .provider = "p",
                                       .model = chance(r, 50) ? "m1" : "m2",
                                       .want_model = chance(r, 20) ? "auto" : NULL,
                                       .status = chance(r, 50) ? "ok" : NULL,
                                       .used = any_totals(r, chance(r, 3)),
                                       .time = chance(r, 20) ? 1500000000000 : 0 };
    if (chance(r, 10))
        d->call.id = arena_printf(r->keep, "k%llu", (unsigned long long)draw(r, 5));
    if (chance(r, 10))
        d->call.usage = str_of("{\"prompt_tokens\":3}");
}

static struct drawn *draw_entries(struct random *r)
{
    struct drawn *d = arena_zalloc(r->keep, sizeof *d);

    d->form = draw(r, 1000);
    d->has_call = chance(r, 15);
    d->n = chance(r, 70) ? 1 : (size_t)draw(r, MOST_NEW) + !d->has_call;
    d->of_call = r->calls && chance(r, 5) ? (size_t)draw(r, r->calls) : NONE;
    if (d->has_call)
        any_call(r, d);
    for (size_t i = 0; i < d->n; i++)
        any_new(r, d, i);
    return d;
}

static void answer(struct random *r, struct world *w, const struct bough_append_result *out)
{
    if (w->rc)
        return;
    buf_printf(&w->out, "call %s head %s mno %lld replayed %d:", name_of(w, out->call),
               place_of(w, out->head), (long long)out->first_mno, out->replayed);
    for (size_t i = 0; i < out->n; i++) {
        struct bough_entry *e;
        enum bough_rc rc = bough_entry_get(w->store, w->arena, NULL, out->ids[i], &e, &w->err);

        buf_printf(&w->out, " %s %s\n", name_of(w, out->ids[i]), bough_rc_name(rc));
        if (!rc)
            put_entry(w, e);
        if (!rc && r->entries + i < MOST_ENTRIES) {
            memcpy(w->entry[r->entries + i], e->id, sizeof e->id);
            w->at[r->entries + i] = e->at;
        }
    }
    if (*out->call && r->calls < MOST_RECORDS)
        memcpy(w->call[r->calls], out->call, sizeof out->call);
}

static void keep_entries(struct random *r, size_t session, const struct bough_append_result *out)
{
    if (r->w[0]->rc)
        return;
    for (size_t i = 0; i < out->n && r->entries < MOST_ENTRIES; i++)
        r->entry_session[r->entries++] = session;
    r->calls += *out->call && r->calls < MOST_RECORDS;
}

static void show_append(const struct world *w, const char *session,
                        const struct bough_append_options *in)
{
    if (!getenv("RANDOM_TRACE"))
        return;
    printf("# to %s at %s root %d keep %d expect %d #%lld.%lld key %s owner %s call %s:", session,
           in->at ? in->at : "-", in->at_root, in->keep_head, in->expect_head != NULL,
           (long long)(in->expect_head ? in->expect_head->branch : 0),
           (long long)(in->expect_head ? in->expect_head->depth : 0), in->key ? in->key : "-",
           in->owner ? in->owner : "-", in->call ? in->call->id ? in->call->id : "new" : "-");
    for (size_t i = 0; i < in->n; i++)
        printf(" [%s %s %s%s]", bough_entry_kind_name(in->entries[i].kind),
               in->entries[i].id ? in->entries[i].id : "-",
               in->entries[i].call ? in->entries[i].call : "-",
               in->entries[i].by_call ? " by call" : "");
    printf(" %lld\n", (long long)w->now);
}

static bool repeat(struct random *r)
{
    struct bough_append_result out = { 0 };

    if (!r->w[0]->keyed.key)
        return false;
    EACH(r, w)
    {
        show_append(w, w->keyed_session, &w->keyed);
        w->rc = bough_append(w->store, w->arena, w->keyed_session, &w->keyed, &out, &w->err);
        answer(r, w, &out);
    }
    if (!r->w[0]->rc && !out.replayed)
        keep_entries(r, NONE, &out);
    return true;
}

static struct bough_append_options drawn_append(struct random *r, struct drawn *d)
{
    static const struct bough_head nothing;
    struct bough_append_options in = { .entries = d->e,
                                       .n = d->n,
                                       .call = d->has_call ? &d->call : NULL,
                                       .at_root = chance(r, 2),
                                       .keep_head = chance(r, 6),
                                       .expect_head = chance(r, 5) ? &nothing : NULL,
                                       .owner = chance(r, 2) ? "alice" : NULL };

    if (chance(r, 10))
        in.key = arena_printf(r->keep, "key %llu", (unsigned long long)draw(r, 3));
    return in;
}

static void name_call(struct random *r, struct world *w, struct drawn *d)
{
    (void)r;
    if (d->of_call != NONE && d->n && !d->e[0].by_call)
        d->e[0].call = d->form % 5 ? w->call[d->of_call] : "k3";
}

void op_append(struct random *r)
{
    size_t s = any_session(r), at = chance(r, 12) ? any_entry(r, s) : NONE;
    struct drawn *d;
    struct bough_append_options in;
    struct bough_append_result out = { 0 };
    bool given, right = chance(r, 50);

    if (chance(r, 4) && repeat(r))
        return;
    d = draw_entries(r);
    in = drawn_append(r, d);
    given = at != NONE || chance(r, 1);
    EACH(r, w)
    {
        struct bough_append_options one = in;
        struct bough_head *head = arena_zalloc(r->keep, sizeof *head);
        struct drawn *mine = arena_dup(r->keep, d, sizeof *d);
        const char *id = arena_strdup(r->keep, session_text(r, w, s, d->form));

        name_call(r, w, mine);
        one.entries = mine->e;
        one.at = given ? arena_strdup(r->keep, entry_text(r, w, at, d->form)) : NULL;
        if (in.expect_head && right) {
            if (bough_head_get(w->store, w->arena, id, head, NULL, &w->err))
                head->branch = 0;
            one.expect_head = head;
        }
        show_append(w, id, &one);
        w->rc = bough_append(w->store, w->arena, id, &one, &out, &w->err);
        if (w->rc == BOUGH_CONFLICT)
            buf_printf(&w->out, "head is %s", place_of(w, w->err.head));
        answer(r, w, &out);
        if (one.key) {
            w->keyed = one;
            w->keyed_session = id;
        }
    }
    if (!out.replayed)
        keep_entries(r, s, &out);
}

/* A history to record: the stored messages, sometimes cut or changed, and new ones after them. */
static size_t history_of(struct random *r, struct world *w, const char *id, uint64_t form,
                         struct bough_entry_new *h, size_t most)
{
    struct bough_entries_read_result path;
    size_t n = 0, from, upto;

    if (bough_entries_read(w->store, w->arena, id,
                           &(struct bough_entries_read_options){ .messages = true }, &path, NULL))
        return 0;
    upto = form % 5 == 0 ? path.entries.n / 2 : path.entries.n;
    from = form % 7 == 0 ? upto / 2 : 0;
    for (size_t i = from; i < upto && n < most; i++) {
        const struct bough_entry *e = &path.entries.at[i];
        struct bough_str *p = arena_array(w->arena, e->nparts + 1, sizeof *p);

        for (size_t k = 0; k < e->nparts; k++)
            p[k] = e->parts[k].json;
        h[n++] = (struct bough_entry_new){ .role = e->role, .parts = p, .nparts = e->nparts };
    }
    if (n && form % 11 == 0)
        h[n / 2] = (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .text = "edited" };
    (void)r;
    return n;
}

void op_record(struct random *r)
{
    struct bough_entry_new history[64];
    size_t s = any_session(r);
    struct drawn *d = draw_entries(r);
    uint64_t form = draw(r, 10000);
    const char *key = chance(r, 10) ? "rkey" : NULL;
    bool reply = chance(r, 80), again = chance(r, 15);
    struct bough_entry_new answered = { .text = any_text(r) };
    struct bough_record_result out = { 0 };

    for (size_t i = 0; i < d->n; i++) {
        d->e[i].id = NULL;
        d->e[i].by_call = false;
    }
    EACH(r, w)
    {
        const char *id = session_text(r, w, s, d->form);
        size_t n = history_of(r, w, id, form, history, 50);
        struct bough_record_options in = { .history = history,
                                           .reply = reply ? &answered : NULL,
                                           .call = d->has_call ? &d->call : NULL,
                                           .key = key };

        for (size_t i = 0; i < d->n && !again; i++)
            history[n++] = d->e[i];
        in.nhistory = n;
        w->rc = bough_record(w->store, w->arena, id, &in, &out, &w->err);
        if (!w->rc)
            buf_printf(&w->out, "matched %zu branched %d ", out.matched, out.branched);
        answer(r, w, &out.appended);
    }
    if (!out.appended.replayed)
        keep_entries(r, s, &out.appended);
}

void op_read(struct random *r)
{
    size_t s = any_session(r), e = chance(r, 20) ? any_entry(r, s) : NONE;
    uint64_t form = draw(r, 1000);
    struct bough_entries_read_options how = { .what = (enum bough_entries_what)draw(r, 3),
                                              .messages = chance(r, 30),
                                              .user = chance(r, 10),
                                              .tool = chance(r, 10),
                                              .deleted = chance(r, 30),
                                              .newest = chance(r, 40),
                                              .inherit = chance(r, 50),
                                              .limit = (int64_t)draw(r, 8),
                                              .max_forks =
                                                  chance(r, 10) ? 1 + (int64_t)draw(r, 3) : 0 };

    EACH(r, w)
    {
        struct bough_entries_read_result path = { .entries.next = "" };
        size_t pages = 0;

        how.at = e == NONE ? NULL : entry_text(r, w, e, form);
        how.cursor = NULL;
        do {
            w->rc = bough_entries_read(w->store, w->arena, session_text(r, w, s, form), &how, &path,
                                       &w->err);
            put_entries(w, &path.entries);
            buf_printf(&w->out, "more %d marker %s\n", *path.entries.next != '\0',
                       path.marker ? name_of(w, path.marker->id) : "-");
            how.cursor = path.entries.next;
        } while (!w->rc && *path.entries.next && how.what == BOUGH_ENTRIES_PATH && ++pages < 20);
    }
}

void op_get(struct random *r)
{
    size_t s = any_session(r), e = any_entry(r, s), c = r->calls ? (size_t)draw(r, r->calls) : NONE;
    uint64_t form = draw(r, 1000);
    int64_t mno = (int64_t)draw(r, 20);
    bool alone = chance(r, 50);

    EACH(r, w)
    {
        struct bough_entry *out;
        struct bough_call *call;
        enum bough_rc rc;

        w->rc = bough_entry_get(w->store, w->arena, alone ? NULL : session_text(r, w, s, form),
                                entry_text(r, w, e, form), &out, &w->err);
        if (!w->rc)
            put_entry(w, out);
        rc = bough_entry_by_number(w->store, w->arena, session_text(r, w, s, form), mno, &out,
                                   &w->err);
        buf_puts(&w->out, bough_rc_name(rc));
        if (!rc)
            put_entry(w, out);
        rc = bough_call_get(w->store, w->arena, c == NONE ? "k3" : w->call[c], &call, &w->err);
        buf_puts(&w->out, bough_rc_name(rc));
        if (!rc)
            put_call(w, call);
    }
}

#define OP_ON_ENTRY(name, call)                                                                    \
    void name(struct random *r)                                                                    \
    {                                                                                              \
        size_t s = any_session(r), e = any_entry(r, s);                                            \
        uint64_t form = draw(r, 1000);                                                             \
        EACH(r, w)                                                                                 \
        {                                                                                          \
            const char *id = session_text(r, w, s, form);                                          \
            w->rc = call(w->store, id, entry_text(r, w, e, form), &w->err);                        \
        }                                                                                          \
    }

OP_ON_ENTRY(op_head_move, bough_head_move)
OP_ON_ENTRY(op_entry_delete, bough_entry_delete)
OP_ON_ENTRY(op_entry_restore, bough_entry_restore)

void op_compact(struct random *r)
{
    size_t s = any_session(r), e = any_entry(r, s);
    uint64_t form = draw(r, 1000);
    unsigned how = (unsigned)draw(r, 4);
    struct bough_compact_options in = { .summary = chance(r, 5) ? "" : "what happened",
                                        .tokens_before = (int64_t)draw(r, 100) - chance(r, 2) * 200,
                                        .tokens_saved = (int64_t)draw(r, 100),
                                        .from_hook = chance(r, 20),
                                        .key = chance(r, 10) ? "ckey" : NULL };

    EACH(r, w)
    {
        char id[BOUGH_ID_LEN + 1];

        in.before = how == 0 || how == 3 ? entry_text(r, w, e, form) : NULL;
        in.first_kept = how == 1 || (how == 3 && form % 10 == 0) ? entry_text(r, w, e, form) : NULL;
        w->rc = bough_compact(w->store, session_text(r, w, s, form), &in, id, &w->err);
        buf_puts(&w->out, w->rc ? "" : name_of(w, id));
    }
}

void op_summary(struct random *r)
{
    size_t s = any_session(r), e = any_entry(r, s);
    uint64_t form = draw(r, 1000);
    bool root = chance(r, 10), hook = chance(r, 30);
    const char *details = chance(r, 30) ? "{\"files\":[]}" : "";

    EACH(r, w)
    {
        char id[BOUGH_ID_LEN + 1];

        struct bough_branch_with_summary_options how = { .target = root ? NULL
                                                                        : entry_text(r, w, e, form),
                                                         .summary = "left it",
                                                         .details = str_of(details),
                                                         .from_hook = hook };

        w->rc = bough_branch_with_summary(w->store, session_text(r, w, s, form), &how, id, &w->err);
        buf_puts(&w->out, w->rc ? "" : name_of(w, id));
    }
}

void op_context(struct random *r)
{
    static const char *const dialects[] = { "pi", "hygge", "ui", "klingon" };
    size_t s = any_session(r), e = chance(r, 30) ? any_entry(r, s) : NONE;
    uint64_t form = draw(r, 1000);
    struct bough_context_options how = { .dialect = PICK(r, dialects),
                                         .inherit = chance(r, 50),
                                         .at_nothing = chance(r, 5) };

    EACH(r, w)
    {
        struct bough_context_result c = { 0 };

        how.at = e == NONE ? NULL : entry_text(r, w, e, form);
        w->rc = bough_context(w->store, w->arena, session_text(r, w, s, form), &how, &c, &w->err);
        if (w->rc)
            continue;
        buf_printf(&w->out, "%zu messages, %zu bytes, thinking %s model %s notes %zu", c.count,
                   c.messages.n, c.thinking_level ? c.thinking_level : "",
                   c.model_name ? c.model_name : "", c.nnotes);
        for (size_t i = 0; i < c.count; i++)
            buf_printf(&w->out, " %s", name_of(w, c.sources[i]));
        for (size_t i = 0; i < c.nnotes; i++)
            buf_printf(&w->out, "\n%s %s %s", name_of(w, c.notes[i].entry), c.notes[i].what,
                       c.notes[i].why);
    }
}
