/* The store as a whole over HTTP: statistics, fsck, changes, groups, sources. */
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

STORE_TEST(store_info_and_fsck_are_served)
{
    const char *id = new_session(t, "one");
    struct world w;
    struct json j;

    world_open(t, &w);
    user(t, id, "hello");
    j = world_gives(t, &w, "GET", "/api/v1/store", "", 200);
    CHECK_STR("2", text_at(t, j, "last_no"));
    j = world_gives(t, &w, "GET", "/api/v1/store/stats", "", 200);
    CHECK_STR("1", text_at(t, j, "messages"));
    j = world_gives(t, &w, "POST", "/api/v1/store/fsck?level=deep", "", 200);
    CHECK_STR("0", text_at(t, j, "errors"));
    CHECK_STR("1", text_at(t, j, "entries"));
    world_gives(t, &w, "POST", "/api/v1/store/fsck?level=odd", "", 422);
    j = world_gives(t, &w, "POST", "/api/v1/store/repair", "", 200);
    CHECK_STR("0", text_at(t, j, "fixed"));
    world_gives(t, &w, "POST", "/api/v1/store/upkeep", "", 204);
    world_gives(t, &w, "DELETE", of_session(t, id, ""), "", 200);
    j = world_gives(t, &w, "GET", "/api/v1/audit", "", 200);
    CHECK_STR("delete", text_at(t, j, "items.0.action"));
    world_close(&w);
}

STORE_TEST(the_store_tells_its_size_and_its_care)
{
    const char *id = new_session(t, "one");
    struct bough_backup_result made = { .bytes = 4096, .sessions = 1, .entries = 1 };
    struct world w;
    struct json j;

    world_open(t, &w);
    user(t, id, "hello");
    CHECK_OK(bough_session_delete(t->store, new_session(t, "two"), &t->err));
    j = world_gives(t, &w, "GET", "/api/v1/store", "", 200);
    CHECK_INT(JSON_NULL, json_type(json_member(j, "last_backup")));
    CHECK_INT(JSON_NULL, json_type(json_member(j, "last_fsck")));
    CHECK_STR("1", text_at(t, j, "sessions"));
    CHECK_STR("1", text_at(t, j, "deleted_sessions"));
    CHECK_STR("false", text_at(t, j, "at_least"));
    CHECK((strcmp(text_at(t, j, "file_bytes"), "0") == 0) == !store_lasts(t));
    CHECK((strcmp(text_at(t, j, "wal_bytes"), "0") == 0) == !store_has_file(t));

    CHECK_OK(bough_backup_note(t->store, "/srv/backups/monday.db", &made, &t->err));
    world_gives(t, &w, "POST", "/api/v1/store/fsck?level=quick", "", 200);
    j = world_gives(t, &w, "GET", "/api/v1/store", "", 200);
    CHECK_STR("monday.db", text_at(t, j, "last_backup.file"));
    CHECK_STR("4096", text_at(t, j, "last_backup.bytes"));
    CHECK_STR("true", text_at(t, j, "last_backup.verified"));
    CHECK_STR("quick", text_at(t, j, "last_fsck.level"));
    CHECK_STR("0", text_at(t, j, "last_fsck.errors"));
    world_gives(t, &w, "POST", "/api/v1/store/repair?level=deep", "", 200);
    j = world_gives(t, &w, "GET", "/api/v1/store", "", 200);
    CHECK_STR("deep", text_at(t, j, "last_fsck.level"));
    world_close(&w);
}

STORE_TEST(the_changelog_is_paged_by_a_mark_and_limited_to_visible_sessions)
{
    const char *id = new_session(t, "one"), *headers;
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    headers = bearer(t, world_token(t, "a", "read", "/p"));
    user(t, id, "a");
    user(t, id, "b");
    j = world_gives(t, &w, "GET", "/api/v1/changes?limit=2", "", 200);
    CHECK_INT(2, json_count(json_member(j, "items")));
    CHECK_STR("true", text_at(t, j, "more"));
    j = world_gives(t, &w, "GET",
                    arena_printf(t->arena, "/api/v1/changes?epoch=%s&no=%s",
                                 text_at(t, j, "next.epoch"), text_at(t, j, "next.no")),
                    "", 200);
    CHECK_STR("append", text_at(t, j, "items.0.kind"));
    r = world_ask(t, &w, "GET", "/api/v1/changes", headers, "");
    CHECK_INT(0, json_count(json_member(reply_json(t, &r), "items")));
    world_gives(t, &w, "PATCH", of_session(t, id, ""), "{\"project\":\"/p\"}", 200);
    r = world_ask(t, &w, "GET", "/api/v1/changes", headers, "");
    CHECK(json_count(json_member(reply_json(t, &r), "items")) >= 3);
    j = world_gives(t, &w, "GET", "/api/v1/changes?epoch=99&no=1", "", 200);
    CHECK_STR("true", text_at(t, j, "reset"));
    world_close(&w);
}

STORE_TEST(projects_are_listed_and_deleted_with_their_sessions)
{
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    world_gives(t, &w, "POST", "/api/v1/sessions", "{\"id\":\"x\",\"project\":\"/p\"}", 201);
    world_gives(t, &w, "POST", "/api/v1/sessions", "{\"id\":\"y\",\"project\":\"/q\"}", 201);
    j = world_gives(t, &w, "GET", "/api/v1/places/project", "", 200);
    CHECK_INT(2, json_count(json_member(j, "items")));
    r = world_ask(t, &w, "GET", "/api/v1/places/project",
                  bearer(t, world_token(t, "a", "read", "/q")), "");
    CHECK_INT(1, json_count(json_member(reply_json(t, &r), "items")));
    j = world_gives(t, &w, "DELETE", "/api/v1/places/project?name=/p", "", 200);
    CHECK_STR("1", text_at(t, j, "sessions"));
    world_gives(t, &w, "GET", of_session(t, "x", ""), "", 404);
    world_gives(t, &w, "GET", of_session(t, "y", ""), "", 200);
    world_gives(t, &w, "GET", "/api/v1/places/planet", "", 422);
    world_close(&w);
}

STORE_TEST(sources_are_claimed_by_one_reader_and_written_down)
{
    struct world w;
    struct json j;

    world_open(t, &w);
    j = world_gives(t, &w, "POST", "/api/v1/sources/claim",
                    "{\"path\":\"/a\",\"owner\":\"ann\",\"ms\":60000}", 200);
    world_gives(t, &w, "POST", "/api/v1/sources/claim",
                "{\"path\":\"/a\",\"owner\":\"bob\",\"ms\":60000}", 409);
    j = world_gives(t, &w, "PUT", "/api/v1/sources",
                    arena_printf(t->arena,
                                 "{\"path\":\"/a\",\"owner\":\"ann\",\"offset\":7,\"ver\":%s}",
                                 text_at(t, j, "ver")),
                    200);
    CHECK_STR("7", text_at(t, j, "offset"));
    world_gives(t, &w, "PUT", "/api/v1/sources", "{\"path\":\"/a\",\"owner\":\"ann\",\"ver\":1}",
                409);
    j = world_gives(t, &w, "GET", "/api/v1/sources?path=/a", "", 200);
    CHECK_STR("ann", text_at(t, j, "items.0.owner"));
    j = world_gives(t, &w, "GET", "/api/v1/sources", "", 200);
    CHECK_INT(1, json_count(json_member(j, "items")));
    world_gives(t, &w, "GET", "/api/v1/sources?path=/b", "", 404);
    world_close(&w);
}
