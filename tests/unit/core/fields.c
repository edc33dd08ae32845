/* Finding members of an object without building a tree. */
#include "core/part/fields.h"

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "lib/test.h"

TEST(fields_are_found_without_a_tree)
{
    struct fields f;

    CHECK_OK(fields_read(&f, str_of(" {\"a\" : 1, \"b\":{\"a\":2}, \"c\":[ ], \"d\":\"x\\n\"} "),
                         &t->err));
    CHECK_INT(4, f.n);
    CHECK_SPAN("1", fields_get(&f, "a")->raw);
    CHECK_SPAN("{\"a\":2}", fields_raw(&f, "b", JSON_OBJECT));
    CHECK_SPAN("[ ]", fields_raw(&f, "c", JSON_ARRAY));
    CHECK_SPAN("", fields_raw(&f, "c", JSON_OBJECT));
    CHECK(fields_get(&f, "e") == NULL);
}

TEST(the_last_of_duplicate_fields_counts_and_escaped_names_are_found)
{
    struct fields f;

    CHECK_OK(fields_read(&f, str_of("{\"a\":1,\"\\u0061\":2}"), &t->err));
    CHECK_SPAN("2", fields_get(&f, "a")->raw);
}

TEST(more_fields_than_are_kept_are_found_too)
{
    struct fields f;
    struct buf b;
    int i;

    buf_init(&b, 10000);
    buf_puts(&b, "{\"last\":0");
    for (i = 0; i < 100; i++)
        buf_printf(&b, ",\"k%d\":%d", i, i);
    buf_puts(&b, ",\"last\":\"yes\"}");
    CHECK_OK(fields_read(&f, buf_str(&b), &t->err));
    CHECK_SPAN("\"yes\"", fields_raw(&f, "last", JSON_STRING));
    CHECK_SPAN("99", fields_get(&f, "k99")->raw);
    CHECK(fields_get(&f, "k100") == NULL);
    buf_finish(&b);
}

TEST(as_many_fields_are_kept_as_there_is_room_for)
{
    struct fields f;
    struct buf b;

    for (int over = 0; over < 2; over++) {
        buf_init(&b, 10000);
        for (int i = 0; i < FIELDS_KEPT + over; i++)
            buf_printf(&b, "%s\"k%d\":%d", i ? "," : "{", i, i);
        buf_puts(&b, "}");
        CHECK_OK(fields_read(&f, buf_str(&b), &t->err));
        CHECK_INT(FIELDS_KEPT, f.n);
        CHECK_INT(over, f.more);
        CHECK_SPAN(over ? "24" : "23", fields_get(&f, over ? "k24" : "k23")->raw);
        buf_finish(&b);
    }
}

TEST(a_value_that_is_not_an_object_has_no_fields)
{
    struct fields f;

    CHECK_RC(BOUGH_INVALID, fields_read(&f, str_of("[1]"), &t->err));
    CHECK_RC(BOUGH_INVALID, fields_read(&f, str_of("{\"a\":1}x"), &t->err));
    CHECK_RC(BOUGH_INVALID, fields_read(&f, str_of("{\"a\":}"), &t->err));
    CHECK_RC(BOUGH_INVALID, fields_read(&f, str_of(""), &t->err));
}
