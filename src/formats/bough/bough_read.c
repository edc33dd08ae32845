/* Our own format, reader: every line names its type. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/names.h"
#include "core/model/text.h"
#include "formats/bough/bough.h"

struct bough_in {
    bool begun; /* a session's line was read */
};

bool own_detect(struct bough_str first)
{
    return str_starts(text_trim(first), "{\"bough\":");
}

/* ---- members ---- */

static const char *text_in(struct reading *r, struct json j, const char *key)
{
    return json_cstr(r->a, j, key);
}

static bool flag(struct json j, const char *key)
{
    bool v = false;

    return json_bool(json_member(j, key), &v) && v;
}

static int64_t signed_of(struct json j, const char *key)
{
    int64_t v = 0;

    return json_i64(json_member(j, key), &v) ? v : 0;
}

/* Adjustments may be negative. */
static struct bough_totals totals_of(struct json j)
{
    return (struct bough_totals){ .input = signed_of(j, "input"),
                                  .output = signed_of(j, "output"),
                                  .reasoning = signed_of(j, "reasoning"),
                                  .cache_read = signed_of(j, "cacheRead"),
                                  .cache_write = signed_of(j, "cacheWrite"),
                                  .cost = signed_of(j, "cost") };
}

/* The time in `key`. Older files have only `true` there: use `since` as the time then. */
static int64_t when(struct json j, const char *key, const char *since)
{
    int64_t at = number_of(j, key), made = number_of(j, since);

    return !flag(j, key) ? at : made ? made : 1;
}

static struct bough_str raw_of(struct json j, const char *key)
{
    return json_raw(json_member(j, key));
}

/* ---- lines ---- */

static enum bough_rc read_session(struct reading *r, struct json j, struct bough_error *err)
{
    struct item item = { .kind = ITEM_SESSION };
    struct item_session *s = &item.u.session;

    if (signed_of(j, "bough") != BOUGH_FORMAT)
        return bough_fail(err, BOUGH_INVALID, "line %lld: version %lld of the format is newer",
                          (long long)r->line, (long long)signed_of(j, "bough"));
    *s = (struct item_session){ .id = text_in(r, j, "id"),
                                .title = text_in(r, j, "title"),
                                .project = text_in(r, j, "project"),
                                .workspace = text_in(r, j, "workspace"),
                                .account = text_in(r, j, "account"),
                                .slug = text_in(r, j, "slug"),
                                .parent = text_in(r, j, "parent"),
                                .fork_entry = text_in(r, j, "forkEntry"),
                                .spawned_by = text_in(r, j, "spawnedBy"),
                                .model_provider = text_in(r, j, "modelProvider"),
                                .model_name = text_in(r, j, "modelName"),
                                .provider_path = text_in(r, j, "providerPath"),
                                .role_name = text_in(r, j, "roleName"),
                                .system_prompt = text_in(r, j, "systemPrompt"),
                                .user_name = text_in(r, j, "userName"),
                                .version = text_in(r, j, "version"),
                                .created = number_of(j, "created"),
                                .data = raw_of(j, "data"),
                                .metadata = raw_of(j, "metadata"),
                                .adjusted = totals_of(json_member(j, "adjusted")),
                                .subagent = flag(j, "subagent"),
                                .archived = flag(j, "archived"),
                                .deleted = when(j, "deleted", "created"),
                                .exact = true };
    if (cstr_eq(text_in(r, j, "totals"), "manual"))
        s->totals_mode = BOUGH_TOTALS_MANUAL;
    if (cstr_empty(s->id))
        return give_problem(r, err, "a session without an id");
    return give(r, &item, err);
}

/* A word that this version does not know is as good as none. */
static enum bough_cost_source source_of(struct reading *r, struct json j)
{
    const char *word = text_in(r, j, "costSource");
    enum bough_cost_source source = BOUGH_COST_SOURCE_LAST;

    while (word && source && !cstr_eq(word, bough_cost_source_name(source)))
        source--;
    return word ? source : BOUGH_COST_UNSAID;
}

static void take_call(struct reading *r, struct json j, struct item *item)
{
    item->kind = ITEM_CALL;
    item->u.call = (struct item_call){ .n = number_of(j, "n"),
                                       .call = { .request_id = text_in(r, j, "requestId"),
                                                 .want_provider = text_in(r, j, "wantProvider"),
                                                 .want_model = text_in(r, j, "wantModel"),
                                                 .want_kind = text_in(r, j, "wantKind"),
                                                 .provider = text_in(r, j, "provider"),
                                                 .model = text_in(r, j, "model"),
                                                 .kind = text_in(r, j, "kind"),
                                                 .status = text_in(r, j, "status"),
                                                 .error = raw_of(j, "error"),
                                                 .usage = raw_of(j, "usage"),
                                                 .used = totals_of(json_member(j, "used")),
                                                 .total_tokens = number_of(j, "totalTokens"),
                                                 .duration = number_of(j, "duration"),
                                                 .time = number_of(j, "time"),
                                                 .cost_source = source_of(r, j),
                                                 .attempt = (int)number_of(j, "attempt"),
                                                 .exchange = text_in(r, j, "exchange"),
                                                 .first_byte = number_of(j, "firstByte"),
                                                 .purpose = text_in(r, j, "purpose"),
                                                 .notes = raw_of(j, "notes") } };
}

static enum bough_rc read_entry(struct reading *r, struct json j, struct bough_error *err)
{
    struct item item = { .kind = ITEM_ENTRY };
    struct item_entry *out = &item.u.entry;
    struct json parts = json_member(j, "parts");
    struct json_iter it = json_iter(parts);
    struct bough_str *spans = arena_array(r->a, json_count(parts) + 1, sizeof *spans);
    const char *role = text_in(r, j, "role");
    struct bough_totals usage;
    bool counted = true;

    out->id = text_in(r, j, "id");
    json_bool(json_member(j, "counted"), &counted);
    out->uncounted = !counted;
    out->parent = text_in(r, j, "parent");
    out->call = number_of(j, "call");
    out->deleted = when(j, "deleted", "time");
    out->entry = (struct bough_entry_new){ .kind = entry_kind_parse(text_in(r, j, "kind")),
                                           .kind_name = text_in(r, j, "name"),
                                           .role = role ? bough_role_parse(role) : BOUGH_ROLE_NONE,
                                           .time = number_of(j, "time"),
                                           .finish = text_in(r, j, "finish"),
                                           .error = raw_of(j, "error"),
                                           .data = raw_of(j, "data"),
                                           .metadata = raw_of(j, "metadata"),
                                           .call_cost_source = source_of(r, j),
                                           .keep_from = number_of(j, "keepFrom"),
                                           .duration = number_of(j, "duration"),
                                           .call_provider = text_in(r, j, "provider"),
                                           .call_model = text_in(r, j, "model"),
                                           .call_request_id = text_in(r, j, "requestId"),
                                           .parts = spans };
    if (json_type(json_member(j, "usage")) == JSON_OBJECT) {
        usage = totals_of(json_member(j, "usage"));
        out->entry.usage = &usage;
    }
    while (json_type(parts) == JSON_ARRAY && json_next(&it))
        spans[out->entry.nparts++] = json_raw(it.value);
    if (cstr_empty(out->id))
        return give_problem(r, err, "an entry without an id");
    if (out->entry.kind == BOUGH_ENTRY_OTHER && cstr_empty(out->entry.kind_name))
        out->entry.kind_name = text_in(r, j, "kind");
    return give_entry(r, &item, err);
}

static enum bough_rc read_label(struct reading *r, struct json j, struct bough_error *err)
{
    struct item item = { .kind = ITEM_LABEL };

    item.u.label =
        (struct item_label){ text_in(r, j, "entry"), text_in(r, j, "text"), number_of(j, "time") };
    if (cstr_empty(item.u.label.entry) || !item.u.label.text)
        return give_problem(r, err, "a label without an entry or a text");
    return give(r, &item, err);
}

static enum bough_rc read_memory(struct reading *r, struct json j, struct bough_error *err)
{
    struct item item = { .kind = ITEM_MEMORY };
    const char *scope = text_in(r, j, "scope");

    item.u.memory = (struct bough_memory){ .title = text_in(r, j, "title"),
                                           .body = text_in(r, j, "body"),
                                           .content = text_in(r, j, "content"),
                                           .source = text_in(r, j, "source"),
                                           .path = text_in(r, j, "path"),
                                           .created = number_of(j, "created"),
                                           .updated = number_of(j, "updated"),
                                           .deleted = number_of(j, "deleted") };
    if (cstr_eq(scope, "project")) {
        item.u.memory.scope = BOUGH_MEMORY_OF_PROJECT;
        item.u.memory.of = text_in(r, j, "of");
    } else if (cstr_eq(scope, "all")) {
        item.u.memory.scope = BOUGH_MEMORY_OF_STORE;
    } else if (scope) {
        return give_problem(r, err, "a memory of an unknown scope: %.60s", scope);
    }
    return give(r, &item, err);
}

static enum bough_rc read_prompt(struct reading *r, struct json j, struct bough_error *err)
{
    struct item item = { .kind = ITEM_PROMPT };

    item.u.prompt = (struct bough_prompt){ .content = text_in(r, j, "content"),
                                           .runtime_kind = text_in(r, j, "runtimeKind"),
                                           .provider = text_in(r, j, "provider"),
                                           .model = text_in(r, j, "model"),
                                           .workspace = text_in(r, j, "workspace"),
                                           .system_prompt = text_in(r, j, "systemPrompt"),
                                           .adapter_id = text_in(r, j, "adapterId"),
                                           .data = raw_of(j, "data"),
                                           .created = number_of(j, "created"),
                                           .updated = number_of(j, "updated") };
    if (cstr_empty(item.u.prompt.content))
        return give_problem(r, err, "a prompt without content");
    return give(r, &item, err);
}

static enum bough_rc read_other(struct reading *r, struct json j, const char *type,
                                struct bough_error *err)
{
    struct item item = { .kind = ITEM_HEAD };

    if (cstr_eq(type, "head")) {
        item.u.id = text_in(r, j, "id");
        return give(r, &item, err);
    }
    if (cstr_eq(type, "call")) {
        take_call(r, j, &item);
        return give(r, &item, err);
    }
    if (cstr_eq(type, "label"))
        return read_label(r, j, err);
    if (cstr_eq(type, "memory"))
        return read_memory(r, j, err);
    if (cstr_eq(type, "prompt"))
        return read_prompt(r, j, err);
    if (cstr_eq(type, "todos"))
        return give_todos(r, json_member(j, "items"), err);
    return give_problem(r, err, "a line of an unknown type: %.60s", type ? type : "none");
}

enum bough_rc own_line(struct reading *r, struct bough_str line, struct bough_error *err)
{
    struct bough_in *in = r->state ? r->state : arena_zalloc(r->kept, sizeof *in);
    const char *type;
    struct json j;
    enum bough_rc rc;

    r->state = in;
    if (!line_object(r, line, &j, &rc, err))
        return rc;
    type = text_in(r, j, "type");
    if (cstr_eq(type, "line") && json_str(r->a, json_member(j, "json"), &line)) {
        if (!line_object(r, line, &j, &rc, err))
            return rc;
        type = text_in(r, j, "type");
    }
    if (cstr_eq(type, "session")) {
        in->begun = true;
        r->first = (struct line_place){ r->at, r->line };
        return read_session(r, j, err);
    }
    if (cstr_eq(type, "memory") && text_in(r, j, "scope")) {
        in->begun = true;
        return read_memory(r, j, err);
    }
    if (!in->begun)
        return bough_fail(err, BOUGH_INVALID, "line %lld comes before any session",
                          (long long)r->line);
    return cstr_eq(type, "entry") ? read_entry(r, j, err) : read_other(r, j, type, err);
}

enum bough_rc own_end(struct reading *r, struct bough_error *err)
{
    const struct bough_in *in = r->state;

    if (!in || !in->begun)
        return bough_fail(err, BOUGH_INVALID, "there is no session in it");
    return BOUGH_OK;
}

/* New lines belong to the last session, and refer to each other by id. */
bool own_leave(const struct reading *r, struct buf *state)
{
    (void)state;
    return r->first.line > 0;
}
