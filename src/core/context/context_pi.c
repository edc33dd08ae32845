/* Dialect "pi": the context as pi builds it (P21-P25, and the additions of pi 1.5). Pure. */
#include "core/context/dialect.h"

#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/text/str.h"
#include "core/part/fields.h"
#include "core/part/part.h"
#include "core/part/view.h"
#include "core/turns/turns.h"
#include "core/words/pi_words.h"

struct pi {
    struct context_out *c;
    struct smap edits; /* target id -> index of the latest edit's entry */
    size_t now;        /* index of the entry being written */
};

static bool is_edit(const struct bough_entry *e)
{
    return e->kind == BOUGH_ENTRY_OTHER && cstr_eq(e->kind_name, "context_edit") && !e->deleted;
}

/*
 * The latest context edit of `e` that is itself in the context, by either of its ids. A null
 * `replacement` omits the entry.
 */
static bool find_edit(struct pi *pi, const struct bough_entry *e, struct json *replacement)
{
    uint64_t at, other;
    bool hit = smap_get(&pi->edits, str_of(e->id), &at);

    if (!cstr_empty(e->origin) && smap_get(&pi->edits, str_of(e->origin), &other)) {
        at = hit && at > other ? at : other;
        hit = true;
    }
    if (hit)
        *replacement = json_member(view_data(pi->c->a, &pi->c->in->entries[at]), "replacement");
    return hit;
}

static void note_edits(struct pi *pi, size_t from, size_t to)
{
    const struct context_input *in = pi->c->in;

    for (; from < to; from++) {
        const char *target;

        if (!is_edit(&in->entries[from]))
            continue;
        target = json_cstr(pi->c->a, view_data(pi->c->a, &in->entries[from]), "targetId");
        if (target)
            smap_put(&pi->edits, str_of(target), from);
    }
}

/* ---- messages in pi's own format ---- */

static const char *role_word(struct bough_arena *a, const struct bough_entry *e)
{
    switch (e->role) {
    case BOUGH_ROLE_SYSTEM:
        return "system";
    case BOUGH_ROLE_USER:
        return "user";
    case BOUGH_ROLE_ASSISTANT:
        return "assistant";
    case BOUGH_ROLE_TOOL:
        return "toolResult";
    case BOUGH_ROLE_BASH:
        return "bashExecution";
    case BOUGH_ROLE_CUSTOM:
        return "custom";
    case BOUGH_ROLE_NONE:
    case BOUGH_ROLE_OTHER:
        break;
    }
    return view_role(a, e);
}

/* Write all fields except role and content, in their order; a timestamp is added if missing. */
static void write_rest(struct pi *pi, const struct bough_entry *e, struct json data)
{
    struct json_writer *w = &pi->c->w;
    struct json_iter it = json_iter(data);
    bool timed = false;

    while (json_type(data) == JSON_OBJECT && json_next(&it)) {
        struct bough_str name = str_make(NULL, 0);

        json_str(pi->c->a, it.key, &name);
        if (str_is(name, "role") || str_is(name, "content") || str_starts(name, "bough."))
            continue;
        timed = timed || str_is(name, "timestamp");
        jw_key_str(w, name);
        jw_raw(w, json_raw(it.value));
    }
    if (!timed)
        jw_kv_i64(w, "timestamp", e->time);
}

static void write_text_block(struct json_writer *w, struct bough_str raw_string)
{
    jw_obj(w);
    jw_kv_cstr(w, "type", "text");
    jw_kv_raw(w, "text", raw_string);
    jw_end_obj(w);
}

/* In pi the content of these two roles must be an array. */
static bool wants_blocks(const struct bough_entry *e)
{
    return e->role == BOUGH_ROLE_ASSISTANT || e->role == BOUGH_ROLE_TOOL;
}

static void write_edited(struct json_writer *w, const struct bough_entry *e, struct json content)
{
    jw_key(w, "content");
    if (json_type(content) != JSON_STRING || !wants_blocks(e)) {
        jw_raw(w, json_raw(content));
        return;
    }
    jw_arr(w);
    write_text_block(w, json_raw(content));
    jw_end_arr(w);
}

/* The text of a single text part as a raw JSON string; "" if there is no part. */
static struct bough_str only_text(const struct bough_entry *e)
{
    struct bough_str raw = str_make(NULL, 0);
    struct fields f;

    if (e->nparts == 1 && fields_read(&f, e->parts[0].json, NULL) == BOUGH_OK)
        raw = fields_raw(&f, "text", JSON_STRING);
    return raw.n ? raw : str_of("\"\"");
}

static void write_content(struct json_writer *w, const struct bough_entry *e, struct json data)
{
    struct json was = json_member(data, CONTEXT_CONTENT_KEY);
    bool missing = json_is(was, "none") || json_is(was, "null");
    size_t i;

    if (json_is(was, "string") && e->nparts <= 1) {
        jw_kv_raw(w, "content", only_text(e));
        return;
    }
    if (!e->nparts && e->role == BOUGH_ROLE_SYSTEM &&
        json_type(json_member(data, "content")) == JSON_STRING) { /* as alkhub keeps it */
        jw_kv_raw(w, "content", json_raw(json_member(data, "content")));
        return;
    }
    if (missing && e->role == BOUGH_ROLE_SYSTEM) {
        jw_kv_cstr(w, "content", "");
        return;
    }
    if ((missing && e->role != BOUGH_ROLE_USER && !wants_blocks(e)) ||
        (e->role == BOUGH_ROLE_BASH && !e->nparts))
        return;
    jw_key(w, "content");
    jw_arr(w);
    for (i = 0; i < e->nparts; i++)
        jw_raw(w, e->parts[i].json);
    jw_end_arr(w);
}

/* ---- messages in other formats ---- */

/* The name of the tool that `e` calls under that call id, or NULL. */
static const char *called(struct bough_arena *a, const struct bough_entry *e, const char *call)
{
    for (size_t k = e->nparts; k-- > 0;)
        if (e->parts[k].type == BOUGH_PART_TOOL && cstr_eq(part_call_id(a, &e->parts[k]), call) &&
            *part_tool_name(a, &e->parts[k]))
            return part_tool_name(a, &e->parts[k]);
    return NULL;
}

/*
 * The tool's name, from the nearest earlier call with that id. The call may be before the entries
 * kept by a compaction.
 */
static const char *name_of_call(struct pi *pi, const char *call)
{
    const struct context_input *in = pi->c->in;
    const char *name = NULL;

    for (size_t i = pi->now + 1; i-- > 0 && !name;)
        name = called(pi->c->a, &in->entries[i], call);
    for (size_t i = 0; i < in->nbefore && !name; i++)
        name = called(pi->c->a, in->before[i], call);
    return name ? name : "";
}

/* A result always has a text. */
static void write_output(struct pi *pi, struct bough_str output)
{
    const struct piece *content = turns_content(pi->c->a, &pi_rules, output);
    struct json_writer *w = &pi->c->w;

    if (content) {
        pi_content_put(w, content);
        return;
    }
    jw_key(w, "content");
    jw_arr(w);
    write_text_block(w, str_of("\"\""));
    jw_end_arr(w);
}

static void write_result(struct pi *pi, const struct bough_entry *e, const struct part_view *v)
{
    struct json_writer *w = &pi->c->w;

    context_source(pi->c, e);
    jw_obj(w);
    jw_kv_cstr(w, "role", "toolResult");
    jw_kv_cstr(w, "toolCallId", v->call);
    jw_kv_cstr(w, "toolName", *v->tool ? v->tool : name_of_call(pi, v->call));
    write_output(pi, v->output);
    jw_kv_bool(w, "isError", v->failed);
    jw_kv_i64(w, "timestamp", e->time);
    jw_end_obj(w);
}

static void write_block(struct pi *pi, const struct bough_entry *e, const struct part_view *v)
{
    if (!pi_block_put(&pi->c->w, v))
        context_note(pi->c, e, "omitted", "pi has no form for a %s part",
                     *v->word ? v->word : "broken");
}

static void write_converted(struct pi *pi, const struct bough_entry *e, struct json data)
{
    struct json_writer *w = &pi->c->w;
    struct view_run *runs;
    size_t i, k, n;

    runs = view_runs(pi->c->a, e, &n);
    context_note(pi->c, e, "converted", "its parts were not in pi's form");
    for (i = 0; i < n; i++) {
        if (runs[i].results) {
            for (k = 0; k < runs[i].n; k++)
                write_result(pi, e, &runs[i].at[k]);
            continue;
        }
        context_source(pi->c, e);
        jw_obj(w);
        jw_kv_cstr(w, "role", role_word(pi->c->a, e));
        write_rest(pi, e, data);
        jw_key(w, "content");
        jw_arr(w);
        for (k = 0; k < runs[i].n; k++)
            write_block(pi, e, &runs[i].at[k]);
        jw_end_arr(w);
        jw_end_obj(w);
    }
}

/* ---- entries ---- */

static bool may_be_edited(const struct bough_entry *e)
{
    return e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE || e->role == BOUGH_ROLE_USER ||
           e->role == BOUGH_ROLE_CUSTOM || wants_blocks(e);
}

static void write_message(struct pi *pi, const struct bough_entry *e, const struct json *edit)
{
    struct bough_arena *a = pi->c->a;
    struct json_writer *w = &pi->c->w;
    struct json data = view_data(a, e);

    if (!edit && !pi_native(e, view_role(a, e))) {
        write_converted(pi, e, data);
        return;
    }
    context_source(pi->c, e);
    jw_obj(w);
    jw_kv_cstr(w, "role", role_word(a, e));
    write_rest(pi, e, data);
    if (edit)
        write_edited(w, e, *edit);
    else
        write_content(w, e, data);
    jw_end_obj(w);
}

/* Copy the members of `data` that exist. */
static void copy_members(struct json_writer *w, struct json data, const char *const *names)
{
    struct json m;

    for (; *names; names++) {
        if (json_get(data, *names, &m))
            jw_kv_raw(w, *names, json_raw(m));
    }
}

static void write_custom(struct pi *pi, const struct bough_entry *e, const struct json *edit)
{
    static const char *const names[] = { "customType", "display", "details", NULL };
    struct json_writer *w = &pi->c->w;
    struct json data = view_data(pi->c->a, e);
    struct json content = json_member(data, "content");

    context_source(pi->c, e);
    jw_obj(w);
    jw_kv_cstr(w, "role", "custom");
    copy_members(w, data, names);
    if (edit)
        write_edited(w, e, *edit);
    else if (json_type(content) != JSON_NULL)
        jw_kv_raw(w, "content", json_raw(content));
    else
        write_content(w, e, data);
    jw_kv_i64(w, "timestamp", e->time);
    jw_end_obj(w);
}

static void write_summary(struct pi *pi, const struct bough_entry *e, const char *role,
                          const char *const *names)
{
    struct json_writer *w = &pi->c->w;

    context_source(pi->c, e);
    jw_obj(w);
    jw_kv_cstr(w, "role", role);
    copy_members(w, view_data(pi->c->a, e), names);
    jw_kv_i64(w, "timestamp", e->time);
    jw_end_obj(w);
}

static void write_marker(struct pi *pi, const struct bough_entry *e)
{
    static const char *const names[] = { "summary", "tokensBefore", NULL };
    struct json data = view_data(pi->c->a, e), system = json_member(data, "systemMessage"), told;

    if (json_type(system) == JSON_OBJECT) {
        context_source(pi->c, e);
        jw_raw(&pi->c->w, json_raw(system));
    }
    if (json_get(data, "summary", &told)) /* else a message on the path is the summary (A21) */
        write_summary(pi, e, "compactionSummary", names);
}

static void write_entry(struct pi *pi, const struct bough_entry *e)
{
    static const char *const names[] = { "summary", "fromId", NULL };
    struct json replacement, content;
    const struct json *edit = NULL;
    const char *summary;

    if (e->kind != BOUGH_ENTRY_MESSAGE && e->kind != BOUGH_ENTRY_CUSTOM_MESSAGE &&
        e->kind != BOUGH_ENTRY_BRANCH_SUMMARY)
        return;
    if (context_left_out(pi->c, e))
        return;
    if (find_edit(pi, e, &replacement)) {
        if (json_type(replacement) == JSON_NULL) {
            context_note(pi->c, e, "omitted", "a context edit takes it out");
            return;
        }
        content = json_member(replacement, "content");
        edit = may_be_edited(e) ? &content : NULL;
    }
    if (edit)
        context_note(pi->c, e, "edited", "a context edit replaces its content");
    if (e->kind == BOUGH_ENTRY_MESSAGE) {
        write_message(pi, e, edit);
    } else if (e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE) {
        write_custom(pi, e, edit);
    } else {
        summary = json_cstr(pi->c->a, view_data(pi->c->a, e), "summary");
        if (!cstr_empty(summary))
            write_summary(pi, e, "branchSummary", names);
    }
}

/* ---- the path ---- */

/* Index of the first entry before the marker that is still shown; the marker's own if none. */
static size_t first_kept(struct pi *pi, size_t marker)
{
    const struct bough_entry *at = pi->c->in->entries;
    const char *id = NULL;
    size_t i;

    if (!at[marker].keep_from)
        id = json_cstr(pi->c->a, view_data(pi->c->a, &at[marker]), "firstKeptEntryId");
    for (i = 0; i < marker; i++) {
        if (id ? entry_has_id(&at[i], id)
               : at[marker].keep_from && at[i].at.depth >= at[marker].keep_from)
            break;
    }
    return i;
}

static void build_compacted(struct pi *pi, size_t marker)
{
    const struct context_input *in = pi->c->in;
    const struct bough_entry *e = &in->entries[marker];
    size_t kept = first_kept(pi, marker);
    struct json replacement;

    note_edits(pi, kept, marker);
    note_edits(pi, marker + 1, in->n);
    pi->c->out->marker = &in->entries[marker];
    if (in->entries[kept].at.depth > 1)
        context_note(pi->c, e, "summarised", "its summary replaces %lld earlier entries",
                     (long long)in->entries[kept].at.depth - 1);
    if (!find_edit(pi, e, &replacement) || json_type(replacement) != JSON_NULL)
        write_marker(pi, e);
    for (pi->now = kept; pi->now < marker; pi->now++) {
        e = &in->entries[pi->now];
        if (e->kind == BOUGH_ENTRY_MESSAGE && e->role == BOUGH_ROLE_SYSTEM)
            context_note(pi->c, e, "omitted", "the compaction brings its own system message");
        else
            write_entry(pi, e);
    }
    for (pi->now = marker + 1; pi->now < in->n; pi->now++)
        write_entry(pi, &in->entries[pi->now]);
}

static void build(struct context_out *c)
{
    struct pi pi = { .c = c };
    size_t i, marker = c->in->n;

    smap_init(&pi.edits);
    c->out->marker = NULL;
    for (i = 0; i < c->in->n; i++) {
        if (c->in->entries[i].kind == BOUGH_ENTRY_COMPACTION && !c->in->entries[i].deleted)
            marker = i;
    }
    if (marker < c->in->n) {
        build_compacted(&pi, marker);
    } else {
        note_edits(&pi, 0, c->in->n);
        for (pi.now = 0; pi.now < c->in->n; pi.now++)
            write_entry(&pi, &c->in->entries[pi.now]);
    }
    smap_finish(&pi.edits);
}

const struct context_dialect context_pi = {
    .name = "pi",
    .about = "as the pi coding agent builds it",
    .since_marker = true,
    .inherits = true,
    .marker_first = true,
    .build = build,
};
