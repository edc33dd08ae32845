/* fsck of attachments: for each rule a row that breaks only that rule. */
#include "base/hash/crc32c.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "store/fsck_world.h"

/* The world's attachments: a plain file and an image of two chunks, both in AGENT's last entry. */
enum { PLAIN = 1, IMAGE = 2 };

static struct raw_row *link_of(struct test *t, int64_t bno)
{
    for (int64_t bid = 1; bid < 20; bid++)
        for (int64_t depth = 1; depth < 10; depth++) {
            struct raw_row want = { .table = RAW_LINK, .u.link = { bid, depth, bno } };
            struct raw_row *got = row_like(t, &want);

            if (got)
                return got;
        }
    FAIL("nobody links %lld", (long long)bno);
}

static const char *where_of(struct test *t)
{
    struct raw_row *r = link_of(t, IMAGE);

    return arena_printf(t->arena, "#%lld.%lld", (long long)r->u.link.bid,
                        (long long)r->u.link.depth);
}

BREAKS(I_46_sees_flipped_bytes_of_a_piece)
{
    struct raw_row *r = row_of(t, RAW_CHUNK, IMAGE, 1, 0);

    ((char *)(uintptr_t)r->u.chunk.body.p)[77] ^= 1;
    put(t, r);
    expect(t, "I-46", "", "attachment 2");
}

BREAKS(I_46_sees_pieces_that_are_missing)
{
    drop(t, row_of(t, RAW_CHUNK, IMAGE, 0, 0));
    expect(t, "I-46", "", "attachment 2");
    drop(t, row_of(t, RAW_CHUNK, IMAGE, 1, 0));
    expect(t, "I-46", "", "attachment 2");
}

BREAKS(I_46_deep_sees_bytes_that_are_not_those_of_the_name)
{
    struct raw_row *r = row_of(t, RAW_CHUNK, PLAIN, 0, 0);
    struct seen s;

    ((char *)(uintptr_t)r->u.chunk.body.p)[0] ^= 1;
    r->u.chunk.sum = crc32c(0, r->u.chunk.body.p, r->u.chunk.body.n);
    put(t, r);
    s = look(t, BOUGH_FSCK_FULL, true);
    CHECK_STR("", s.errors); /* its checksum is right */
    s = look(t, BOUGH_FSCK_DEEP, false);
    CHECK_STR("I-46", s.errors);
    CHECK_STR("attachment 1", s.where);
    put_back(t);
    s = look(t, BOUGH_FSCK_DEEP, true);
    CHECK_STR("", s.errors);
}

BREAKS(I_05_sees_pieces_of_nothing)
{
    struct raw_row *r = row_of(t, RAW_CHUNK, PLAIN, 0, 0);

    r->u.chunk.bno = 9;
    put(t, r);
    expect(t, "I-05", "", "attachment 9");
}

BREAKS(I_04_sees_attachments_out_of_range)
{
    struct raw_row *r = row_of(t, RAW_BLOB, PLAIN, 0, 0);

    r->u.blob.since = -1;
    put(t, r);
    expect(t, "I-04", "", "attachment 1");
    r->u.blob.since = 1;
    r->u.blob.state = 7;
    put(t, r);
    expect(t, "I-04", "", "attachment 1");
}

BREAKS(I_47_sees_what_is_shown_but_not_linked)
{
    const char *where = where_of(t);

    drop(t, link_of(t, IMAGE));
    expect(t, "I-47", "", where);
}

BREAKS(I_47_sees_what_is_linked_but_not_shown)
{
    struct raw_row *r = link_of(t, IMAGE);

    r->u.link = (struct link_row){ 1, 2, IMAGE };
    put(t, r);
    expect(t, "I-47", "", "#1.2");
    r->u.link = (struct link_row){ 1, 2, 99 };
    put(t, r);
    expect(t, "I-47", "", "#1.2");
}

BREAKS(I_47_sees_attachments_that_are_gone_or_not_whole)
{
    const char *where = where_of(t);
    struct raw_row *r = row_of(t, RAW_BLOB, PLAIN, 0, 0);

    r->u.blob.state = BLOB_WRITING;
    put(t, r);
    expect(t, "I-47", "", where);
}

BREAKS(I_47_sees_what_no_sweep_would_find)
{
    struct raw_row *r = row_of(t, RAW_BLOB, PLAIN, 0, 0);

    r->u.blob.bno = 9;
    r->u.blob.size = 0;
    r->u.blob.state = BLOB_LINKED;
    r->u.blob.hash[0] ^= 1;
    put(t, r);
    expect(t, "I-47", "", "attachment 9");
}

STORE_TEST(a_damaged_attachment_is_corrupt_and_everything_else_is_read)
{
    struct bough_attachments list;
    struct raw_row *r;
    struct bough_entries_read_result path;
    const char *where;

    build_world(t);
    where = where_of(t);
    r = row_of(t, RAW_CHUNK, IMAGE, 1, 0);
    ((char *)(uintptr_t)r->u.chunk.body.p)[3] ^= 1;
    put(t, r);
    CHECK_RC(BOUGH_CORRUPT, bough_entries_read(t->store, t->arena, "#5", NULL, &path, &t->err));
    CHECK_OK(bough_entries_read(t->store, t->arena, "#1", NULL, &path, &t->err));
    CHECK_OK(bough_attachment_list(t->store, t->arena, "#5", where, &list, &t->err));
    CHECK_INT(2, list.n);
    put_back(t);
    CHECK_OK(bough_entries_read(t->store, t->arena, "#5", NULL, &path, &t->err));
}
