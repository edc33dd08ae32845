/* All routes: rows of another project look as if they did not exist, and unknown members are
 * refused by name. */
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

/* Values for the {names} of a path. */
struct names {
    const char *id, *entry, *other;
};

static const char *target_of(struct test *t, const struct http_route *r, struct names n)
{
    struct buf b;
    const char *out;

    buf_init(&b, 1024);
    for (const char *p = r->path; *p;) {
        size_t len = strcspn(p, "}") + 1;

        if (*p != '{') {
            buf_putc(&b, *p++);
            continue;
        }
        buf_puts(&b, strncmp(p, "{id}", len) == 0      ? n.id
                     : strncmp(p, "{entry}", len) == 0 ? n.entry
                                                       : n.other);
        p += len;
    }
    out = arena_strndup(t->arena, b.p, b.n);
    buf_finish(&b);
    return out;
}

/* Write the smallest value that matches a schema. */
static void put_sample(struct test *t, struct json_writer *w, struct json schema)
{
    const char *ref = json_cstr(t->arena, schema, "$ref");
    const char *type = json_cstr(t->arena, schema, "type");
    struct json_iter it;
    struct json one;

    if (ref) {
        put_sample(t, w, schema_named(t, strrchr(ref, '/') + 1));
    } else if (json_get(schema, "anyOf", &one)) {
        it = json_iter(one);
        CHECK(json_next(&it));
        put_sample(t, w, it.value);
    } else if (json_get(schema, "enum", &one)) {
        it = json_iter(one);
        CHECK(json_next(&it));
        jw_raw(w, json_raw(it.value));
    } else if (!type || strcmp(type, "object") == 0) {
        jw_obj(w);
        for (it = json_iter(json_member(schema, "required")); json_next(&it);) {
            struct bough_str name;

            CHECK(json_str(t->arena, it.value, &name));
            jw_key(w, name.p);
            put_sample(t, w, json_member(json_member(schema, "properties"), name.p));
        }
        jw_end_obj(w);
    } else if (strcmp(type, "array") == 0) {
        jw_arr(w);
        jw_end_arr(w);
    } else if (strcmp(type, "string") == 0) {
        jw_cstr(w, "x");
    } else if (strcmp(type, "boolean") == 0) {
        jw_bool(w, true);
    } else {
        jw_i64(w, 1);
    }
}

static bool takes_json(const struct http_route *r)
{
    return r->takes && strcmp(r->takes, "bytes") != 0 && strcmp(r->takes, "text") != 0;
}

static const char *sample_of(struct test *t, const struct http_route *r)
{
    struct json_writer w;
    const char *out;
    struct buf b;

    if (!takes_json(r))
        return "";
    buf_init(&b, 64 * 1024);
    jw_init(&w, &b);
    put_sample(t, &w, schema_named(t, r->takes));
    out = arena_strndup(t->arena, b.p, b.n);
    buf_finish(&b);
    return out;
}

static bool has(const struct http_route *r, const char *name)
{
    return strstr(r->path, name) != NULL;
}

static const char *session_of(struct test *t, const char *project)
{
    struct bough_session_create_options in = { .project = project };
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    return s->id;
}

STORE_TEST(objects_of_another_project_are_404_on_every_route)
{
    struct names theirs, ours;
    const char *headers;
    struct world w;
    size_t walked = 0;

    world_open(t, &w);
    theirs.id = session_of(t, "/theirs");
    theirs.entry = theirs.other = user(t, theirs.id, "secret");
    ours = theirs;
    ours.id = session_of(t, "/ours");
    user(t, ours.id, "open");
    headers = arena_printf(t->arena, "%sContent-Type: application/json\r\n",
                           bearer(t, world_token(t, "ours", "all", "/ours")));
    for (const struct http_route *const *table = api_all(w.api); *table; table++) {
        for (const struct http_route *r = *table; r->method; r++) {
            /* First everything of the other project, then its entry through our own session. */
            struct names n[] = { theirs, ours };

            for (int i = 0; i < 2; i++) {
                const char *target = target_of(t, r, n[i]);
                struct http_reply got;

                if (!(i ? has(r, "{entry}") && has(r, "{id}")
                        : has(r, "{id}") || has(r, "{entry}")))
                    continue;
                got = world_ask(t, &w, r->method, target, headers, sample_of(t, r));
                walked++;
                if (got.status != 404 || strstr(got.body.p, "secret"))
                    FAIL("%s %s: %d %s", r->method, target, got.status, got.body.p);
            }
        }
    }
    CHECK(walked > 40);
    CHECK_STR("secret", path_text(t, theirs.id));
    CHECK_STR("open", path_text(t, ours.id));
    world_close(&w);
}

STORE_TEST(a_token_for_a_project_lists_makes_and_moves_only_there)
{
    struct http_reply r;
    struct world w;
    const char *theirs = session_of(t, "/theirs"), *headers, *mine;

    world_open(t, &w);
    headers = arena_printf(t->arena, "%sContent-Type: application/json\r\n",
                           bearer(t, world_token(t, "ours", "all", "/ours")));
    r = world_ask(t, &w, "POST", "/api/v1/sessions", headers, "{\"title\":\"x\"}");
    CHECK_INT(201, r.status);
    mine = text_at(t, reply_json(t, &r), "id");
    CHECK_STR("/ours", text_at(t, reply_json(t, &r), "project"));
    r = world_ask(t, &w, "POST", "/api/v1/sessions", headers, "{\"project\":\"/theirs\"}");
    CHECK_INT(403, r.status);
    r = world_ask(t, &w, "PATCH", of_session(t, mine, ""), headers, "{\"project\":\"/theirs\"}");
    CHECK_INT(403, r.status);
    r = world_ask(t, &w, "POST", "/api/v1/sessions", headers,
                  arena_printf(t->arena, "{\"parent\":\"%s\"}", theirs));
    CHECK_INT(404, r.status);
    r = world_ask(t, &w, "GET", "/api/v1/sessions", headers, "");
    CHECK_INT(1, json_count(json_member(reply_json(t, &r), "items")));
    r = world_ask(t, &w, "GET", "/api/v1/sessions?project=/theirs", headers, "");
    CHECK_INT(0, json_count(json_member(reply_json(t, &r), "items")));
    r = world_ask(t, &w, "GET", arena_printf(t->arena, "/api/v1/sessions?parent=%s", theirs),
                  headers, "");
    CHECK_INT(404, r.status);
    world_close(&w);
}

STORE_TEST(a_member_that_no_body_has_is_refused_by_its_name)
{
    struct names n;
    struct world w;
    size_t walked = 0;

    world_open(t, &w);
    n.id = session_of(t, "/p");
    n.entry = n.other = user(t, n.id, "hello");
    for (const struct http_route *const *table = api_all(w.api); *table; table++) {
        for (const struct http_route *r = *table; r->method; r++) {
            struct http_reply got;
            struct json closed;

            if (!takes_json(r) || strncmp(r->path, "/api/v1/", 8) != 0)
                continue;
            if (!json_get(schema_named(t, r->takes), "additionalProperties", &closed))
                FAIL("%s is open: say \"only\"", r->takes);
            got = world_own(t, &w, r->method, target_of(t, r, n), "{\"no_such_member\":1}");
            walked++;
            if (got.status != 422 || !strstr(got.body.p, "no_such_member"))
                FAIL("%s %s: %d %s", r->method, r->path, got.status, got.body.p);
        }
    }
    CHECK(walked >= 10);
    world_close(&w);
}

STORE_TEST(D13_the_ids_of_a_parent_of_another_project_are_not_shown)
{
    static const char *const ways[] = { "", "/lineage", "/root" };
    const char *theirs = session_of(t, "/theirs"), *entry = user(t, theirs, "secret"), *headers,
               *own;
    struct bough_session_create_options in = { .project = "/ours",
                                               .parent = theirs,
                                               .fork_entry = entry };
    struct bough_session_create_options below = { .project = "/ours", .kind = BOUGH_SUBAGENT };
    struct bough_session *fork, *child;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &fork, &t->err));
    below.parent = fork->id;
    CHECK_OK(bough_session_create(t->store, t->arena, &below, &child, &t->err));
    headers = bearer(t, world_token(t, "ours", "all", "/ours"));
    own = bearer(t, world_token(t, "everything", "all", ""));
    for (size_t i = 0; i < 3; i++) {
        r = world_ask(t, &w, "GET", of_session(t, fork->id, ways[i]), headers, "");
        CHECK_INT(i == 2 ? 404 : 200, r.status);
        if (strstr(r.body.p, theirs) || strstr(r.body.p, entry))
            FAIL("%s: %s", ways[i], r.body.p);
    }
    r = world_ask(t, &w, "GET", "/api/v1/sessions", headers, "");
    CHECK(!strstr(r.body.p, theirs) && !strstr(r.body.p, entry));
    CHECK(strstr(r.body.p, arena_printf(t->arena, "\"parent\":\"%s\"", fork->id)));
    r = world_ask(t, &w, "GET", arena_printf(t->arena, "/alkhub/v1/sessions/%s", fork->id), headers,
                  "");
    CHECK(r.status == 200 && !strstr(r.body.p, theirs));
    r = world_ask(t, &w, "GET", of_session(t, fork->id, ""), own, "");
    CHECK(strstr(r.body.p, theirs) && strstr(r.body.p, entry));
    /* An export that needs the parents is refused, not silently shortened. */
    r = world_ask(t, &w, "GET", of_session(t, fork->id, "/export"), headers, "");
    CHECK_INT(404, r.status);
    CHECK(!strstr(r.body.p, theirs));
    world_close(&w);
}

STORE_TEST(a_token_bound_to_a_project_does_nothing_to_the_whole_store)
{
    const char *headers = bearer(t, world_token(t, "bound", "all", "/ours"));
    const struct http_route *const *tables;
    struct world w;
    size_t walked = 0;

    world_open(t, &w);
    for (tables = api_app(w.api)->tables; *tables; tables++)
        for (const struct http_route *r = *tables; r->path; r++) {
            struct names n = { "x", "x", "x" };

            if (!(r->needs & AUTH_ADMIN))
                continue;
            walked++;
            if (world_ask(t, &w, r->method, target_of(t, r, n), headers, "").status != 403)
                FAIL("%s %s", r->method, r->path);
        }
    CHECK(walked >= 10);
    world_close(&w);
}

/* Whether a slot or a slug of another project exists makes no difference. */
STORE_TEST(a_guess_does_not_show_what_another_project_has)
{
    struct bough_session_create_options in = { .project = "/theirs", .slug = "secret-plan" };
    const char *json = "Content-Type: application/json\r\n", *headers, *ours;
    struct bough_session *theirs;
    struct http_reply r, none;
    struct world w;
    static const char *const at[] = { "/context?at=%s", "/ui-messages?at=%s", "/entries?at=%s",
                                      "/export?at=%s" };

    world_open(t, &w);
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &theirs, &t->err));
    user(t, theirs->id, "theirs");
    ours = session_of(t, "/ours");
    user(t, ours, "ours");
    headers = bearer(t, world_token(t, "bound", "read,append,export", "/ours"));
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        const char *base = of_session(t, ours, "");
        const char *there =
            arena_printf(t->arena, "%s%.*s%%231.1", base, (int)(strchr(at[i], '%') - at[i]), at[i]);
        const char *nowhere =
            arena_printf(t->arena, "%s%.*s%%239.1", base, (int)(strchr(at[i], '%') - at[i]), at[i]);

        r = world_ask(t, &w, "GET", there, headers, "");
        none = world_ask(t, &w, "GET", nowhere, headers, "");
        CHECK_INT(404, r.status);
        CHECK_INT(404, none.status);
    }
    headers = arena_printf(t->arena, "%s%s", headers, json);
    r = world_ask(
        t, &w, "POST", of_session(t, ours, "/entries"), headers,
        "{\"entries\":[{\"kind\":\"label\",\"data\":{\"targetId\":\"#1.1\",\"label\":\"x\"}}]}");
    none = world_ask(
        t, &w, "POST", of_session(t, ours, "/entries"), headers,
        "{\"entries\":[{\"kind\":\"label\",\"data\":{\"targetId\":\"#9.1\",\"label\":\"x\"}}]}");
    CHECK_INT(none.status, r.status);
    r = world_ask(t, &w, "POST", "/api/v1/sessions", headers, "{\"slug\":\"secret-plan\"}");
    CHECK_INT(201, r.status);
    CHECK(strcmp("secret-plan", text_at(t, reply_json(t, &r), "slug")) != 0);
    world_close(&w);
}

STORE_TEST(a_fork_in_another_project_is_not_in_the_outline)
{
    const char *id = session_of(t, "/ours"), *ours, *theirs, *headers;
    struct bough_session_update_options move = { .project = "/theirs" };
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    user(t, id, "a");
    ours = fork_at(t, id, "#1.1");
    theirs = fork_at(t, id, "#1.1");
    CHECK_OK(bough_session_update(t->store, theirs, &move, &t->err));
    headers = bearer(t, world_token(t, "ours", "read", "/ours"));
    r = world_ask(t, &w, "GET", of_session(t, id, "/outline"), headers, "");
    CHECK_INT(200, r.status);
    j = reply_json(t, &r);
    CHECK_INT(1, json_count(json_member(j, "marks")));
    CHECK_STR(ours, text_at(t, j, "marks.0.session"));
    CHECK_INT(2, json_count(json_member(
                     world_gives(t, &w, "GET", of_session(t, id, "/outline"), "", 200), "marks")));
    world_close(&w);
}
