/* The entries of a path as turns: messages, markers, summaries of branches, changes of the model.
 * Pure. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/turns/turns_in.h"

static const char summary_before[] =
    "This summary replaces the earlier messages of the conversation:\n\n<summary>\n";
static const char branch_before[] =
    "The conversation came back from another branch. What happened there:\n\n<summary>\n";
static const char summary_after[] = "\n</summary>";

static struct bough_str data_string(const struct bough_entry *e, const char *name)
{
    struct fields f;

    if (!e->data.n || !fields_scan(&f, e->data))
        return (struct bough_str){ "", 0 };
    return fields_raw(&f, name, JSON_STRING);
}

static void begin_entry(struct building *b, const struct bough_entry *e, size_t at)
{
    b->e = e;
    b->at = at;
    b->noted = false;
    facts_read(e, &b->facts);
}

bool turns_shows(const struct bough_entry *e)
{
    return e->kind == BOUGH_ENTRY_MESSAGE || e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE ||
           e->kind == BOUGH_ENTRY_BRANCH_SUMMARY || e->kind == BOUGH_ENTRY_COMPACTION;
}

/* ---- markers ---- */

/* The text parts of an entry as one string. */
static struct bough_str texts_of(struct building *b, const struct bough_entry *e)
{
    struct part_spans s;
    struct bough_str out;
    struct buf text;

    buf_init(&text, SIZE_MAX);
    buf_putc(&text, '"');
    for (size_t i = 0; i < e->nparts; i++) {
        part_spans_read(b->a, &e->parts[i], &s);
        if (s.kind != VIEW_TEXT || s.text.n <= 2)
            continue;
        if (text.n > 1)
            buf_put(&text, "\\n\\n", 4);
        buf_put(&text, s.text.p + 1, s.text.n - 2);
    }
    buf_putc(&text, '"');
    out = arena_str(b->a, buf_str(&text));
    buf_finish(&text);
    return out;
}

/* A marker without a summary of its own: messages behind it are a request for one and the answer
 * (opencode, A21). The index of the answer, or 0. */
static size_t find_answer(const struct building *b, size_t from)
{
    enum { NEAR = 8 };
    struct facts facts;

    for (size_t i = from; i < b->in->n && i < from + NEAR; i++) {
        if (b->in->entries[i].role != BOUGH_ROLE_ASSISTANT || b->in->entries[i].deleted)
            continue;
        facts_read(&b->in->entries[i], &facts);
        return facts.summary ? i : 0;
    }
    return 0;
}

/* The summary of the marker, a string, and up to which entry it is told behind the marker. */
static struct bough_str summary_of(struct building *b, const struct bough_entry *marker,
                                   size_t behind, size_t *told)
{
    struct bough_str text = data_string(marker, "summary");
    size_t answer;

    *told = behind;
    if (text.n > 2)
        return json_span_mend(b->a, text);
    answer = find_answer(b, behind);
    if (!answer)
        return text;
    *told = answer + 1;
    return json_span_mend(b->a, texts_of(b, &b->in->entries[answer]));
}

/* The first entry that the marker at index `at` keeps; its own index if it keeps none. */
static size_t first_kept(const struct building *b, size_t at)
{
    const struct bough_entry *all = b->in->entries, *marker = &all[at];
    struct bough_str name;
    size_t i = 0;

    if (marker->keep_from) {
        while (i < at && all[i].at.depth < marker->keep_from)
            i++;
        return i;
    }
    name = data_string(marker, "firstKeptEntryId");
    if (name.n <= 2)
        return at;
    while (i < at && !json_span_is(name, all[i].id) &&
           !(*all[i].origin && json_span_is(name, all[i].origin)))
        i++;
    return i;
}

/* A marker where it stands. Returns the index behind what it says. */
static size_t take_marker(struct building *b)
{
    struct turn *t = turn_new(b, TURN_MARKER);
    size_t told;
    struct bough_str text = summary_of(b, b->e, b->at + 1, &told);

    t->kept = first_kept(b, b->at);
    if (!json_span_blank(text)) {
        t->summary = text;
        turn_put(t, piece_around(b, summary_before, text, summary_after));
    }
    return told;
}

/* ---- entries ---- */

static bool left_out(struct building *b)
{
    const char *why = NULL;

    if (b->e->open)
        why = "it is still being written";
    else if (b->e->deleted)
        why = "it was deleted";
    else if (b->facts.excluded)
        why = "it is not for a model";
    else if (b->facts.broken)
        why = "the provider failed";
    if (why)
        turns_note(b, b->e, "omitted", "%s", why);
    return why != NULL;
}

static void take_branch_summary(struct building *b)
{
    struct bough_str text = data_string(b->e, "summary");

    if (json_span_blank(text))
        return;
    turn_put(turn_new(b, TURN_USER),
             piece_around(b, branch_before, json_span_mend(b->a, text), summary_after));
    turns_note(b, b->e, "converted", "the summary of a branch is a message of the user");
}

static void take_entry(struct building *b)
{
    struct bough_str model;

    switch (b->e->kind) {
    case BOUGH_ENTRY_MESSAGE:
    case BOUGH_ENTRY_CUSTOM_MESSAGE:
        if (!left_out(b))
            message_say(b);
        break;
    case BOUGH_ENTRY_BRANCH_SUMMARY:
        if (!left_out(b))
            take_branch_summary(b);
        break;
    case BOUGH_ENTRY_MODEL_CHANGE:
        model = data_string(b->e, "modelId");
        if (model.n > 2 && !b->e->deleted)
            b->model = model;
        break;
    case BOUGH_ENTRY_THINKING_LEVEL_CHANGE:
    case BOUGH_ENTRY_COMPACTION:
    case BOUGH_ENTRY_CUSTOM:
    case BOUGH_ENTRY_LABEL:
    case BOUGH_ENTRY_SESSION_INFO:
    case BOUGH_ENTRY_OTHER:
        break;
    }
}

/* ---- the beginning ---- */

/* pi 1.5: a compaction may bring its own system message, which replaces those that it keeps. */
static bool take_marker_system(struct building *b)
{
    struct bough_str system, content;
    struct turn *t;
    struct fields f;

    if (!b->in->marker || !b->in->marker->data.n || !fields_scan(&f, b->in->marker->data))
        return false;
    system = fields_raw(&f, "systemMessage", JSON_OBJECT);
    if (!system.n || !fields_scan(&f, system))
        return false;
    begin_entry(b, b->in->marker, 0);
    content = fields_raw(&f, "content", JSON_STRING);
    if (json_span_blank(content))
        return true;
    t = turn_new(b, TURN_SYSTEM);
    turn_put(t, piece_around(b, "", json_span_mend(b->a, content), ""));
    return true;
}

/* The summary of the marker in force, as the user's text. Returns the index of the first entry
 * behind it, and in *told that behind what is part of it. */
static size_t take_summary(struct building *b, size_t *told)
{
    const struct bough_entry *marker = b->in->marker;
    struct bough_str text;
    size_t behind = 0;

    while (behind < b->in->n && b->in->entries[behind].at.depth <= marker->at.depth)
        behind++;
    text = summary_of(b, marker, behind, told);
    begin_entry(b, marker, behind ? behind - 1 : 0);
    turns_note(b, marker, "summarised", "its summary replaces earlier entries");
    if (!json_span_blank(text))
        turn_put(turn_new(b, TURN_USER), piece_around(b, summary_before, text, summary_after));
    return behind;
}

static bool is_system(const struct bough_entry *e)
{
    return e->kind == BOUGH_ENTRY_MESSAGE && e->role == BOUGH_ROLE_SYSTEM;
}

static bool speaks(const struct bough_entry *e)
{
    return e->kind == BOUGH_ENTRY_MESSAGE || e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE ||
           e->kind == BOUGH_ENTRY_BRANCH_SUMMARY;
}

/* The entries before the first that is not the system's. Returns the index of that one. */
static size_t take_leading(struct building *b)
{
    size_t i = 0;

    for (; i < b->in->n && (!speaks(&b->in->entries[i]) || is_system(&b->in->entries[i])); i++) {
        begin_entry(b, &b->in->entries[i], i);
        if (b->in->whole && b->e->kind == BOUGH_ENTRY_COMPACTION)
            break;
        take_entry(b);
    }
    return i;
}

static void take_all(struct building *b)
{
    const struct turns_input *in = b->in;
    size_t i, behind = 0, told = 0;
    bool brought;

    for (i = 0; i < in->nleading; i++) {
        begin_entry(b, in->leading[i], 0);
        take_entry(b);
    }
    brought = !in->whole && take_marker_system(b);
    i = brought ? 0 : take_leading(b);
    if (in->marker && !in->whole)
        behind = take_summary(b, &told);
    for (; i < in->n; i++) {
        if (i >= behind && i < told)
            continue; /* it is the summary */
        begin_entry(b, &in->entries[i], i);
        if (brought && i < behind && is_system(b->e))
            turns_note(b, b->e, "omitted", "the compaction brings its own system message");
        else if (in->whole && b->e->kind == BOUGH_ENTRY_COMPACTION && !b->e->deleted)
            i = take_marker(b) - 1;
        else
            take_entry(b);
    }
}

void turns_build(struct bough_arena *a, const struct turns_input *in,
                 const struct turns_rules *rules, struct turns *out)
{
    struct building b = { .a = a, .in = in, .rules = rules, .out = out };
    struct buf model;

    *out = (struct turns){ 0 };
    smap_init(&b.calls);
    b.model = b.response = (struct bough_str){ "", 0 };
    if (!cstr_empty(in->model)) {
        buf_init(&model, 6 * strlen(in->model) + 2);
        buf_putc(&model, '"');
        json_escape(&model, str_of(in->model));
        buf_putc(&model, '"');
        b.model = arena_str(a, buf_str(&model));
        buf_finish(&model);
    }
    take_all(&b);
    for (struct turn *t = out->first; t; t = t->next)
        calls_finish(&b, t);
    turns_fit(&b);
    smap_finish(&b.calls);
}
