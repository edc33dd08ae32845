/* Files that a prompt brings along: what the agent is sent of them. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "world.h"

#define PNG "data:image/png;base64,iVBORw0KGgo="

static long read_once(void *user, void *to, size_t n)
{
    struct bough_str *left = user;

    n = n < left->n ? n : left->n;
    memcpy(to, left->p, n);
    *left = str_make(left->p + n, left->n - n);
    return (long)n;
}

static const char *stored(struct test *t, const char *text)
{
    struct bough_str left = str_of(text);
    struct bough_attachment file;

    CHECK_OK(bough_attachment_store(t->store, read_once, &left, &file, &t->err));
    return arena_strdup(t->arena, file.url);
}

static struct bough_str file_part(struct test *t, const char *mime, const char *name,
                                  const char *url)
{
    return str_of(arena_printf(
        t->arena, "{\"type\":\"file\",\"mime\":\"%s\",\"filename\":\"%s\",\"url\":\"%s\"}", mime,
        name, url));
}

/* Send these parts; what the agent got, as JSON. */
static const char *sent(struct ext_world *w, const struct bough_str *parts, size_t n)
{
    struct test *t = w->t;
    struct run_begin_options in = { .session = w->session,
                                    .runtime = BOUGH_RUNTIME_EXTERNAL,
                                    .adapter = "fake",
                                    .workspace = w->dir,
                                    .parts = parts,
                                    .nparts = n };
    struct run_begun begun;
    struct bough_run *run;

    CHECK_OK(run_begin(w->runner, t->arena, &in, &begun, &t->err));
    run = ext_world_wait(w, begun.run->id);
    CHECK_INT(BOUGH_RUN_COMPLETED, run->status);
    return file_text(w, arena_printf(t->arena, "../agent/%s", run->native_id));
}

STORE_TEST_SECONDS(files_of_a_prompt_are_sent_with_their_contents_to_agents_that_take_them, 90)
{
    struct bough_str parts[6];
    struct ext_world w;
    const char *got;

    ext_world_open(t, &w, NULL);
    parts[0] = str_of("{\"type\":\"text\",\"text\":\"[s:hello]\"}");
    parts[1] = file_part(t, "image/png", "a.png", PNG);
    parts[2] = file_part(t, "text/plain", "note.txt", stored(t, "Fix the parser."));
    parts[3] = file_part(t, "application/pdf", "b.pdf", stored(t, "%PDF-"));
    parts[4] = file_part(t, "text/plain", "odd.txt", stored(t, "\xff\xfe odd"));
    parts[5] = file_part(t, "text/html", "page", "https://example.org/page");
    got = sent(&w, parts, 6);
    CHECK(strstr(got, "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"iVBORw0KGgo=\"}"));
    CHECK(strstr(got, "\"mimeType\":\"text/plain\",\"text\":\"Fix the parser.\"}"));
    CHECK(strstr(got, "\"mimeType\":\"application/pdf\",\"blob\":\"JVBERi0=\"}"));
    CHECK(strstr(got, "\"mimeType\":\"text/plain\",\"blob\":\"//4gb2Rk\"}"));
    CHECK(strstr(got, "[file page, text/html: https://example.org/page]"));
    ext_world_close(&w);
}

STORE_TEST_SECONDS(files_are_named_to_agents_that_take_only_text, 90)
{
    struct bough_str parts[3];
    struct ext_world w;
    const char *got, *url;

    ext_world_open(t, &w, (const char *const[]){ "set", "FAKE_PLAIN=1", NULL });
    url = stored(t, "Fix the parser.");
    parts[0] = str_of("{\"type\":\"text\",\"text\":\"[s:hello]\"}");
    parts[1] = file_part(t, "image/png", "a.png", PNG);
    parts[2] = file_part(t, "text/plain", "note.txt", url);
    got = sent(&w, parts, 3);
    CHECK(strstr(got, "[file a.png, image/png: bough://entries/"));
    CHECK(strstr(got, arena_printf(t->arena, "[file note.txt, text/plain: %s]", url)));
    CHECK(!strstr(got, "iVBORw0KGgo"));
    CHECK(!strstr(got, "Fix the parser"));
    ext_world_close(&w);
}

STORE_TEST_SECONDS(a_file_that_is_too_large_is_named, 90)
{
    size_t n = (8 << 20) + 1;
    char *text = arena_alloc(t->arena, n + 1);
    struct bough_str parts[2];
    struct ext_world w;

    memset(text, 'x', n);
    text[n] = '\0';
    ext_world_open(t, &w, NULL);
    parts[0] = str_of("{\"type\":\"text\",\"text\":\"[s:hello]\"}");
    parts[1] = file_part(t, "text/plain", "long.txt", stored(t, text));
    CHECK(strstr(sent(&w, parts, 2), "[file long.txt, text/plain: bough:sha256-"));
    ext_world_close(&w);
}
