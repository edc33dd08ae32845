/* Rules of pi's files, one per test: escaping, new ids, the order of labels and names. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "corpus.h"

#define HEADER                                                                                     \
    "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-11-15T20:00:00.000Z\"," \
    "\"cwd\":\"/p\"}\n"
#define STAMP "\"timestamp\":\"2026-11-15T20:00:01.000Z\""
#define SAID(id, parent, text)                                                                     \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent "," STAMP                       \
    ",\"message\":{\"role\":\"user\",\"content\":\"" text "\"}}\n"
#define LABEL(id, parent, target, text)                                                            \
    "{\"type\":\"label\",\"id\":\"" id "\",\"parentId\":\"" parent "\"," STAMP                     \
    ",\"targetId\":\"" target "\",\"label\":" text "}\n"
#define NAME(id, parent, text)                                                                     \
    "{\"type\":\"session_info\",\"id\":\"" id "\",\"parentId\":\"" parent "\"," STAMP              \
    ",\"name\":\"" text "\"}\n"

static struct bough_import_file_result import_lines(struct test *t, const char *text)
{
    return import_file(t, file_make(t, "s.jsonl", text, strlen(text)));
}

STORE_TEST(line_separators_are_escaped_in_files_for_pi)
{
    struct bough_import_file_result in =
        import_lines(t, HEADER SAID("a", "null", "x\xe2\x80\xa8y\xe2\x80\xa9z"));
    struct bough_str out = export_text(t, in.session, "pi");

    CHECK(strstr(out.p, "x\\u2028y\\u2029z"));
    CHECK(!memmem(out.p, out.n, "\xe2\x80\xa8", 3) && !memmem(out.p, out.n, "\xe2\x80\xa9", 3));
    CHECK_INT(0, import_file(t, file_make(t, "out.jsonl", out.p, out.n)).added); /* same content */
}

/* Entries without a pi id get 8 hexadecimal digits, the same in every export. */
STORE_TEST(entries_without_an_id_of_pi_get_8_hexadecimal_digits_that_stay)
{
    const char *s = new_session(t, "A name"), *at;
    struct bough_str out, again;
    int n = 0;

    user(t, s, "one");
    agent(t, s, "two");
    out = export_text(t, s, "pi");
    again = export_text(t, s, "pi");
    CHECK_STR(out.p, again.p);
    for (at = out.p; (at = strstr(at, "\"type\":\"message\",\"id\":\"")) != NULL; n++) {
        at += strlen("\"type\":\"message\",\"id\":\"");
        CHECK_INT(8, strspn(at, "0123456789abcdef"));
        CHECK_INT('"', at[8]);
    }
    CHECK_INT(2, n);
}

/* Labels and names are entries. The last one in the file counts, whatever its parent is. */
STORE_TEST(labels_and_names_of_pi_count_in_the_order_of_the_file)
{
    struct bough_labels labels;
    const char *text;

    import_lines(t, HEADER SAID("a", "null", "1") SAID("b", "\"a\"", "2") NAME("n1", "b", "First")
                        LABEL("l1", "n1", "a", "\"one\"") LABEL("l2", "l1", "b", "\"gone\"")
                            LABEL("l3", "a", "a", "\"two\"") NAME("n2", "a", "Second")
                                LABEL("l4", "n2", "b", "\"\"")
                                    LABEL("l5", "l4", "l1", "\"of a label\""));
    CHECK_STR("Second", get(t, "s")->title);
    CHECK_OK(bough_label_get(t->store, t->arena, "s", "a", &text, &t->err));
    CHECK_STR("two", text);
    CHECK_OK(bough_label_get(t->store, t->arena, "s", "b", &text, &t->err));
    CHECK_STR("", text ? text : "");
    CHECK_OK(bough_label_get(t->store, t->arena, "s", "l1", &text, &t->err));
    CHECK_STR("of a label", text);
    CHECK_OK(bough_label_list(t->store, t->arena, "s", &labels, &t->err));
    CHECK_INT(2, labels.n);
}

/* The last line is the leaf, whatever was the head before. Several roots are several trees. */
STORE_TEST(the_last_line_of_pi_is_where_the_session_was_left)
{
    struct bough_entry *e;
    struct bough_head at;

    import_lines(t, HEADER SAID("a", "null", "1") SAID("b", "\"a\"", "2") SAID("r", "null", "root")
                        SAID("c", "\"a\"", "3"));
    CHECK_OK(bough_head_get(t->store, t->arena, "s", &at, &e, &t->err));
    CHECK_STR("c", e->origin);
    CHECK_INT(2, at.depth);
    CHECK_OK(bough_entry_get(t->store, t->arena, "s", "r", &e, &t->err));
    CHECK_INT(1, e->at.depth);
}
