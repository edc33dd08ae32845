/* Requests of the chat wire and of Anthropic's messages: lists of messages with a role. */
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/part/view.h"
#include "core/wire/inside.h"

/* "message 3: ..." */
static enum bough_rc at_message(size_t i, enum bough_rc rc, const struct bough_error *why,
                                struct bough_error *err)
{
    return rc ? bough_fail(err, rc, "message %zu: %.200s", i + 1, why->msg) : BOUGH_OK;
}

static enum bough_rc list_of(struct json body, const char *name, struct json *out,
                             struct bough_error *err)
{
    *out = json_member(body, name);
    return json_type(*out) == JSON_ARRAY
               ? BOUGH_OK
               : bough_fail(err, BOUGH_INVALID, "%s must be a list of messages", name);
}

enum bough_rc read_chat(struct reading *r, struct json body, struct bough_error *err)
{
    struct json list;
    enum bough_rc rc = list_of(body, "messages", &list, err);
    struct json_iter it = json_iter(list);

    for (size_t i = 0; !rc && json_next(&it); i++) {
        struct bough_entry_new e;
        struct bough_error why = { 0 };

        rc = at_message(i, chat_message_read(r->a, it.value, &e, &why), &why, err);
        if (!rc)
            rc = reading_add(r, &e, err);
    }
    return rc;
}

static enum bough_rc read_block_message(struct reading *r, struct json m, struct bough_entry_new *e,
                                        struct bough_error *err)
{
    static const char *const taken[] = { "role", "content", NULL };
    const char *role = json_cstr(r->a, m, "role");
    struct json content = json_member(m, "content");
    struct wire_parts l = { .a = r->a };

    if (json_type(m) != JSON_OBJECT || cstr_empty(role))
        return bough_fail(err, BOUGH_INVALID, "a message must be an object with a role");
    if (json_type(content) != JSON_STRING && json_type(content) != JSON_ARRAY &&
        json_type(content) != JSON_NULL)
        return bough_fail(err, BOUGH_INVALID, "content must be a string or a list of blocks");
    wire_parts_add(&l, content);
    *e = (struct bough_entry_new){ .role = bough_role_parse(role), .parts = l.at, .nparts = l.n };
    e->data = view_keep_role(r->a, role, wire_members_but(r->a, m, taken));
    return BOUGH_OK;
}

enum bough_rc read_blocks(struct reading *r, struct json body, struct bough_error *err)
{
    struct json list;
    enum bough_rc rc = list_of(body, "messages", &list, err);
    struct json_iter it = json_iter(list);

    wire_parts_add(&r->system, json_member(body, "system"));
    for (size_t i = 0; !rc && json_next(&it); i++) {
        struct bough_entry_new e;
        struct bough_error why = { 0 };

        rc = at_message(i, read_block_message(r, it.value, &e, &why), &why, err);
        if (!rc)
            rc = reading_add(r, &e, err);
    }
    return rc;
}
