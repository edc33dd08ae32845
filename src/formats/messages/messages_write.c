/* Lists of messages, writer. Messages of the same format are written back unchanged; others are
 * converted. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/context/context.h"
#include "formats/common/foreign.h"
#include "formats/messages/messages.h"

/* How one format writes a turn, and a message of its own. */
struct list_words {
    const char *format;
    const struct turns_rules *rules;
    void (*native)(struct json_writer *jw, const struct bough_entry *e, const char *id);
    void (*turn)(struct writing *w, struct json_writer *jw, const struct written_run *run,
                 const struct turn *t);
    bool results_open; /* the message with results goes on with what the user says next */
};

static const char *list_member(const struct list_words *words)
{
    return words->rules == &responses_rules ? "input" : "messages";
}

/* ---- the list ---- */

static void list_begin(struct writing *w)
{
    (void)w;
}

static void list_entry(struct writing *w, const struct written_entry *we)
{
    (void)w;
    (void)we;
}

static bool came_as(const struct bough_entry *e, const char *format)
{
    struct bough_str of = member_raw(e->data, MESSAGES_OF, JSON_STRING);

    return e->kind == BOUGH_ENTRY_MESSAGE && of.n && json_span_is(of, format);
}

static bool is_foreign(const struct list_words *words, const struct turn *t)
{
    for (const struct piece *p = t->first; p; p = p->next)
        if (!came_as(p->e, words->format))
            return true;
    return false;
}

/* Begin the object around the list, if there was one or the system text needs one. */
static bool begin_object(struct writing *w, struct json_writer *jw, const struct list_words *words,
                         const struct turns *turns)
{
    struct bough_str rest = member_raw(w->session->data, MESSAGES_REST, JSON_OBJECT);
    bool system = turns->system && !rest.n;

    if (!rest.n && !system)
        return false;
    jw_obj(jw);
    members_put(jw, rest, NULL);
    if (system) {
        jw_key(jw, "system");
        put_texts(jw->out, turns->system, "\\n\\n");
        jw->comma = true;
    }
    jw_key(jw, list_member(words));
    return true;
}

static void put_list(struct writing *w, const struct list_words *words)
{
    const struct written_run *run = w->run_of(w, NULL);
    struct json_writer jw;
    struct turns turns;
    size_t next = 0;
    bool object;

    foreign_turns(w, run, words->rules, &turns);
    jw_init(&jw, w->out);
    object = begin_object(w, &jw, words, &turns);
    jw_arr(&jw);
    for (const struct turn *t = turns.first;; t = t->next) {
        bool foreign = t && is_foreign(words, t);

        for (; next < run->n && (!t || (foreign && next < t->at)); next++)
            if (came_as(&run->entries[next], words->format))
                words->native(&jw, &run->entries[next], run->ids[next]);
        if (!t)
            break;
        if (foreign)
            words->turn(w, &jw, run, t);
        if (foreign && words->results_open && t->calls && t->next && t->next->kind == TURN_USER &&
            is_foreign(words, t->next))
            t = t->next;
    }
    jw_end_arr(&jw);
    if (object)
        jw_end_obj(&jw);
    buf_putc(w->out, '\n');
}

static void begin_value(struct json_writer *jw)
{
    if (jw->comma)
        buf_putc(jw->out, ',');
    jw->comma = true;
}

/* ---- OpenAI chat and Anthropic ---- */

static void put_native(struct json_writer *jw, const struct bough_entry *e, const char *id)
{
    static const char *const ours[] = { MESSAGES_OF, MESSAGES_CALLS, CONTEXT_CONTENT_KEY, NULL };
    struct bough_str count = member_raw(e->data, MESSAGES_CALLS, JSON_NUMBER);
    struct bough_entry said = *e;
    int64_t calls = 0;

    (void)id;
    if (count.n && json_span_i64(count, &calls) && calls > 0 && calls <= (int64_t)e->nparts)
        said.nparts -= (size_t)calls;
    jw_obj(jw);
    members_put(jw, e->data, ours);
    content_put(jw, &said);
    if (said.nparts < e->nparts) {
        jw_key(jw, "tool_calls");
        jw_arr(jw);
        for (size_t i = said.nparts; i < e->nparts; i++)
            jw_raw(jw, part_raw(&e->parts[i]));
        jw_end_arr(jw);
    }
    jw_end_obj(jw);
}

static void chat_turn(struct writing *w, struct json_writer *jw, const struct written_run *run,
                      const struct turn *t)
{
    (void)run;
    if (!t->first)
        return;
    begin_value(jw);
    (void)chat_put(jw->out, w->a, t);
}

static void chat_finish(struct writing *w, const char *head)
{
    static const struct list_words words = { "openai-chat", &chat_rules, put_native, chat_turn };

    (void)head;
    put_list(w, &words);
}

static void begin_blocks(struct json_writer *jw, const char *role)
{
    jw_obj(jw);
    jw_kv_cstr(jw, "role", role);
    jw_key(jw, "content");
    jw_arr(jw);
}

static void end_blocks(struct json_writer *jw)
{
    jw_end_arr(jw);
    jw_end_obj(jw);
}

static const struct list_words anthropic_words;

static void anthropic_turn(struct writing *w, struct json_writer *jw, const struct written_run *run,
                           const struct turn *t)
{
    const struct piece *p;

    (void)run;
    if (!t->first)
        return;
    begin_blocks(jw, t->kind == TURN_MODEL ? "assistant" : "user");
    for (p = t->first; p; p = p->next) {
        begin_value(jw);
        anthropic_put(jw->out, w->a, p);
    }
    end_blocks(jw);
    if (!t->calls)
        return;
    begin_blocks(jw, "user");
    for (p = t->first; p; p = p->next) {
        if (p->kind != PIECE_CALL)
            continue;
        begin_value(jw);
        anthropic_put_result(jw->out, p);
    }
    p = t->next && t->next->kind == TURN_USER && is_foreign(&anthropic_words, t->next)
            ? t->next->first
            : NULL;
    for (; p; p = p->next) {
        begin_value(jw);
        anthropic_put(jw->out, w->a, p);
    }
    end_blocks(jw);
}

static const struct list_words anthropic_words = { "anthropic", &anthropic_rules, put_native,
                                                   anthropic_turn, .results_open = true };

static void anthropic_finish(struct writing *w, const char *head)
{
    (void)head;
    put_list(w, &anthropic_words);
}

/* ---- OpenAI responses ---- */

/* An item that is not a message is the only part of its entry. */
static void put_native_item(struct json_writer *jw, const struct bough_entry *e, const char *id)
{
    if (member_raw(e->data, MESSAGES_ITEM, JSON_TRUE).n && e->nparts == 1)
        jw_raw(jw, part_raw(&e->parts[0]));
    else
        put_native(jw, e, id);
}

static void responses_turn(struct writing *w, struct json_writer *jw, const struct written_run *run,
                           const struct turn *t)
{
    const struct piece *p = t->first;

    (void)run;
    while (p) {
        begin_value(jw);
        (void)responses_put(jw->out, w->a, t, &p);
    }
    for (p = t->first; p; p = p->next) {
        if (p->kind != PIECE_CALL)
            continue;
        begin_value(jw);
        responses_put_result(jw->out, p);
    }
}

static void responses_finish(struct writing *w, const char *head)
{
    static const struct list_words words = { "openai-responses", &responses_rules, put_native_item,
                                             responses_turn };

    (void)head;
    put_list(w, &words);
}

/* ---- AI SDK ---- */

static bool ui_takes(const struct piece *file, enum file_place place, size_t used)
{
    (void)used;
    return place != FILE_OF_RESULT && (file_bytes(file) || file_remote(file));
}

/* A list that is shown: reasoning stays, and the SDK's providers decide what they send of it. */
static const struct turns_rules ui_rules = {
    .id_max = 64,
    .ids_loose = true,
    .name_max = 64,
    .reasoning_any = true,
    .takes = ui_takes,
    .system_inside = true,
};

static void ui_native(struct json_writer *jw, const struct bough_entry *e, const char *id)
{
    static const char *const ours[] = { MESSAGES_OF, CONTEXT_CONTENT_KEY, NULL };

    jw_obj(jw);
    if (*e->origin)
        jw_kv_cstr(jw, "id", id);
    members_put(jw, e->data, ours);
    jw_key(jw, "parts");
    jw_arr(jw);
    for (size_t i = 0; i < e->nparts; i++)
        jw_raw(jw, part_raw(&e->parts[i]));
    jw_end_arr(jw);
    jw_end_obj(jw);
}

static void ui_finish(struct writing *w, const char *head)
{
    static const struct list_words words = { "ai-sdk", &ui_rules, ui_native, ui_turn };

    (void)head;
    put_list(w, &words);
}

/* ---- the formats ---- */

const struct format format_ai_sdk = {
    .name = "ai-sdk",
    .number = FORMAT_AI_SDK,
    .about = "AI SDK: a list of UIMessages",
    .suffix = "json",
    .detect = ui_detect,
    .document = messages_document,
    .writes = WRITES_PATH,
    .begin = list_begin,
    .entry = list_entry,
    .finish = ui_finish,
};

const struct format format_anthropic = {
    .name = "anthropic",
    .number = FORMAT_ANTHROPIC,
    .about = "Anthropic's API: a list of messages with content blocks",
    .suffix = "json",
    .detect = anthropic_detect,
    .document = messages_document,
    .writes = WRITES_PATH,
    .begin = list_begin,
    .entry = list_entry,
    .finish = anthropic_finish,
};

const struct format format_openai_chat = {
    .name = "openai-chat",
    .number = FORMAT_OPENAI_CHAT,
    .about = "OpenAI's chat completions: a list of messages",
    .suffix = "json",
    .detect = chat_detect,
    .document = messages_document,
    .writes = WRITES_PATH,
    .begin = list_begin,
    .entry = list_entry,
    .finish = chat_finish,
};

const struct format format_openai_responses = {
    .name = "openai-responses",
    .number = FORMAT_OPENAI_RESPONSES,
    .about = "OpenAI's responses and Agents SDK: a list of items",
    .suffix = "json",
    .detect = responses_detect,
    .document = messages_document,
    .writes = WRITES_PATH,
    .begin = list_begin,
    .entry = list_entry,
    .finish = responses_finish,
};
