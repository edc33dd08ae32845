/* fsck, records: sums up calls and adjustments, and checks the content of all other kinds. */
#include <inttypes.h>
#include <stdio.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/text/str.h"
#include "core/model/totals.h"
#include "store/care/fsck/fsck.h"
#include "store/contract/id.h"
#include "store/contract/record_body.h"

struct row {
    struct fsck *f;
    const struct record_row *row;
    struct fsck_session *s; /* NULL: a record of the store itself */
    struct fsck_where at;
};

/* Read a body with the given field table. False: it is unreadable, and that is reported. */
static bool read_body(const struct row *r, const struct body_field *table, void *to)
{
    struct bough_error why;

    if (body_read(table, r->row->body, to, &why)) {
        fsck_report(r->f, RULE_VALUE, r->at, "%.150s", why.msg);
        return false;
    }
    fsck_texts(r->f, r->at, table, to);
    return true;
}

static void sum(struct fsck_session *s, struct bough_totals *to, const struct bough_totals *t)
{
    if (!totals_add(to, t))
        s->totals_unknown = true; /* overflow: the list row holds the maximum, not the sum */
}

/* ---- calls and adjustments ---- */

static void keep_call(struct fsck *f, const struct record_row *row, uint32_t id)
{
    uint64_t run = (uint64_t)f->ncalls << 32;

    map_get(&f->calls_of, (uint64_t)row->sid, &run);
    map_put(&f->calls_of, (uint64_t)row->sid, run + 1);
    f->calls = fsck_push(f->calls, &f->ncalls, &f->calls_cap, sizeof *f->calls);
    f->calls[f->ncalls - 1] =
        (struct fsck_call){ id, (uint32_t)row->ord & LIMIT_RECORD, row->deleted != 0 };
}

/* The last call is the one with the latest time; if equal, the one with the higher ordinal. */
static void note_last(struct fsck_session *s, int64_t ord, const struct call_body *b)
{
    if (s->call_ord && b->time < s->call_time)
        return;
    s->call_ord = ord;
    s->call_time = b->time;
    s->call_cost = b->used.cost;
    s->call_names = fsck_mix(fsck_mix(hash_bytes(b->model, strlen(b->model)),
                                      hash_bytes(b->provider, strlen(b->provider))),
                             hash_bytes(b->request_id, strlen(b->request_id)));
}

static void check_call(const struct row *r)
{
    struct spend_row spent;
    struct call_body b;

    if (!r->s)
        return;
    if (!read_body(r, call_fields, &b)) {
        r->s->damaged = r->s->totals_unknown = r->s->spend_unknown = true;
        keep_call(r->f, r->row, 0);
        return;
    }
    r->s->exchanged |= b.scope != 0;
    spent = spend_of_call(r->row->sid, &b);
    (void)fsck_spend(&r->s->spend, &spent);
    keep_call(r->f, r->row, fsck_call_id(b.made, b.chk));
    fsck_range(r->f, r->at, "the source of its cost", b.cost_source, 0, BOUGH_COST_SOURCE_LAST);
    if (!totals_valid(&b.used) || b.total_tokens < 0 || b.duration < 0 || b.time < 0) {
        fsck_report(r->f, RULE_CALL, r->at, "one of its numbers is negative");
        r->s->totals_unknown = r->s->spend_unknown = true;
    }
    if (r->row->deleted)
        return;
    sum(r->s, &r->s->own, &b.used);
    r->s->calls++;
    note_last(r->s, r->row->ord, &b);
}

static void check_adjust(const struct row *r)
{
    struct fsck_session *of = r->s ? r->s : &r->f->store;
    struct adjust_body b;

    if (!read_body(r, adjust_fields, &b)) {
        of->totals_unknown = of->spend_unknown = true;
        return;
    }
    if (!spend_of_adjust(r->f->tmp, r->row->sid, &b, fsck_spend, &of->spend)) {
        fsck_report(r->f, RULE_VALUE, r->at, "what it says of a purged session cannot be read");
        of->spend_unknown = true;
    }
    fsck_range(r->f, r->at, "its time", b.time, 0, INT64_MAX);
    if (!r->s)
        return;
    sum(r->s, &r->s->adjust, &b.delta);
    if (b.rolls)
        sum(r->s, &r->s->rolls, &b.delta);
}

/* ---- notes ---- */

static void keep_note(const struct row *r, int64_t a, int64_t b)
{
    struct fsck *f = r->f;

    f->notes = fsck_push(f->notes, &f->nnotes, &f->notes_cap, sizeof *f->notes);
    f->notes[f->nnotes - 1] = (struct fsck_note){ r->row->sid, r->row->kind, r->row->ord, a, b };
}

static void check_memory(const struct row *r)
{
    struct memory_body b;

    if (!read_body(r, memory_fields, &b))
        return;
    fsck_range(r->f, r->at, "its scope", b.scope, 0, BOUGH_MEMORY_OF_STORE);
    if (!*b.content)
        fsck_report(r->f, RULE_NOTE, r->at, "the memory is empty");
    if (b.project)
        keep_note(r, b.project, 0);
}

static void check_label(const struct row *r)
{
    struct label_body b;
    struct id id;

    if (!read_body(r, label_fields, &b))
        return;
    if (*b.entry &&
        (!id_parse(str_of(b.entry), &id) || id.number != b.bid || id.position != b.depth)) {
        fsck_report(r->f, RULE_NOTE, r->at, "its id %.40s is not that of #%" PRId64 ".%" PRId64,
                    b.entry, b.bid, b.depth);
        return;
    }
    keep_note(r, b.bid, b.depth);
}

static bool known_status(struct json item)
{
    static const char *const words[] = { "pending", "in_progress", "completed", "cancelled" };
    struct json status = json_member(item, "status");

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (json_is(status, words[i]))
            return true;
    return false;
}

static void check_todo(const struct row *r)
{
    struct todo_body b;
    struct json_iter it;
    struct json items;

    if (!read_body(r, todo_fields, &b) || !b.items.n)
        return;
    if (json_parse(r->f->tmp, b.items, &items, NULL) || json_type(items) != JSON_ARRAY) {
        fsck_report(r->f, RULE_NOTE, r->at, "the todos are not a list");
        return;
    }
    for (it = json_iter(items); json_next(&it);)
        if (json_type(json_member(it.value, "content")) != JSON_STRING || !known_status(it.value))
            fsck_report(r->f, RULE_NOTE, r->at, "a todo has no content or no known status");
}

static void keep_place(const struct row *r, const char *name)
{
    struct fsck_group *p = arena_alloc(r->f->keep, sizeof *p);

    if (!*name)
        fsck_report(r->f, RULE_VALUE, r->at, "it has no name");
    *p = (struct fsck_group){ r->row->kind, r->row->ord, r->row->deleted,
                              arena_strdup(r->f->keep, name) };
    map_put(&r->f->groups, (uint64_t)p->kind << 32 | (uint64_t)p->ord, (uint64_t)(uintptr_t)p);
}

static void check_group(const struct row *r)
{
    struct group_body b;

    if (read_body(r, group_fields, &b))
        keep_place(r, b.name);
}

/* A source is found by its path, like a group by its name. */
static void check_source(const struct row *r)
{
    struct source_body b;

    if (!read_body(r, source_fields, &b))
        return;
    keep_place(r, b.path);
    fsck_range(r->f, r->at, "its size", b.size, 0, INT64_MAX);
    fsck_range(r->f, r->at, "its offset", b.offset, 0, INT64_MAX);
    fsck_range(r->f, r->at, "the end of its claim", b.expires, 0, INT64_MAX);
}

/* A queue is read from the ordinal that the newest prompt names (`from`). A prompt that waits
 * before that would never be read. */
static void check_prompt(const struct row *r)
{
    struct fsck *f = r->f;
    struct queue_body b;

    if (!read_body(r, queue_fields, &b))
        return;
    if (!r->s)
        fsck_report(f, RULE_NOTE, r->at, "the prompt is of no session");
    if (!*b.content)
        fsck_report(f, RULE_NOTE, r->at, "the prompt is empty");
    if (f->waits_of != r->row->sid) {
        f->waits_of = r->row->sid;
        f->waits = 0;
    }
    if (b.from < 0 || b.from >= r->row->ord || (f->waits && (!b.from || b.from > f->waits)))
        fsck_report(f, RULE_NOTE, r->at, "it hides prompts that wait");
    if (!r->row->deleted && !f->waits)
        f->waits = r->row->ord;
}

/* The quarantined bytes are not checked. */
static void check_quarantine(const struct row *r)
{
    struct quarantine_body b;
    struct bough_error why;
    char at[sizeof((struct bough_finding *)0)->where];

    if (body_read(quarantine_fields, r->row->body, &b, &why)) {
        fsck_report(r->f, RULE_VALUE, r->at, "%.150s", why.msg);
        return;
    }
    fsck_where_text(&r->at, at, sizeof at);
    fsck_report(r->f, RULE_QUARANTINE, at_text("", b.where), "what it was lies in %.40s: %.120s",
                at, b.why);
}

/* Has a budget what calls are checked against? */
static bool is_budget(const struct row *r, struct bough_str data)
{
    static const char *const texts[] = { "id", "scope", "of", "window" };
    struct json j;
    int64_t cap;

    if (json_parse(r->f->tmp, data, &j, NULL) || !json_i64(json_member(j, "cap"), &cap) || cap < 0)
        return false;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!json_cstr(r->f->tmp, j, texts[i]))
            return false;
    return json_type(json_member(j, "held")) == JSON_ARRAY;
}

static void check_state(const struct row *r)
{
    struct state_body b;
    union record_body named;

    if (!read_body(r, state_fields, &b))
        return;
    if (state_table(b.name) != state_fields && !read_body(r, state_table(b.name), &named))
        return;
    if (strcmp(b.name, "run") == 0)
        fsck_run(r->f, r->row, &named.run);
    else if (strcmp(b.name, "approval") == 0)
        fsck_approval(r->f, r->row, &named.approval);
    else if (!*b.name)
        fsck_report(r->f, RULE_VALUE, r->at, "it has no name");
    else if (strcmp(b.name, "budget") == 0 && !is_budget(r, b.data))
        fsck_report(r->f, RULE_VALUE, r->at, "it is no budget");
}

/* A record whose content was quarantined: only its ordinal is still in use. */
static bool says_nothing(const struct record_row *row)
{
    return row->deleted && row->body.n <= 4 && row->kind != RECORD_CALL;
}

/* ---- the pass ---- */

static void check_kind(const struct row *r)
{
    struct audit_body audit;
    struct token_body token;

    switch ((enum record_kind)r->row->kind) {
    case RECORD_CALL:
        check_call(r);
        break;
    case RECORD_ADJUST:
        check_adjust(r);
        break;
    case RECORD_MEMORY:
        check_memory(r);
        break;
    case RECORD_LABEL:
        check_label(r);
        break;
    case RECORD_TODO:
        check_todo(r);
        break;
    case RECORD_AUDIT:
        (void)read_body(r, audit_fields, &audit);
        break;
    case RECORD_PROJECT:
    case RECORD_WORKSPACE:
    case RECORD_ACCOUNT:
        check_group(r);
        break;
    case RECORD_QUEUE:
        check_prompt(r);
        break;
    case RECORD_SOURCE:
        check_source(r);
        break;
    case RECORD_QUARANTINE:
        check_quarantine(r);
        break;
    case RECORD_TOKEN:
        (void)read_body(r, token_fields, &token);
        break;
    case RECORD_STATE:
        check_state(r);
        break;
    case RECORD_ORDER:
        fsck_order(r->f, r->row);
        break;
    }
}

struct walk {
    struct fsck *f;
    int64_t sid, kind, ord; /* of the previous record */
};

/* Records are removed only with their session, so ordinals have no gaps. */
static void check_gap(struct walk *w, const struct row *r)
{
    bool same = w->sid == r->row->sid && w->kind == r->row->kind;

    if (r->row->ord != (same ? w->ord + 1 : 1))
        fsck_report(w->f, RULE_GAP, r->at, "records before it are missing");
    w->sid = r->row->sid;
    w->kind = r->row->kind;
    w->ord = r->row->ord;
}

static bool each_record(void *user, const struct raw_row *raw)
{
    const struct record_row *row = &raw->u.record;
    struct walk *w = user;
    struct fsck *f = w->f;
    struct row r = { f, row, fsck_session_of(f, row->sid),
                     at_record(row->sid, row->kind, row->ord) };

    bough_arena_reset(f->tmp);
    f->report->records++;
    if (row->sid && !r.s) {
        fsck_report(f, RULE_ORPHAN, r.at, "its session does not exist");
        return true;
    }
    if (r.s && r.s->purged) {
        fsck_leftover(f, r.s);
        return true;
    }
    if (!fsck_range(f, r.at, "its kind", row->kind, RECORD_CALL, RECORD_LAST) ||
        !fsck_range(f, r.at, "its ordinal", row->ord, 1, LIMIT_RECORD))
        return true;
    fsck_range(f, r.at, "its version", row->ver, 1, INT64_MAX);
    fsck_range(f, r.at, "the time of its deletion", row->deleted, 0, INT64_MAX);
    check_gap(w, &r);
    if (!says_nothing(row))
        check_kind(&r);
    return true;
}

enum bough_rc fsck_records(struct fsck *f)
{
    struct walk w = { .f = f };

    return f->ops->raw_scan(f->v, RAW_RECORD, each_record, &w, f->err);
}
