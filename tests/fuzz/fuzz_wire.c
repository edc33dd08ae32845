/*
 * Fuzz: any request that is read becomes parts that a store takes, its edits leave a request with
 * the same conversation, and identifying its client never fails.
 *
 * The input is a digit (the wire), then the body; behind a newline, headers as "name: value" lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/wire/client.h"
#include "core/wire/fault.h"
#include "core/wire/part.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static void check_message(const struct bough_entry_new *e)
{
    enum bough_part_type type;

    for (size_t i = 0; i < e->nparts; i++)
        MUST(bough_part_check(e->parts[i], &type, NULL) == BOUGH_OK);
    MUST(!e->data.n || json_check(e->data, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK);
    MUST(e->role != BOUGH_ROLE_NONE);
}

static void check_edit(struct bough_arena *a, const struct wire_request *r,
                       const struct wire_edit_options *how)
{
    struct bough_str out = wire_request_edit(a, r, how);
    struct wire_request again;

    MUST(wire_request_read(a, r->wire, out, &again, NULL) == BOUGH_OK);
    MUST(!again.session_id);
    MUST(again.nmessages == r->nmessages);
    MUST(again.usage != WIRE_USAGE_OPEN || !how->ask_usage);
    if (how->model && json_type(json_member(r->json, "model")) != JSON_NULL)
        MUST(strcmp(again.model, how->model) == 0);
}

/* Lines of "name: value". */
static size_t headers_of(struct bough_str text, struct client_header *out, size_t most)
{
    size_t n = 0;

    while (text.n && n < most) {
        const char *end = memchr(text.p, '\n', text.n), *colon;
        size_t len = end ? (size_t)(end - text.p) : text.n;

        colon = memchr(text.p, ':', len);
        if (colon) {
            size_t name = (size_t)(colon - text.p);
            size_t skip = name + 1 < len && text.p[name + 1] == ' ' ? name + 2 : name + 1;

            out[n++] = (struct client_header){ str_make(text.p, name),
                                               str_make(text.p + skip, len - skip) };
        }
        text = str_make(text.p + len + (end != NULL), text.n - len - (end != NULL));
    }
    return n;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    static const struct wire_edit_options all = {
        .prompt = "p \"q\"", .ask_usage = true, .model = "m", .drop_conversation = true
    };
    static const struct wire_edit_options none;
    struct bough_str text = str_make((const char *)data + 1, n ? n - 1 : 0), rest = { "", 0 };
    const char *end = text.n ? memchr(text.p, '\n', text.n) : NULL;
    struct client_header headers[16];
    struct client_found found;
    struct wire_request r;
    struct bough_arena *a;

    if (!n)
        return 0;
    if (end) {
        rest = str_make(end + 1, text.n - (size_t)(end + 1 - text.p));
        text.n = (size_t)(end - text.p);
    }
    a = bough_arena_create();
    if (wire_request_read(a, (enum wire)(data[0] % 4), text, &r, NULL) == BOUGH_OK) {
        for (size_t i = 0; i < r.nmessages; i++)
            check_message(&r.messages[i]);
        MUST(!r.parameters.n || json_check(r.parameters, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK);
        (void)wire_system_text(a, r.system, r.nsystem);
        check_edit(a, &r, &none);
        check_edit(a, &r, &all);
        client_identify(a, &r, headers, headers_of(rest, headers, 16), &found);
        MUST(found.client && (!found.parent || found.key));
    }
    text = wire_fault_keep(a, text, 64);
    MUST(json_check(text, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK);
    bough_arena_destroy(a);
    return 0;
}
