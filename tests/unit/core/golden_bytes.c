/*
 * Stored bytes: one line of golden_bytes.txt for everything that is packed, written down when the
 * format was made. What is packed today must be the same bytes, and the bytes written down must be
 * read as what they were.
 *
 * A line is never changed: stores with such bytes exist. What is new gets a new line; the failing
 * test prints it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash/crc32c.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/pack/bodies.h"
#include "core/pack/pack.h"
#include "core/part/draft.h"
#include "lib/test.h"
#include "store/contract/id.h"
#include "store/contract/rows.h"

#define GOLDEN "tests/unit/core/golden_bytes.txt"

struct golden {
    struct test *t;
    char *text; /* of the file */
};

static struct golden golden_open(struct test *t)
{
    enum { MOST = 1 << 20 };
    struct golden g = { .t = t, .text = arena_zalloc(t->arena, MOST) };
    FILE *f = fopen(GOLDEN, "r");

    if (!f)
        SKIP("run from the top of the source tree");
    CHECK(fread(g.text, 1, MOST - 1, f) > 0);
    fclose(f);
    return g;
}

static const char *hex_of(struct test *t, struct bough_str bytes)
{
    char *out = arena_alloc(t->arena, 2 * bytes.n + 1);

    for (size_t i = 0; i < bytes.n; i++)
        snprintf(out + 2 * i, 3, "%02x", (unsigned char)bytes.p[i]);
    return out;
}

/* What is written down under a name, or NULL. */
static const char *written(struct golden *g, const char *name)
{
    const char *key = arena_printf(g->t->arena, "\n%s = ", name), *at = strstr(g->text, key);

    at = at ? at + strlen(key) : NULL;
    return at ? arena_strndup(g->t->arena, at, strcspn(at, "\n")) : NULL;
}

static void same_text(struct golden *g, const char *name, const char *got)
{
    const char *want = written(g, name);

    if (!want)
        FAIL("a new line for " GOLDEN ":\n%s = %s", name, got);
    if (strcmp(want, got) != 0)
        FAIL("%s is no longer stored as it always was\nwant %s\n got %s", name, want, got);
}

static void same(struct golden *g, const char *name, struct bough_str bytes)
{
    same_text(g, name, hex_of(g->t, bytes));
}

/* The bytes as they are written down. */
static struct bough_str bytes_of(struct golden *g, const char *name)
{
    const char *hex = written(g, name);
    size_t n = hex ? strlen(hex) / 2 : 0;
    char *out = arena_alloc(g->t->arena, n + 1);

    CHECK(hex != NULL);
    for (size_t i = 0; i < n; i++) {
        unsigned byte;

        CHECK(sscanf(hex + 2 * i, "%2x", &byte) == 1);
        out[i] = (char)byte;
    }
    return str_make(out, n);
}

/* ---- entries ---- */

#define MADE INT64_C(1794772800000)

static const struct pack_extra extra = { .made = MADE, .chk = 0xbeef };

static struct bough_entry entry(enum bough_entry_kind kind, enum bough_role role)
{
    return (struct bough_entry){ .at.depth = 3,
                                 .kind = kind,
                                 .kind_name = kind == BOUGH_ENTRY_OTHER ? "hologram" : "",
                                 .role = role,
                                 .mno = 2,
                                 .time = MADE + 7,
                                 .finish = "",
                                 .origin = "" };
}

static struct bough_str packed(struct test *t, const struct bough_entry *e,
                               const struct pack_extra *x)
{
    struct squeezed tail;
    struct bough_str out;

    pack_tail_moved(t->arena, e, x->moved, x->nmoved, 0, &tail);
    out = pack_entry(t->arena, e, x, &tail);
    pack_entry_patch((char *)(uintptr_t)out.p, 0x123456, 0);
    return out;
}

/* Packed and compared, then read back from what is written down. */
static struct bough_entry round_entry(struct golden *g, const char *name,
                                      const struct bough_entry *e, struct pack_extra *x)
{
    struct test *t = g->t;
    struct bough_entry out;

    same(g, name, packed(t, e, x));
    CHECK_OK(pack_entry_read(t->arena, bytes_of(g, name), &out, x, &t->err));
    CHECK_INT(e->kind, out.kind);
    CHECK_INT(e->role, out.role);
    CHECK_INT(0x123456, out.no);
    CHECK_INT(e->nparts, out.nparts);
    return out;
}

TEST(an_entry_of_every_kind_is_stored_as_it_always_was)
{
    struct golden g = golden_open(t);

    for (int kind = 0; kind <= BOUGH_ENTRY_LAST; kind++) {
        struct pack_extra x = extra;
        struct bough_entry e =
            entry((enum bough_entry_kind)kind, kind ? BOUGH_ROLE_NONE : BOUGH_ROLE_USER);
        struct bough_entry got = round_entry(
            &g, arena_printf(t->arena, "entry kind %s", bough_entry_kind_name(e.kind)), &e, &x);

        CHECK_STR(kind == BOUGH_ENTRY_OTHER ? "hologram" : bough_entry_kind_name(e.kind),
                  got.kind_name);
    }
}

TEST(an_entry_of_every_role_is_stored_as_it_always_was)
{
    struct golden g = golden_open(t);

    for (int role = 1; role <= BOUGH_ROLE_LAST; role++) {
        struct pack_extra x = extra;
        struct bough_entry e = entry(BOUGH_ENTRY_MESSAGE, (enum bough_role)role);

        round_entry(&g, arena_printf(t->arena, "entry role %s", bough_role_name(e.role)), &e, &x);
    }
}

TEST(a_part_of_every_type_is_stored_as_it_always_was)
{
    struct golden g = golden_open(t);

    for (int type = 0; type <= BOUGH_PART_LAST; type++) {
        struct pack_extra x = extra;
        const char *name = bough_part_type_name((enum bough_part_type)type);
        struct bough_part part = { (enum bough_part_type)type,
                                   str_of(arena_printf(t->arena, "{\"type\":\"%s\",\"n\":%d}", name,
                                                       type)) };
        struct bough_entry e = entry(BOUGH_ENTRY_MESSAGE, BOUGH_ROLE_ASSISTANT), got;

        e.parts = &part;
        e.nparts = 1;
        got = round_entry(&g, arena_printf(t->arena, "part %s", name), &e, &x);
        CHECK_INT(type, got.parts[0].type);
        CHECK_STR(part.json.p, got.parts[0].json.p);
        CHECK(!x.newer);
    }
}

#define TEN "0123456789"
#define SHORT "{\"m\":2}"
#define LONG                                                                                       \
    "{\"m\":\"" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "\"}"

/* An entry with every optional field; `metadata` long enough is worth compressing. */
static struct bough_entry full_entry(const char *metadata)
{
    static const struct bough_part parts[] = {
        { BOUGH_PART_TEXT, { "{\"type\":\"text\",\"text\":\"hi\"}", 27 } },
        { BOUGH_PART_FILE,
          { "{\"type\":\"file\",\"mime\":\"image/png\",\"url\":\"data:image/png;base64,"
            "bough:sha256-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"}",
            142 } },
    };
    static const struct bough_totals usage = {
        .input = 1, .output = 2, .reasoning = 3, .cache_read = 4, .cache_write = 5, .cost = 6000
    };
    struct bough_entry e = entry(BOUGH_ENTRY_OTHER, BOUGH_ROLE_ASSISTANT);

    e.finish = "stop";
    e.error = str_of("{\"name\":\"E\"}");
    e.usage = &usage;
    e.duration = 1234;
    e.keep_from = 2;
    e.data = str_of("{\"d\":1}");
    e.metadata = str_of(metadata);
    e.origin = "came-as";
    e.parts = parts;
    e.nparts = 2;
    return e;
}

static void check_full(const struct bough_entry *got, const struct pack_extra *x,
                       const char *metadata)
{
    struct bough_entry want = full_entry(metadata);

    CHECK_STR("hologram", got->kind_name);
    CHECK_STR("stop", got->finish);
    CHECK_STR("{\"name\":\"E\"}", got->error.p);
    CHECK_STR("{\"d\":1}", got->data.p);
    CHECK_STR(metadata, got->metadata.p);
    CHECK_STR("came-as", got->origin);
    CHECK(got->usage && memcmp(want.usage, got->usage, sizeof *want.usage) == 0);
    CHECK_INT(1234, got->duration);
    CHECK_INT(2, got->keep_from);
    CHECK_INT(MADE + 7, got->time);
    CHECK_INT(2, got->nparts);
    CHECK_STR(want.parts[1].json.p, got->parts[1].json.p);
    CHECK_INT(1, x->nmoved);
    CHECK_INT(PACK_BASE64, x->moved[0].how);
    CHECK_INT(9, x->call_ord);
}

TEST(every_field_of_an_entry_is_stored_as_it_always_was)
{
    struct golden g = golden_open(t);
    struct bough_entry e = full_entry(SHORT), got;
    struct pack_moved moved = { 1, 63, PACK_BASE64 };
    struct pack_extra x = extra;

    x.call_made = MADE - 5;
    x.call_chk = 0x1234;
    x.call_ord = 9;
    x.moved = &moved;
    x.nmoved = 1;
    got = round_entry(&g, "entry with every field", &e, &x);
    check_full(&got, &x, SHORT);
}

/* zstd may compress otherwise tomorrow; it must read what it wrote. */
TEST(a_compressed_entry_of_the_past_is_read)
{
    struct golden g = golden_open(t);
    struct pack_extra x;
    struct bough_entry got;

    CHECK_OK(pack_entry_read(t->arena, bytes_of(&g, "entry compressed"), &got, &x, &t->err));
    check_full(&got, &x, LONG);
    CHECK(bytes_of(&g, "entry compressed").p[0] & PACK_ZSTD);
}

/* ---- drafts ---- */

TEST(every_kind_of_step_is_stored_as_it_always_was)
{
    static const char pending[] = "{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"t\",\"state\":{"
                                  "\"status\":\"pending\",\"input\":{},\"raw\":\"\"}}",
                      running[] = "{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"t\",\"state\":{"
                                  "\"status\":\"running\",\"input\":{},\"time\":{\"start\":1}}}";
    const struct bough_step steps[] = {
        { .kind = BOUGH_STEP_PART,
          .part = 0,
          .bytes = str_of("{\"type\":\"text\",\"text\":\"\"}") },
        { .kind = BOUGH_STEP_TEXT, .part = 0, .bytes = str_of("grows") },
        { .kind = BOUGH_STEP_PART, .part = 0, .bytes = str_of(pending) },
        { .kind = BOUGH_STEP_STATE, .part = 1, .bytes = str_of(running) },
    };
    struct golden g = golden_open(t);
    struct bough_part *parts;
    struct draft d;

    draft_init(&d);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        CHECK_OK(draft_step(&d, &steps[i], &t->err));
    same(&g, "draft", draft_pack(t->arena, &d, 0, 0));
    draft_finish(&d);
    draft_init(&d);
    CHECK_OK(draft_unpack(&d, bytes_of(&g, "draft"), 4, &t->err));
    parts = draft_parts(t->arena, &d);
    CHECK_INT(2, d.nparts);
    CHECK_STR("{\"type\":\"text\",\"text\":\"grows\"}", parts[0].json.p);
    CHECK_STR(running, parts[1].json.p);
    draft_finish(&d);
}

/* ---- bodies ---- */

/* Every member gets a value of its own, made of its name. */
static void fill(struct test *t, const struct body_field *table, char *body)
{
    for (const struct body_field *f = table; f->tag; f++) {
        char *at = body + f->offset;

        switch (f->type) {
        case FIELD_I64:
            *(int64_t *)(void *)at = crc32c(0, f->name, strlen(f->name)) & 0xffff;
            break;
        case FIELD_BOOL:
            *(bool *)at = true;
            break;
        case FIELD_CSTR:
            *(const char **)(void *)at = f->name;
            break;
        case FIELD_STR:
            *(struct bough_str *)(void *)at = str_of(arena_printf(t->arena, "[\"%s\"]", f->name));
            break;
        }
    }
}

TEST(every_body_with_all_its_fields_is_stored_as_it_always_was)
{
    static const struct {
        const char *name;
        const struct body_field *table;
        size_t size;
    } bodies[] = {
        { "session", session_fields, sizeof(struct session_body) },
        { "list", list_fields, sizeof(struct list_body) },
        { "call", call_fields, sizeof(struct call_body) },
        { "adjust", adjust_fields, sizeof(struct adjust_body) },
        { "memory", memory_fields, sizeof(struct memory_body) },
        { "label", label_fields, sizeof(struct label_body) },
        { "todo", todo_fields, sizeof(struct todo_body) },
        { "audit", audit_fields, sizeof(struct audit_body) },
        { "group", group_fields, sizeof(struct group_body) },
        { "queue", queue_fields, sizeof(struct queue_body) },
        { "source", source_fields, sizeof(struct source_body) },
        { "token", token_fields, sizeof(struct token_body) },
        { "quarantine", quarantine_fields, sizeof(struct quarantine_body) },
        { "state", state_fields, sizeof(struct state_body) },
        { "run", run_fields, sizeof(struct run_body) },
        { "approval", approval_fields, sizeof(struct approval_body) },
        { "grant", grant_fields, sizeof(struct grant_body) },
        { "order", order_fields, sizeof(struct order_body) },
    };
    struct golden g = golden_open(t);

    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const char *name = arena_printf(t->arena, "body %s", bodies[i].name);
        char *body = arena_zalloc(t->arena, bodies[i].size),
             *again = arena_zalloc(t->arena, bodies[i].size);

        fill(t, bodies[i].table, body);
        same(&g, name, body_pack(t->arena, bodies[i].table, body));
        CHECK_OK(body_read(bodies[i].table, bytes_of(&g, name), again, &t->err));
        CHECK_STR(body_json(t->arena, bodies[i].table, body).p,
                  body_json(t->arena, bodies[i].table, again).p);
    }
}

/* ---- ids ---- */

TEST(ids_say_the_same_place_as_ever)
{
    struct golden g = golden_open(t);
    char id[BOUGH_ID_LEN + 1];

    id_session(MADE, 5, 0xbeef, id);
    same_text(&g, "id session", id);
    id_entry(MADE, 6, 7, 0xbeef, id);
    same_text(&g, "id entry", id);
    for (int kind = RECORD_CALL; kind <= RECORD_LAST; kind++) {
        id_record(MADE, 5, kind, 9, 0xbeef, id);
        same_text(&g, arena_printf(t->arena, "id record %d", kind), id);
    }
}
