/* The open message of a turn: text, reasoning and other parts, in order of arrival. */
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "run/external/inside.h"

enum { PART_MOST = 64 << 20 };

int64_t ext_now(void)
{
    return mono_us() / 1000;
}

char *ext_dup(struct bough_str s)
{
    char *copy = mem_alloc(s.n + 1);

    memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    return copy;
}

void ext_replace(char **at, struct bough_str s)
{
    mem_free(*at);
    *at = ext_dup(s);
}

void ext_warn(struct ext *x, enum bough_rc rc, const char *what)
{
    if (rc)
        log_msg(LOG_WARN, "run id=%s msg=%s: %s", x->w->run->id, what, bough_rc_name(rc));
}

/* ---- opening and sealing ---- */

void ext_open(struct ext *x)
{
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_MESSAGE, .role = BOUGH_ROLE_ASSISTANT };

    if (x->failed.rc)
        return;
    x->failed.rc = work_open(x->w, &e, &x->writing, &x->failed);
    x->open = !x->failed.rc;
    x->message++;
    x->parts = 0;
    x->text_type = BOUGH_PART_OTHER;
    x->flushed = ext_now();
}

void ext_seal(struct ext *x, const struct ext_seal *how)
{
    struct bough_message_seal_options seal = { .finish = how->finish,
                                               .error = how->error,
                                               .call = how->call };

    ext_flush_text(x);
    ext_tools_flush(x);
    if (!x->open || work_flag(&x->w->lost))
        return;
    x->open = false;
    if (how->call)
        seal.usage = &how->call->used;
    if (!x->failed.rc || x->failed.rc == BOUGH_TOO_LARGE)
        x->failed.rc =
            bough_message_seal(x->w->store, x->w->a, &x->writing, &seal, NULL, &x->failed);
    else
        ext_warn(x, bough_message_seal(x->w->store, x->w->a, &x->writing, &seal, NULL, NULL),
                 "the message was not sealed");
}

/* A message that is full is sealed, and the turn goes on in another one. */
static void roll_over(struct ext *x)
{
    ext_seal(x, &(struct ext_seal){ .finish = "continued" });
    ext_open(x);
}

/* ---- steps ---- */

static void take_steps(struct ext *x, const struct bough_step *steps, size_t n)
{
    if (x->failed.rc || !x->open)
        return;
    x->failed.rc = bough_message_step(x->w->store, &x->writing, 0, steps, n, NULL, &x->failed);
    x->flushed = ext_now();
}

void ext_part(struct ext *x, struct bough_str json)
{
    struct bough_step step = { .kind = BOUGH_STEP_PART, .bytes = json };

    ext_flush_text(x);
    x->text_type = BOUGH_PART_OTHER;
    if (x->parts >= EXT_PARTS_MOST)
        roll_over(x);
    take_steps(x, &step, 1);
    if (x->failed.rc == BOUGH_TOO_LARGE && x->parts > 0) {
        x->failed.rc = BOUGH_OK;
        roll_over(x);
        take_steps(x, &step, 1);
    }
    x->parts++;
}

void ext_states(struct ext *x, size_t part, const struct bough_str *json, size_t n)
{
    struct bough_step steps[2] = { { .kind = BOUGH_STEP_STATE, .part = part },
                                   { .kind = BOUGH_STEP_STATE, .part = part } };

    for (size_t i = 0; i < n && i < 2; i++)
        steps[i].bytes = json[i];
    take_steps(x, steps, n);
}

void ext_save(struct ext *x, int64_t now, int64_t ms)
{
    if (!x->open || x->failed.rc || now - x->flushed < ms)
        return;
    x->failed.rc = bough_message_flush(x->w->store, &x->writing, NULL, &x->failed);
    x->flushed = now;
}

/* ---- text ---- */

static void begin_part(struct ext *x)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, PART_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", x->text_type == BOUGH_PART_REASONING ? "reasoning" : "text");
    jw_kv_str(&w, "text", buf_str(&x->text));
    jw_end_obj(&w);
    if (x->parts >= EXT_PARTS_MOST) {
        enum bough_part_type type = x->text_type;
        struct buf text = x->text;

        buf_init(&x->text, text.max); /* so that sealing does not write it */
        roll_over(x);
        x->text = text;
        x->text_type = type;
    }
    take_steps(x, &(struct bough_step){ .kind = BOUGH_STEP_PART, .bytes = buf_str(&b) }, 1);
    x->parts++;
    x->text_begun = true;
    buf_finish(&b);
}

void ext_flush_text(struct ext *x)
{
    if (!x->text.n)
        return;
    if (x->text_begun)
        take_steps(x,
                   &(struct bough_step){
                       .kind = BOUGH_STEP_TEXT, .part = x->parts - 1, .bytes = buf_str(&x->text) },
                   1);
    else
        begin_part(x);
    buf_reset(&x->text);
}

/* Text of a part has no NUL: a blank instead. */
static void put_text(struct buf *b, const char *p, size_t n)
{
    const char *nul;

    while ((nul = memchr(p, '\0', n))) {
        buf_put(b, p, (size_t)(nul - p));
        buf_putc(b, ' ');
        n -= (size_t)(nul - p) + 1;
        p = nul + 1;
    }
    buf_put(b, p, n);
}

void ext_text(struct ext *x, enum bough_part_type type, const char *message_id,
              struct bough_str text)
{
    if (!message_id)
        message_id = "";
    if (x->text_type != type || strncmp(x->message_id, message_id, sizeof x->message_id - 1) != 0) {
        ext_flush_text(x);
        x->text_type = type;
        x->text_begun = false;
        snprintf(x->message_id, sizeof x->message_id, "%s", message_id);
    }
    if (!x->text.n)
        x->text_since = ext_now();
    for (size_t i = 0; i < text.n;) {
        size_t n = text.n - i;

        if (n > EXT_TEXT_MOST)
            n = EXT_TEXT_MOST;
        while (i + n < text.n && ((unsigned char)text.p[i + n] & 0xc0) == 0x80)
            n--; /* a step is whole characters */
        put_text(&x->text, text.p + i, n);
        if (x->text.n >= EXT_TEXT_MOST)
            ext_flush_text(x);
        i += n;
    }
}
