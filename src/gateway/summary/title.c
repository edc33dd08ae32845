/* Titles by a model: asked once, after the first reply. */
#include "gateway/summary/title.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "core/model/text.h"

enum { TITLE_TOKENS = 200, TITLE_BYTES = 80 };

static const char system_text[] =
    "You name conversations. Answer with a title of at most six words for the conversation that "
    "begins with the given message, in its language, without quotes and without a full stop.";

/* The first line, without quotes around it, cut at a word. */
static const char *tidy(struct bough_arena *a, const char *text)
{
    struct bough_str s = text_trim(str_of(text));
    const char *end = memchr(s.p, '\n', s.n);

    if (end)
        s = text_trim(str_make(s.p, (size_t)(end - s.p)));
    if (s.n > 1 && (*s.p == '"' || *s.p == '\'') && s.p[s.n - 1] == *s.p)
        s = text_trim(str_make(s.p + 1, s.n - 2));
    if (s.n > TITLE_BYTES) {
        for (s.n = TITLE_BYTES; s.n && s.p[s.n] != ' '; s.n--)
            ;
        if (!s.n) /* one long word: not inside a character */
            for (s.n = TITLE_BYTES; s.n && ((unsigned char)s.p[s.n] & 0xc0) == 0x80; s.n--)
                ;
    }
    return arena_strndup(a, s.p, s.n);
}

void title_session(struct gateway *g, struct bough_store *store, const char *session,
                   const bool *stop)
{
    struct bough_arena *a = bough_arena_create();
    struct complete_options ask = { .store = store,
                                    .session = session,
                                    .purpose = "title",
                                    .model = gateway_title_model(g),
                                    .system = system_text,
                                    .max_output = TITLE_TOKENS,
                                    .stop = stop };
    struct bough_session_update_options edit = { 0 };
    struct bough_error err = { 0 };
    struct bough_session *s;
    const char *text;
    enum bough_rc rc = BOUGH_OK;

    if (!*ask.model || bough_session_get(store, a, session, &s, &err) || *s->title ||
        !*s->first_user)
        goto out;
    ask.prompt = s->first_user;
    rc = complete(g, a, &ask, &text, &err);
    if (!rc) {
        edit.title = tidy(a, text);
        rc = bough_session_update(store, session, &edit, &err);
    }
    if (rc)
        log_msg(LOG_WARN, "turn session=%s msg=it gets no title: %s", session, err.msg);
out:
    bough_arena_destroy(a);
}
