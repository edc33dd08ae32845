/* Documents read element by element: strict, in bounded memory, wherever the pieces end. */
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "corpus.h"
#include "formats/doc/doc.h"

enum { PIECE = 256 * 1024 }; /* the size of one read */

/* All events of a text as words: "e" an element, "m" a member, "l" too large an element; then "."
 * or why the document is broken. */
static const char *events(struct test *t, struct bough_str text, size_t *room)
{
    struct doc_bytes bytes = doc_text(&text);
    struct reading r = { .bytes = &bytes };
    struct doc_event ev = { .kind = DOC_ELEMENT };
    const char *out;
    struct doc d;
    struct buf b;

    buf_init(&b, 1 << 20);
    doc_init(&d, &r, "messages", &t->err);
    while (ev.kind != DOC_DONE && ev.kind != DOC_BROKEN) {
        CHECK_OK(doc_next(&d, &ev));
        if (ev.kind == DOC_ELEMENT)
            buf_printf(&b, "e%.*s@%lld ", (int)ev.raw.n, ev.raw.p, (long long)ev.line);
        if (ev.kind == DOC_MEMBER)
            buf_printf(&b, "m%.*s=%.*s ", (int)ev.key.n, ev.key.p, (int)ev.raw.n, ev.raw.p);
        if (ev.kind == DOC_LARGE)
            buf_puts(&b, "l ");
    }
    buf_puts(&b, ev.kind == DOC_DONE ? "." : d.why);
    if (room)
        *room = d.cap;
    out = arena_strdup(t->arena, b.p);
    buf_finish(&b);
    doc_finish(&d);
    return out;
}

TEST(a_document_is_the_same_wherever_its_pieces_end)
{
    static const char text[] = "{\"a\" : {\"b\":[1,\"]}\\\"\"]},\"messages\" :[ {\"x\":\"\\\\\"},\n"
                               "[1,{}], \"s\\\"]\" ,true,-1.5e3\n],\n\"n\":null , \"z\":[]}\n";
    static const char want[] = "m\"a\"={\"b\":[1,\"]}\\\"\"]} e{\"x\":\"\\\\\"}@1 e[1,{}]@2 "
                               "e\"s\\\"]\"@2 etrue@2 e-1.5e3@2 m\"n\"=null m\"z\"=[] .";
    char *all = arena_alloc(t->arena, PIECE + sizeof text);

    CHECK_STR(want, events(t, str_of(text), NULL));
    for (size_t before = 0; before < sizeof text; before++) { /* bytes in the first piece */
        memset(all, ' ', PIECE);
        memcpy(all + PIECE - before, text, sizeof text);
        CHECK_STR(want, events(t, str_make(all, PIECE - before + sizeof text - 1), NULL));
    }
}

TEST(an_error_in_a_document_is_reported_with_its_byte)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "", "it ends at byte 0" },
        { "\xef\xbb\xbf", "it ends at byte 3" },
        { "x", "a list or an object is expected at byte 0" },
        { "\xef\xbb\xbf []", "." },
        { "[]x", "something stands behind its end at byte 2" },
        { "{}{}", "something stands behind its end at byte 2" },
        { "[,{}]", "a value is expected at byte 1" },
        { "[{},]", "e{}@1 a value is expected at byte 4" },
        { "[{},,{}]", "e{}@1 a value is expected at byte 4" },
        { "[{} {}]", "e{}@1 `,` or `]` is expected at byte 4" },
        { "[{}", "e{}@1 it ends at byte 3" },
        { "[{},", "e{}@1 it ends at byte 4" },
        { "[{},{\"a\":[1]", "e{}@1 it ends at byte 12" },
        { "[{},\"a\\", "e{}@1 it ends at byte 7" },
        { "[1", "it ends at byte 2" },
        { "[{}}]", "e{}@1 `,` or `]` is expected at byte 3" },
        { "{\"a\":1", "it ends at byte 6" },
        { "{\"a\":1 \"b\":2}", "m\"a\"=1 `,` or `}` is expected at byte 7" },
        { "{\"a\" 1}", "`:` is expected at byte 5" },
        { "{a:1}", "a name is expected at byte 1" },
        { "{\"a\":1,}", "m\"a\"=1 a name is expected at byte 7" },
        { "{\"messages\":[{}],", "e{}@1 it ends at byte 17" },
        { "{\"m\\u0065ssages\":[{}]}", "e{}@1 ." },
        { "{\"messages\":1,\"messages\":[2],\"messages\":[3]}",
          "m\"messages\"=1 e2@1 m\"messages\"=[3] ." },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_STR(cases[i].want, events(t, str_of(cases[i].text), NULL));
}

/* Three elements; the second is larger than a message may be. */
static enum bough_rc read_large(void *user, int64_t at, char *to, size_t n, size_t *got,
                                struct bough_error *err)
{
    static const char begin[] = "[{\"a\":1},{\"b\":\"", end[] = "\"},{\"c\":2}]";
    int64_t many = *(int64_t *)user, length = (int64_t)(sizeof begin + sizeof end) - 2 + many;
    size_t i = 0;

    (void)err;
    for (; i < n && at + (int64_t)i < length; i++) {
        int64_t place = at + (int64_t)i, last = place - many - ((int64_t)sizeof begin - 1);

        to[i] = place < (int64_t)sizeof begin - 1 ? begin[place] : last >= 0 ? end[last] : 'x';
    }
    *got = i;
    return BOUGH_OK;
}

TEST(an_element_that_is_too_large_is_passed_over_and_takes_no_room)
{
    int64_t many = LIMIT_MESSAGE_BYTES + 5000000;
    struct doc_bytes bytes = { read_large, &many };
    struct reading r = { .bytes = &bytes };
    struct doc_event ev;
    struct doc d;

    doc_init(&d, &r, "messages", &t->err);
    CHECK_OK(doc_next(&d, &ev));
    CHECK_SPAN("{\"a\":1}", ev.raw);
    CHECK_OK(doc_next(&d, &ev));
    CHECK_INT(DOC_LARGE, ev.kind);
    CHECK_INT(9, ev.byte);
    CHECK_OK(doc_next(&d, &ev));
    CHECK_SPAN("{\"c\":2}", ev.raw);
    CHECK_OK(doc_next(&d, &ev));
    CHECK_INT(DOC_DONE, ev.kind);
    CHECK(d.cap <= 4 * PIECE);
    CHECK_OK(doc_at(&d, 1, &ev)); /* seek back */
    CHECK_SPAN("{\"a\":1}", ev.raw);
    doc_finish(&d);
}

/* A document: `before`, `many` spaces, `behind`. */
struct spaces {
    const char *before, *behind;
    int64_t many;
};

static enum bough_rc read_spaces(void *user, int64_t at, char *to, size_t n, size_t *got,
                                 struct bough_error *err)
{
    const struct spaces *s = user;
    int64_t first = (int64_t)strlen(s->before), last = first + s->many;
    size_t i = 0;

    (void)err;
    for (; i < n && at < last + (int64_t)strlen(s->behind); i++, at++)
        to[i] = at < first ? s->before[at] : at < last ? ' ' : s->behind[at - last];
    *got = i;
    return BOUGH_OK;
}

TEST(spaces_in_a_document_take_no_room)
{
    struct spaces cases[] = { { "[1,", "2]", 3000000 },
                              { "[1", ",2]", 3000000 },
                              { "", "[1,2]", 3000000 },
                              { "[1,2]", "", 3000000 },
                              { "{\"messages\":[1,2],", "\"a\":1}", 3000000 } };
    struct spaces name = { "{\"messages\"", ":[1,2]}", LIMIT_MESSAGE_BYTES + 1000 };
    struct doc_bytes bytes = { read_spaces, NULL };
    struct reading r = { .bytes = &bytes };
    struct doc_event ev;
    struct doc d;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int n = 0;

        bytes.user = &cases[i];
        doc_init(&d, &r, "messages", &t->err);
        do {
            CHECK_OK(doc_next(&d, &ev));
            n += ev.kind == DOC_ELEMENT;
        } while (ev.kind == DOC_ELEMENT || ev.kind == DOC_MEMBER);
        CHECK_INT(DOC_DONE, ev.kind);
        CHECK_INT(2, n);
        CHECK(d.cap <= 2 * PIECE);
        doc_finish(&d);
    }
    bytes.user = &name; /* a name is buffered, up to a limit */
    doc_init(&d, &r, "messages", &t->err);
    CHECK_OK(doc_next(&d, &ev));
    CHECK_INT(DOC_BROKEN, ev.kind);
    doc_finish(&d);
}

TEST(a_document_of_any_size_takes_the_room_of_one_element)
{
    struct buf b;
    size_t room;

    buf_init(&b, 64 << 20);
    buf_putc(&b, '[');
    for (int i = 0; i < 100000; i++)
        buf_printf(&b, "%s{\"role\":\"user\",\"content\":\"number %d\",\"x\":[[[[%d]]]]}",
                   i ? "," : "", i, i);
    buf_putc(&b, ']');
    CHECK(b.n > 4 * PIECE);
    CHECK(strlen(events(t, buf_str(&b), &room)) > 100);
    CHECK(room <= 2 * PIECE);
    buf_finish(&b);
}

/* ---- importing documents ---- */

static struct bough_import_file_result import_text(struct test *t, const char *name,
                                                   struct bough_str text)
{
    return import_file(t, file_make(t, name, text.p, text.n));
}

STORE_TEST(a_message_that_is_no_json_is_told_with_its_byte_and_the_others_are_imported)
{
    struct bough_import_file_result in = import_text(
        t, "m.json",
        str_of("[{\"role\":\"user\",\"content\":\"a\"},\n {\"role\":\"user\",\"content\":"
               "\"\x01\"},5,\n{\"role\":\"assistant\",\"content\":\"b\"}]"));

    CHECK_STR("openai-chat", in.format);
    CHECK_INT(2, in.added);
    CHECK_INT(2, in.nproblems);
    CHECK_INT(2, in.problems[0].line);
    CHECK(strstr(in.problems[0].text, "not JSON") && strstr(in.problems[0].text, "(at byte 33)"));
    CHECK_STR("a message that is no object was left out (at byte 63)", in.problems[1].text);
}

STORE_TEST(members_after_the_list_are_kept_or_reported)
{
    struct bough_import_file_result in = import_text(
        t, "m.json",
        str_of(
            "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"title\":\"T\","
            "\n\"messages\":7,\"bad\":tru,\"n\":1.50}"));
    struct bough_session *s;

    CHECK_INT(1, in.added);
    CHECK_INT(2, in.nproblems);
    CHECK_INT(2, in.problems[0].line);
    CHECK(strstr(in.problems[1].text, "is not JSON"));
    CHECK_OK(bough_session_get(t->store, t->arena, in.session, &s, &t->err));
    CHECK_STR("T", s->title);
    CHECK_SPAN("{\"bough.rest\":{\"model\":\"m\",\"title\":\"T\",\"n\":1.50}}", s->data);
}

STORE_TEST(a_list_that_ends_in_the_middle_gives_what_was_whole_and_says_where)
{
    struct bough_import_file_result in = import_text(
        t, "m.json",
        str_of("{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},\n{\"role\":\"us"));

    CHECK_INT(1, in.added);
    CHECK_INT(1, in.nproblems);
    CHECK_INT(2, in.problems[0].line);
    CHECK_STR("the rest is not whole: it ends at byte 55", in.problems[0].text);
}

/* opencode's messages are sorted by time, also across pieces and with equal times. */
STORE_TEST(messages_of_opencode_in_any_order_are_read_from_where_they_stand)
{
    enum { N = 3000 };
    struct bough_import_file_result in;
    struct bough_entries_read_options all = { 0 };
    struct bough_entries_read_result path;
    struct buf b;

    buf_init(&b, 64 << 20);
    buf_puts(&b, "{\"messages\":[");
    for (int i = 0; i < N; i++) {
        int at = i * 7 % N; /* each once, far from its sorted position */

        buf_printf(
            &b,
            "%s{\"info\":{\"id\":\"msg_%d\",\"sessionID\":\"ses_1\",\"role\":\"user\",\"time\":{"
            "\"created\":%d}},\"parts\":[{\"type\":\"text\",\"text\":\"%0300d\"}]}\n",
            i ? "," : "", at, 1794772800 + at / 2, at);
    }
    buf_puts(&b, "],\"info\":{\"id\":\"ses_1\",\"title\":\"last\"}}");
    in = import_text(t, "o.json", buf_str(&b));
    CHECK_STR("opencode", in.format);
    CHECK_INT(N, in.added);
    CHECK_INT(0, in.nproblems);
    CHECK_OK(bough_entries_read(t->store, t->arena, "ses_1", &all, &path, &t->err));
    CHECK_INT(N, path.entries.n);
    for (int i = 0; i + 1 < N; i++)
        CHECK(path.entries.at[i].time <= path.entries.at[i + 1].time);
    CHECK_INT(0, import_text(t, "again.json", buf_str(&b)).added);
    buf_finish(&b);
}
