/* Conversations written shortly. */
#include "lib/talk.h"

#include <bough/part.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

static struct bough_str quoted(struct test *t, const char *text, size_t n)
{
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    buf_init(&b, 1 << 20);
    jw_init(&w, &b);
    jw_str(&w, str_make(text, n));
    out = str_of(arena_strndup(t->arena, b.p, b.n));
    buf_finish(&b);
    return out;
}

/* Take the word up to the next colon off `p`. */
static const char *word(struct test *t, const char **p)
{
    size_t n = strcspn(*p, ":");
    const char *out = arena_strndup(t->arena, *p, n);

    *p += n + ((*p)[n] == ':');
    return out;
}

static struct bough_str part_of(struct test *t, const char *p)
{
    const char *kind, *id, *name;

    if (*p != '@')
        return str_of(
            arena_printf(t->arena, "{\"type\":\"text\",\"text\":%s}", quoted(t, p, strlen(p)).p));
    p++;
    kind = word(t, &p);
    if (cstr_eq(kind, "think"))
        return str_of(arena_printf(t->arena, "{\"type\":\"thinking\",\"thinking\":%s}",
                                   quoted(t, p, strlen(p)).p));
    if (cstr_eq(kind, "raw"))
        return str_of(p);
    if (cstr_eq(kind, "img"))
        return str_of(arena_printf(t->arena,
                                   "{\"type\":\"image\",\"source\":{\"type\":\"base64\","
                                   "\"media_type\":\"image/png\",\"data\":\"%s\"}}",
                                   p));
    if (cstr_eq(kind, "ref"))
        return str_of(arena_printf(t->arena, "{\"type\":\"item_reference\",\"id\":\"%s\"}", p));
    id = word(t, &p);
    if (cstr_eq(kind, "res"))
        return str_of(arena_printf(
            t->arena, "{\"type\":\"tool_result\",\"tool_use_id\":\"%s\",\"content\":%s}", id,
            quoted(t, p, strlen(p)).p));
    name = word(t, &p);
    CHECK_STR("call", kind);
    return str_of(arena_printf(t->arena,
                               "{\"type\":\"tool_use\",\"id\":\"%s\",\"name\":\"%s\",\"input\":%s}",
                               id, name, p));
}

/* Cut `text` at the next separator; *rest is NULL at the end. */
static char *cut(char **rest, const char *separator)
{
    char *from = *rest, *at = strstr(from, separator);

    *rest = at ? at + strlen(separator) : NULL;
    if (at)
        *at = '\0';
    return from;
}

static enum bough_role role_of(char letter)
{
    switch (letter) {
    case 'a':
        return BOUGH_ROLE_ASSISTANT;
    case 's':
    case 'd':
        return BOUGH_ROLE_SYSTEM;
    case 't':
        return BOUGH_ROLE_TOOL;
    default:
        return BOUGH_ROLE_USER;
    }
}

static void read_message(struct test *t, char *text, struct bough_entry_new *out)
{
    char *rest = text[0] && text[1] ? text + 2 : NULL;
    struct bough_str *parts = NULL;

    *out = (struct bough_entry_new){ .role = role_of(*text) };
    if (*text == 'd')
        out->data = str_of("{\"role\":\"developer\"}");
    while (rest) {
        parts = arena_room(t->arena, parts, out->nparts, sizeof *parts);
        parts[out->nparts++] = part_of(t, cut(&rest, " + "));
    }
    out->parts = parts;
}

struct bough_entry_new *talk_read(struct test *t, const char *talk, size_t *n)
{
    char *rest = arena_strdup(t->arena, talk);
    struct bough_entry_new *out = NULL;

    *n = 0;
    if (!*rest)
        return NULL;
    while (rest) {
        out = arena_room(t->arena, out, *n, sizeof *out);
        read_message(t, cut(&rest, " | "), &out[(*n)++]);
    }
    return out;
}

struct bough_entry *talk_entries(struct test *t, const char *talk, size_t *n)
{
    struct bough_entry_new *in = talk_read(t, talk, n);
    struct bough_entry *out = arena_array(t->arena, *n + 1, sizeof *out);

    for (size_t i = 0; i < *n; i++) {
        struct bough_part *parts = arena_array(t->arena, in[i].nparts + 1, sizeof *parts);

        for (size_t k = 0; k < in[i].nparts; k++) {
            parts[k].json = in[i].parts[k];
            CHECK_OK(bough_part_check(parts[k].json, &parts[k].type, &t->err));
        }
        out[i] = (struct bough_entry){ .kind = BOUGH_ENTRY_MESSAGE,
                                       .kind_name = "message",
                                       .role = in[i].role,
                                       .session = "",
                                       .origin = "",
                                       .finish = "",
                                       .at = { 1, (int64_t)i + 1 },
                                       .data = in[i].data,
                                       .parts = parts,
                                       .nparts = in[i].nparts };
    }
    return out;
}
