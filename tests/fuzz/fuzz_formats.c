/*
 * Fuzz: the input is read as a file of every format. Reading always ends, a refusal has a message,
 * accepted content is stored, exporting it in every format succeeds or has a message too, and fsck
 * finds nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "formats/common/rows.h"
#include "formats/doc/doc.h"
#include "transfer/import/placer.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static int64_t now(void *user)
{
    return ++*(int64_t *)user;
}

static void random_bytes(void *user, void *out, size_t n)
{
    int64_t *at = user;

    for (size_t i = 0; i < n; i++)
        ((unsigned char *)out)[i] = (unsigned char)(++*at * 167 >> 3);
}

static bool told(enum bough_rc rc, const struct bough_error *err)
{
    if (rc && (!err->msg[0] || rc == BOUGH_CORRUPT || rc == BOUGH_IO))
        fprintf(stderr, "%d: %s\n", (int)rc, err->msg);
    MUST(!rc || (err->msg[0] && rc != BOUGH_CORRUPT && rc != BOUGH_IO));
    return rc == BOUGH_OK;
}

static bool by_lines(struct reading *r, struct bough_str text, struct bough_error *err)
{
    while (text.n) {
        const char *end = memchr(text.p, '\n', text.n);
        size_t n = end ? (size_t)(end - text.p) : text.n;

        r->line++;
        if (!told(r->format->line(r, str_make(text.p, n), err), err))
            return false;
        bough_arena_reset(r->a);
        n += end ? 1 : 0;
        text = str_make(text.p + n, text.n - n);
    }
    return true;
}

/* Feed the lines as database rows, {"row":"message",...}. An empty line ends a session. */
static bool by_rows(struct reading *r, struct bough_str text, struct bough_error *err)
{
    const struct format_rows *rows = r->format->rows;
    bool fine = true, any = false;

    while (text.n && fine) {
        const char *end = memchr(text.p, '\n', text.n), *name;
        size_t n = end ? (size_t)(end - text.p) : text.n;
        struct json row;

        if (json_parse(r->a, str_make(text.p, n), &row, NULL) == BOUGH_OK &&
            (name = json_cstr(r->a, row, "row")) != NULL) {
            fine = told(rows->row(r, name, row, err), err);
            any = true;
        } else if (any && rows->end) {
            fine = told(rows->end(r, err), err);
            r->state = NULL;
        }
        bough_arena_reset(r->a);
        n += end ? 1 : 0;
        text = str_make(text.p + n, text.n - n);
    }
    return fine && any && (!rows->end || told(rows->end(r, err), err));
}

static bool count_bytes(void *user, struct bough_str bytes)
{
    *(size_t *)user += bytes.n;
    return true;
}

static void write_all(struct bough_store *s, const char *session)
{
    for (size_t i = 0; all_formats[i]; i++) {
        size_t bytes = 0;
        struct bough_export_options how = { .format = all_formats[i]->name,
                                            .write = count_bytes,
                                            .user = &bytes };
        struct bough_error err = { 0 };

        if (all_formats[i]->writes)
            MUST(told(bough_export_session(s, session, &how, &err), &err));
    }
}

static void say(void *user, const struct bough_finding *f)
{
    (void)user;
    fprintf(stderr, "%s %s: %s\n", f->code, f->where, f->text);
}

/* Import the text as one format, twice. The second import must find what the first one stored. */
static void read_as(struct bough_store *s, const struct format *f, struct bough_str text,
                    bool as_rows)
{
    static const struct bough_import_file_options how;
    struct bough_arena *answers = bough_arena_create();
    struct bough_import_file_result out = { .session = "" };
    struct bough_error err = { 0 };
    struct placer p = {
        .how = &how, .path = "/f", .format = f, .known = "", .out = &out, .answers = answers
    };
    struct doc_bytes bytes = doc_text(&text);
    struct reading r = { .format = f, .name = "/f", .bytes = &bytes };
    bool fine;

    placer_init(&p, s);
    r.sink = (struct sink){ placer_take, &p };
    r.kept = p.a;
    r.a = bough_arena_create();
    if (as_rows)
        fine = by_rows(&r, text, &err);
    else
        fine = f->line ? by_lines(&r, text, &err) : told(f->document(&r, &err), &err);
    if (fine && f->end && !as_rows)
        fine = told(f->end(&r, &err), &err);
    if (fine)
        fine = told(placer_end(&p, &err), &err);
    for (size_t i = 0; i < out.nproblems; i++)
        MUST(out.problems[i].text[0]);
    if (fine && *out.session)
        write_all(s, out.session);
    if (f->drop && !as_rows)
        f->drop(&r);
    bough_arena_destroy(r.a);
    placer_finish(&p);
    bough_arena_destroy(answers);
}

static void try_format(const struct format *f, struct bough_str text, bool as_rows)
{
    int64_t clock = 1800000000000;
    struct bough_env env = { .now = now, .random = random_bytes, .user = &clock };
    struct bough_store_open_options options = { .env = &env };
    struct bough_store_fsck_result report;
    struct bough_error err = { 0 };
    struct bough_store *s;

    MUST(bough_store_open(&s, "memory:", &options, NULL) == BOUGH_OK);
    read_as(s, f, text, as_rows);
    read_as(s, f, text, as_rows);
    MUST(told(bough_store_fsck(s, BOUGH_FSCK_FULL, say, NULL, &report, &err), &err));
    MUST(report.errors == 0);
    bough_store_close(&s);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    struct bough_str text = str_make((const char *)data, n);

    format_detect(text);
    for (size_t i = 0; all_formats[i]; i++) {
        if (all_formats[i]->line || all_formats[i]->document)
            try_format(all_formats[i], text, false);
        if (all_formats[i]->rows)
            try_format(all_formats[i], text, true);
    }
    return 0;
}
