/* Fitting turns to a target: its rules for reasoning, files, server tools and the order of turns.
 * Pure. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/base64.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/model/text.h"
#include "core/turns/turns_in.h"

/* ---- reasoning ---- */

/* pi keeps a whole reasoning item of OpenAI, as a string, in the place of a signature. */
static void read_item(struct building *b, struct part_spans *s)
{
    struct bough_str item = json_span_text(b->a, s->signature);
    struct fields f;

    s->signer = SIGNER_NONE;
    if (fields_read(&f, item, NULL) != BOUGH_OK)
        return;
    s->signature = fields_raw(&f, "encrypted_content", JSON_STRING);
    s->blocks = fields_raw(&f, "summary", JSON_ARRAY);
    s->item = fields_raw(&f, "id", JSON_STRING);
    if (s->signature.n > 2)
        s->signer = SIGNER_OPENAI;
}

static bool has(struct bough_str text, const char *what)
{
    return text.n && memmem(text.p, text.n, what, strlen(what));
}

/* What pi's signature is, by the API that the message came from. */
static void read_pi(struct building *b, struct piece *p)
{
    if (has(p->api, "anthropic"))
        p->s.signer = SIGNER_ANTHROPIC;
    else if (has(p->api, "google"))
        p->s.signer = SIGNER_GOOGLE;
    else if (has(p->api, "responses"))
        read_item(b, &p->s);
    else
        p->s.signer = SIGNER_NONE;
}

static bool same_model(const struct building *b, const struct piece *p)
{
    if (p->model.n <= 2 || cstr_empty(b->in->to_model))
        return p->model.n <= 2 && cstr_empty(b->in->to_model);
    return json_span_is(p->model, b->in->to_model);
}

static bool takes_reasoning(struct building *b, struct piece *p)
{
    enum part_signer want = b->rules->signer;
    const char *why = "it has no signature for this provider";

    if (p->s.signer == SIGNER_PI)
        read_pi(b, p);
    if (b->rules->reasoning_any)
        return p->s.text.n > 2 || p->s.blocks.n > 2 || p->s.signer;
    if (want == SIGNER_GOOGLE && p->s.text.n <= 2)
        want = SIGNER_NONE; /* a part must not be empty */
    if (want &&
        (p->s.signer == want || (want == SIGNER_ANTHROPIC && p->s.signer == SIGNER_REDACTED))) {
        if (same_model(b, p))
            return true;
        why = "another model will read it";
    }
    turns_note(b, p->e, "omitted", "reasoning: %s", why);
    return false;
}

/* ---- files ---- */

static size_t bytes_of(const struct piece *file)
{
    size_t n = file->s.base64.n;

    while (n && n > file->s.base64.n - 2 && file->s.base64.p[n - 1] == '=')
        n--;
    return n / 4 * 3 + n % 4 * 3 / 4;
}

/* "[file: name, type, size]" */
static struct piece *file_line(struct building *b, const struct piece *file, const char *where)
{
    enum { MOST = 500 };
    struct bough_str name = json_span_text(b->a, file->s.filename),
                     mime = json_span_text(b->a, file->s.mime),
                     url = json_span_text(b->a, file->s.url);
    struct piece *p;
    struct buf line;

    buf_init(&line, 4096 + name.n + mime.n);
    buf_puts(&line, "[file");
    if (name.n)
        buf_printf(&line, ": %.*s", (int)name.n, name.p);
    buf_printf(&line, "%s %.*s", name.n ? "," : ":", (int)mime.n, mime.n ? mime.p : "unknown type");
    if (file->s.base64.n)
        buf_printf(&line, ", %zu bytes", bytes_of(file));
    else if (url.n && url.n <= MOST && !str_starts(url, "data:"))
        buf_printf(&line, ", %.*s", (int)url.n, url.p);
    buf_printf(&line, "%s]", where);
    p = piece_plain(b, buf_str(&line));
    buf_finish(&line);
    p->e = file->e;
    p->at = file->at;
    return p;
}

static bool takes(struct building *b, const struct piece *file, enum file_place place)
{
    if (!b->rules->takes(file, place, b->used))
        return false;
    b->used += file->s.base64.n;
    return true;
}

/* The text of a text file, under its name; NULL: it is none, or too long. */
static struct piece *file_text(struct building *b, const struct piece *file)
{
    enum { MOST = 256 * 1024 };
    struct bough_str base64 = file->s.base64, name = json_span_text(b->a, file->s.filename), text;
    struct piece *p = NULL;
    struct buf shown;
    size_t n;

    if (!str_starts(file->s.mime, "\"text/") || !base64.n || base64.n > MOST)
        return NULL;
    base64 =
        json_span_text(b->a, str_make(base64.p - 1, base64.n + 2)); /* slashes may be escaped */
    text.p = arena_alloc(b->a, base64.n + 1);
    if (!base64_decode(base64.p, base64.n, (unsigned char *)text.p, &n) ||
        utf8_valid(text.p, n) != n)
        return NULL;
    text.n = n;
    buf_init(&shown, name.n + text.n + 16);
    buf_printf(&shown, "[file%s%.*s]\n", name.n ? ": " : "", (int)name.n, name.p);
    buf_put_str(&shown, text);
    p = piece_plain(b, buf_str(&shown));
    buf_finish(&shown);
    p->e = file->e;
    p->at = file->at;
    turns_note(b, file->e, "converted", "a text file is shown as text");
    return p;
}

/* A file where it is, or a text in its place. */
static struct piece *fit_file(struct building *b, struct piece *file, enum file_place place)
{
    struct piece *text;

    if (takes(b, file, place))
        return file;
    text = file_text(b, file);
    if (text)
        return text;
    turns_note(b, file->e, "converted", "a file that cannot be sent is a line of text");
    return file_line(b, file, "");
}

/* ---- tools that the provider runs ---- */

/* Anthropic wants the result of its own tools in the same message. */
static bool server_whole(const struct piece *first, const struct piece *p)
{
    for (const struct piece *q = first; q; q = q->next)
        if (q != p && q->kind == PIECE_SERVER && str_eq(q->s.call, p->s.call) &&
            (q->s.kind == VIEW_RESULT) != (p->s.kind == VIEW_RESULT))
            return true;
    return false;
}

static enum part_signer server_of(const struct piece *p)
{
    if (p->s.kind == VIEW_TOOL) /* as the AI SDK keeps it: the provider's own block is lost */
        return SIGNER_NONE;
    return p->s.item_wise ? SIGNER_OPENAI : SIGNER_ANTHROPIC;
}

static struct piece *fit_server(struct building *b, struct piece *p)
{
    enum { MOST = 1000 };
    enum part_signer of = server_of(p);
    struct bough_str word = json_span_text(b->a, p->s.tool.n > 2 ? p->s.tool : p->s.word);
    struct bough_str told = p->s.kind == VIEW_RESULT ? p->s.raw : p->s.input;
    struct piece *line;
    struct buf text;

    if (of && of == b->rules->server && (of == SIGNER_OPENAI || p->whole))
        return p;
    told.n = told.n > MOST ? MOST : told.n;
    while (told.n && (told.p[told.n - 1] & 0xc0) == 0x80)
        told.n--;
    buf_init(&text, word.n + told.n + 16);
    buf_printf(&text, "[%.*s: %.*s]", (int)word.n, word.p, (int)told.n, told.n ? told.p : "");
    line = piece_plain(b, buf_str(&text));
    buf_finish(&text);
    line->e = p->e;
    line->at = p->at;
    turns_note(b, p->e, "converted", "what a tool of the provider did is a line of text");
    return line;
}

/* ---- pieces of a turn ---- */

/* Replace the files of a result; those that only a user may send go into *moved. */
static void fit_content(struct building *b, struct result *r, struct piece ***moved)
{
    for (struct piece **at = &r->content; *at; at = &(*at)->next) {
        struct piece *p = *at, *next = p->next;

        if (p->kind != PIECE_FILE || takes(b, p, FILE_OF_RESULT))
            continue;
        if (takes(b, p, FILE_OF_USER)) {
            *at = file_line(b, p, ", in the next message");
            p->next = NULL;
            **moved = p;
            *moved = &p->next;
            turns_note(b, p->e, "converted", "a file of a result is in a message behind it");
        } else {
            *at = fit_file(b, p, FILE_OF_RESULT);
        }
        (*at)->next = next;
    }
    if (!r->content) {
        r->content = piece_said(b, "(no content)");
        r->content->e = r->e;
    }
}

struct piece *turns_content(struct bough_arena *a, const struct turns_rules *rules,
                            struct bough_str output)
{
    static const struct turns_input nothing;
    struct building b = { .a = a, .in = &nothing, .rules = rules };
    struct piece *content = content_of(&b, json_span_mend(a, output), str_make(NULL, 0));

    for (struct piece **at = &content; *at; at = &(*at)->next) {
        struct piece *next = (*at)->next;

        if ((*at)->kind == PIECE_FILE)
            *at = fit_file(&b, *at, FILE_OF_RESULT);
        (*at)->next = next;
    }
    return content;
}

/* The piece as the target takes it, or NULL. */
static struct piece *fit_piece(struct building *b, struct turn *t, struct piece *p,
                               struct piece ***moved)
{
    b->e = p->e;
    b->at = p->at;
    switch (p->kind) {
    case PIECE_TEXT:
        return p;
    case PIECE_REASONING:
        return takes_reasoning(b, p) ? p : NULL;
    case PIECE_CALL:
        call_name(b, p);
        if (p->s.signer && (b->rules->signer != p->s.signer || !same_model(b, p)))
            p->s.signer = SIGNER_NONE;
        fit_content(b, p->result, moved);
        return p;
    case PIECE_FILE:
        return fit_file(b, p, t->kind == TURN_MODEL ? FILE_OF_MODEL : FILE_OF_USER);
    case PIECE_SERVER:
        return fit_server(b, p);
    }
    return p;
}

/* A turn of the user behind `t`, with files of its results. */
static void put_behind(struct building *b, struct turn *t, struct piece *files)
{
    struct turn *behind = arena_zalloc(b->a, sizeof *behind);

    *behind = (struct turn){ .next = t->next, .kind = TURN_USER, .e = files->e, .at = files->at };
    behind->first = behind->last = files;
    while (behind->last->next)
        behind->last = behind->last->next;
    t->next = behind;
    if (b->out->last == t)
        b->out->last = behind;
}

static void fit_turn(struct building *b, struct turn *t)
{
    struct piece *files = NULL, **moved = &files, *p, *next;

    for (p = t->first; p; p = p->next)
        p->whole = p->kind == PIECE_SERVER && server_whole(t->first, p);
    p = t->first;
    t->first = t->last = NULL;
    for (; p; p = next) {
        next = p->next;
        p = fit_piece(b, t, p, &moved);
        if (!p)
            continue;
        p->next = NULL;
        turn_put(t, p);
    }
    if (files)
        put_behind(b, t, files);
}

/* ---- where reasoning may stand ---- */

/* OpenAI: right before what it led to. Anthropic: not at the end of a turn. */
static void place_reasoning(struct building *b, struct turn *t)
{
    struct piece *p = t->first, *next, *q;

    t->first = t->last = NULL;
    for (; p; p = next) {
        next = p->next;
        for (q = next; q && q->kind == PIECE_REASONING; q = q->next)
            if (b->rules->signer == SIGNER_OPENAI)
                break;
        if (p->kind == PIECE_REASONING && (!q || q->kind == PIECE_REASONING)) {
            turns_note(b, p->e, "omitted", "reasoning: what it led to is not here");
            continue;
        }
        p->next = NULL;
        turn_put(t, p);
    }
}

/* ---- system ---- */

static void remind(struct building *b, struct turn *t)
{
    struct piece *p = t->first, *next;

    t->kind = TURN_USER;
    t->first = t->last = NULL;
    for (; p; p = next) {
        struct piece *said;

        next = p->next;
        b->e = p->e;
        b->at = p->at;
        said = p->kind == PIECE_TEXT && !p->json
                   ? piece_around(b, "<system-reminder>\n", p->s.text, "\n</system-reminder>")
                   : p;
        said->next = NULL;
        turn_put(t, said);
    }
    turns_note(b, t->e, "converted", "a system message inside the conversation is the user's here");
}

/* Join the leading system turns to one, or take them out. */
static void lead(struct building *b)
{
    struct turn *first = b->out->first, *t = first;
    struct piece *last = NULL;
    bool developer = true;

    for (; t && t->kind == TURN_SYSTEM; t = t->next) {
        developer = developer && t->developer;
        if (last && t->first)
            last->next = t->first;
        if (t->first && !b->out->system)
            b->out->system = t->first;
        if (t->last)
            last = t->last;
    }
    if (t == first)
        return;
    b->out->developer = developer;
    if (!b->rules->system_apart && b->out->system) {
        first->first = b->out->system;
        first->last = last;
        first->next = t;
        first->developer = developer;
        b->out->system = NULL;
        b->out->last = t ? b->out->last : first;
        return;
    }
    b->out->first = t;
    b->out->last = t ? b->out->last : NULL;
}

/* ---- the order of turns ---- */

static void fit_all(struct building *b)
{
    for (struct turn *t = b->out->first; t; t = t->next) {
        if (t->kind == TURN_MARKER)
            continue;
        if (t->kind == TURN_SYSTEM && !b->rules->system_inside)
            remind(b, t);
        fit_turn(b, t);
        if (t->kind == TURN_MODEL && b->rules->signer && !b->rules->reasoning_any)
            place_reasoning(b, t);
    }
}

static bool is_empty(const struct turn *t)
{
    return !t->first && t->kind != TURN_MARKER;
}

/* Remove empty turns. One of the user stays if it keeps two turns of the model apart. */
static void drop_empty(struct building *b)
{
    struct turn **at = &b->out->first, *before = NULL, *t;

    while ((t = *at) != NULL) { /* keep one behind a turn of the model, for now */
        bool parts = b->rules->merges_models && t->kind == TURN_USER && before &&
                     before->kind == TURN_MODEL && !before->calls;

        if (is_empty(t) && !parts) {
            *at = t->next;
            continue;
        }
        before = t;
        at = &t->next;
    }
    at = &b->out->first;
    before = NULL;
    while ((t = *at) != NULL) {
        if (is_empty(t) && !(t->next && t->next->kind == TURN_MODEL)) {
            *at = t->next;
            continue;
        }
        if (is_empty(t)) {
            b->e = t->e;
            b->at = t->at;
            turn_put(t, piece_said(b, "(no content)"));
            turns_note(b, t->e, "converted", "it shows nothing: \"(no content)\" stands for it");
        }
        before = t;
        at = &t->next;
    }
    b->out->last = before;
}

static void merge(struct building *b)
{
    for (struct turn *t = b->out->first, *n; t && (n = t->next) != NULL;) {
        bool equal =
            t->kind == n->kind &&
            (t->kind == TURN_USER ? b->rules->merges_users
                                  : t->kind == TURN_MODEL && b->rules->merges_models && !t->calls);

        if (!equal) {
            t = n;
            continue;
        }
        t->last->next = n->first;
        t->last = n->last;
        t->calls += n->calls;
        t->next = n->next;
        if (b->out->last == n)
            b->out->last = t;
    }
}

static void begin_with_user(struct building *b)
{
    struct turn *first = b->out->first, *t;

    if (!first || first->kind != TURN_MODEL)
        return;
    b->e = first->e;
    b->at = first->at;
    t = arena_zalloc(b->a, sizeof *t);
    *t = (struct turn){ .next = first, .kind = TURN_USER, .e = first->e, .at = first->at };
    turn_put(t, piece_said(b, "(continued)"));
    b->out->first = t;
    turns_note(b, first->e, "added", "the first message must be the user's: \"(continued)\"");
}

/* The model speaks next: leave out what it said last. */
static void drop_trailing(struct building *b)
{
    struct turn *keep = NULL, *t;

    for (t = b->out->first; t; t = t->next)
        if (t->kind != TURN_MODEL || t->calls)
            keep = t;
    for (t = keep ? keep->next : b->out->first; t; t = t->next)
        turns_note(b, t->e, "omitted", "the last turn is the model's own");
    if (keep)
        keep->next = NULL;
    else
        b->out->first = NULL;
    b->out->last = keep;
}

/* What the model said last, without white space behind it. */
static void trim_last(struct building *b)
{
    struct turn *t = b->out->last;
    struct piece *p = t && t->kind == TURN_MODEL && !t->calls ? t->last : NULL;
    struct bough_str text, trimmed;

    if (!p || p->kind != PIECE_TEXT || p->json)
        return;
    text = json_span_text(b->a, p->s.text);
    trimmed = text_trim(text);
    trimmed.n = (size_t)(trimmed.p + trimmed.n - text.p);
    trimmed.p = text.p;
    if (trimmed.n < text.n)
        p->s.text = piece_plain(b, trimmed)->s.text;
}

void turns_fit(struct building *b)
{
    lead(b);
    fit_all(b);
    drop_empty(b);
    if (!b->in->trailing)
        drop_trailing(b);
    if (b->rules->trims_last)
        trim_last(b);
    merge(b);
    if (b->rules->user_first)
        begin_with_user(b);
    b->out->n = 0;
    for (const struct turn *t = b->out->first; t; t = t->next)
        b->out->n++;
}
