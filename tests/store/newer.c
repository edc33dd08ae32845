/* A store that a newer bough wrote: numbers that are not known here are read as other or refused,
 * and nothing is changed. */
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "store/fsck_world.h"

/* The entry #1.2 with a file and this part, and of this kind, as a newer bough would write it. */
static struct raw_row *newer_entry(struct test *t, int kind, int part_type, const char *json)
{
    struct edit ed = entry_of(t, 1, 2);
    struct bough_part parts[] = {
        { BOUGH_PART_FILE,
          str_of("{\"type\":\"file\",\"mime\":\"text/plain\",\"url\":\"file:///a\"}") },
        { (enum bough_part_type)part_type, str_of(json) },
    };

    ed.e.parts = arena_dup(t->arena, parts, sizeof parts);
    ed.e.nparts = 2;
    ed.e.kind = (enum bough_entry_kind)kind;
    ed.r->u.entry.kind = kind;
    ed.r->u.entry.mask = MASK_ROLE << BOUGH_ROLE_USER | MASK_PART << BOUGH_PART_FILE |
                         (int64_t)MASK_PART << part_type;
    entry_put(t, &ed);
    return row_of(t, RAW_ENTRY, 1, 2, 0);
}

static void check_untouched(struct test *t, const struct raw_row *was)
{
    const struct entry_row *a = &was->u.entry, *b = &row_of(t, RAW_ENTRY, 1, 2, 0)->u.entry;

    CHECK_INT(a->kind, b->kind);
    CHECK_INT(a->mask, b->mask);
    CHECK_INT(a->deleted, b->deleted);
    CHECK_INT(a->body.n, b->body.n);
    CHECK_MEM(a->body.p, b->body.p, a->body.n);
}

/* The session that owns #1.2, the newer entry in it. */
static enum bough_rc read_root(struct test *t, struct bough_entries_read_result *out)
{
    struct bough_entries_read_options how = { .at = "#1.2" };

    return bough_entries_read(t->store, t->arena, "#1", &how, out, &t->err);
}

STORE_TEST(a_part_type_of_a_newer_bough_is_read_as_other_and_left_alone)
{
    static const char json[] = "{\"type\":\"video\",\"url\":\"u\"}";
    struct bough_store_repair_result report;
    struct bough_entries_read_result got;
    struct raw_row *was;

    build_world(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    was = newer_entry(t, BOUGH_ENTRY_MESSAGE, BOUGH_PART_LAST + 1, json);
    CHECK_OK(bough_search_rebuild(t->store, &t->err)); /* it has other words now */
    CHECK_OK(read_root(t, &got));
    CHECK_INT(BOUGH_PART_OTHER, got.entries.at[1].parts[1].type);
    CHECK_SPAN(json, got.entries.at[1].parts[1].json);
    CHECK_STR("", look(t, BOUGH_FSCK_DEEP, true).errors);
    was->u.entry.deleted = -1; /* so that repair looks at it */
    put(t, was);
    CHECK_OK(bough_store_repair(t->store, BOUGH_FSCK_DEEP, NULL, NULL, NULL, &report, &t->err));
    CHECK_INT(0, report.quarantined);
    check_untouched(t, was);
    t->damaged = true;
}

STORE_TEST(an_entry_kind_of_a_newer_bough_is_refused_and_left_alone)
{
    struct bough_store_repair_result report;
    struct bough_entries_read_result got;
    struct raw_row *was;

    build_world(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    was = newer_entry(t, BOUGH_ENTRY_LAST + 1, BOUGH_PART_TEXT,
                      "{\"type\":\"text\",\"text\":\"two\"}");
    CHECK_RC(BOUGH_VERSION, read_root(t, &got));
    CHECK(strstr(t->err.msg, "newer bough") != NULL);
    CHECK(strstr(look(t, BOUGH_FSCK_DEEP, false).errors, "I-04") != NULL);
    CHECK_OK(bough_store_repair(t->store, BOUGH_FSCK_DEEP, NULL, NULL, NULL, &report, &t->err));
    CHECK_INT(0, report.quarantined);
    check_untouched(t, was);
    user(t, "#2", "another session goes on");
    t->damaged = true;
}

STORE_TEST(a_part_that_was_stored_as_other_before_its_word_was_known_is_left_alone)
{
    struct bough_store_repair_result report;
    struct raw_row *was;

    build_world(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    was = newer_entry(t, BOUGH_ENTRY_MESSAGE, BOUGH_PART_OTHER, "{\"type\":\"file\",\"old\":1}");
    CHECK_OK(bough_search_rebuild(t->store, &t->err)); /* it has other words now */
    CHECK_STR("", look(t, BOUGH_FSCK_DEEP, true).errors);
    was->u.entry.deleted = -1; /* so that repair looks at it */
    put(t, was);
    CHECK_OK(bough_store_repair(t->store, BOUGH_FSCK_DEEP, NULL, NULL, NULL, &report, &t->err));
    CHECK_INT(0, report.quarantined);
    was->u.entry.deleted = 0; /* all that was wrong with it */
    check_untouched(t, was);
    t->damaged = true;
}

/* A deep check puts moved base64 back into the parts and looks at them once more. */
STORE_TEST(a_deep_check_accepts_what_was_stored_as_other_beside_an_attachment)
{
    struct bough_part *parts;
    struct squeezed tail;
    struct bough_head at;
    struct edit ed;

    build_world(t);
    at = get(t, "#5")->head;
    ed = entry_of(t, at.branch, at.depth);
    CHECK_INT(1, ed.x.nmoved);
    parts = arena_alloc(t->arena, (ed.e.nparts + 1) * sizeof *parts);
    memcpy(parts, ed.e.parts, ed.e.nparts * sizeof *parts);
    parts[ed.e.nparts++] =
        (struct bough_part){ BOUGH_PART_OTHER, str_of("{\"type\":\"file\",\"old\":1}") };
    ed.e.parts = parts;
    pack_tail_moved(t->arena, &ed.e, ed.x.moved, ed.x.nmoved, 0, &tail);
    ed.r->u.entry.body = pack_entry(t->arena, &ed.e, &ed.x, &tail);
    pack_entry_patch((char *)(uintptr_t)ed.r->u.entry.body.p, ed.e.no, 0);
    ed.r->u.entry.mask |= (int64_t)MASK_PART << BOUGH_PART_OTHER;
    put(t, ed.r);
    CHECK_STR("", look(t, BOUGH_FSCK_DEEP, true).errors);
}
