/* Bytes of a newer bough: numbers that are not known here are told from damage. */
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/pack/pack.h"
#include "core/part/part.h"
#include "lib/test.h"

static struct bough_str packed(struct test *t, const struct bough_entry *e,
                               const struct squeezed *tail)
{
    const struct pack_extra x = { .made = 1000, .chk = 7 };

    return pack_entry(t->arena, e, &x, tail);
}

static struct bough_str pack(struct test *t, const struct bough_entry *e)
{
    struct squeezed tail;

    pack_tail(t->arena, e, 0, &tail);
    return packed(t, e, &tail);
}

static enum bough_rc read_rc(struct test *t, struct bough_str body)
{
    struct bough_entry e;
    struct pack_extra x;

    return pack_entry_read(t->arena, body, &e, &x, &t->err);
}

TEST(a_part_of_an_unknown_type_is_read_as_other_with_its_bytes)
{
    static const char json[] = "{\"type\":\"video\",\"url\":\"u\"}";
    struct bough_part parts[] = {
        { BOUGH_PART_TEXT, str_of("{\"type\":\"text\",\"text\":\"a\"}") },
        { (enum bough_part_type)(BOUGH_PART_LAST + 1), str_of(json) },
        { (enum bough_part_type)255, str_of(json) },
    };
    struct bough_entry e = { .role = BOUGH_ROLE_USER, .parts = parts, .nparts = 3 }, got;
    struct pack_pieces pieces;
    struct pack_extra x;

    CHECK_OK(pack_entry_read(t->arena, pack(t, &e), &got, &x, &t->err));
    CHECK(x.newer);
    CHECK_INT(BOUGH_PART_TEXT, got.parts[0].type);
    CHECK_INT(BOUGH_PART_OTHER, got.parts[1].type);
    CHECK_STR(json, got.parts[1].json.p);
    CHECK_INT(BOUGH_PART_OTHER, got.parts[2].type);
    CHECK(pack_split(t->arena, pack(t, &e), &pieces));
    CHECK_STR("text,,", pieces.types.p);
    e.nparts = 1;
    CHECK_OK(pack_entry_read(t->arena, pack(t, &e), &got, &x, &t->err));
    CHECK(!x.newer);
}

TEST(an_entry_of_an_unknown_kind_or_role_needs_a_newer_bough)
{
    struct bough_entry e = { .kind = (enum bough_entry_kind)(BOUGH_ENTRY_LAST + 1) };
    struct pack_head h;

    CHECK_RC(BOUGH_VERSION, read_rc(t, pack(t, &e)));
    CHECK(strstr(t->err.msg, "newer") != NULL);
    CHECK(pack_entry_head(pack(t, &e), &h));
    CHECK_INT(BOUGH_ENTRY_LAST + 1, h.kind);
    e = (struct bough_entry){ .role = (enum bough_role)(BOUGH_ROLE_LAST + 1) };
    CHECK_RC(BOUGH_VERSION, read_rc(t, pack(t, &e)));
    e = (struct bough_entry){ .kind = (enum bough_entry_kind)32 }; /* no kind has such a number */
    CHECK_RC(BOUGH_CORRUPT, read_rc(t, pack(t, &e)));
}

TEST(an_entry_with_an_unknown_field_needs_a_newer_bough)
{
    struct bough_entry e = { .role = BOUGH_ROLE_USER };
    struct squeezed tail = { str_make("\x80\x08\x00", 3), 3, false }; /* field 1024, no parts */
    struct bough_str body = packed(t, &e, &tail);

    CHECK_RC(BOUGH_VERSION, read_rc(t, body));
    ((char *)(uintptr_t)body.p)[body.n - 1] ^= 1; /* the sum does not hold: damage, not newer */
    CHECK_RC(BOUGH_CORRUPT, read_rc(t, body));
}

TEST(a_part_stored_as_other_stays_right_when_its_word_is_known_later)
{
    struct bough_part part = { BOUGH_PART_OTHER, str_of("{\"type\":\"text\",\"text\":\"a\"}") };

    CHECK_OK(part_stored_check(&part, &t->err));
    part.json = str_of("{\"type\":\"file\"}"); /* the row of today demands more */
    CHECK_OK(part_stored_check(&part, &t->err));
    part.type = BOUGH_PART_FILE;
    CHECK_RC(BOUGH_INVALID_PART, part_stored_check(&part, &t->err));
    part.json = str_of("{\"type\":\"text\",\"text\":\"a\"}"); /* a word keeps its type */
    CHECK_RC(BOUGH_INVALID_PART, part_stored_check(&part, &t->err));
    part = (struct bough_part){ BOUGH_PART_OTHER, str_of("{\"word\":1}") };
    CHECK_RC(BOUGH_INVALID_PART, part_stored_check(&part, &t->err));
}
