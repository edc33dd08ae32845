/* The parts of openapi.json that belong to no operation: its introduction and the components. */
#include <string.h>

#include "api/schema/schema.h"
#include "base/text/str.h"

static const char introduction[] =
    "Sessions of AI agents: conversations that can branch and fork.\n\n"
    "- A **session** has entries. An **entry** is a message, or something between messages. A "
    "message has **parts**: text, reasoning, tool, file.\n"
    "- A position is `#branch.depth`, such as `#1.2`: the entry at depth 2, counted from 1 at the "
    "root, on the path of branch 1. In a path it is sent as `%231.2`.\n"
    "- The **head** of a session is the position that the next append goes behind.\n"
    "- `no` is the number of the commit that stored something: the order of time in the whole "
    "store. `rev` of a session is the `no` of its last change.\n"
    "- A **lease** gives one `owner` the right to write for some time. Its `epoch` grows with "
    "every new owner.\n"
    "- Times are ISO 8601 in UTC. Requests also take milliseconds since 1970.\n"
    "- Lists come in pages: send `next` as `cursor` to get the next one.\n"
    "- Names that are not listed here may be added; a reader must ignore them.\n"
    "- Every answer has an `X-Request-Id`; a request may choose it. Answers of more than 1 KB are "
    "compressed when the request has `Accept-Encoding: gzip`. Bodies of requests are not "
    "compressed.\n";

void api_document_head(struct json_writer *w)
{
    jw_kv_cstr(w, "openapi", "3.1.0");
    jw_key(w, "info");
    jw_obj(w);
    jw_kv_cstr(w, "title", "bough");
    jw_kv_cstr(w, "version", bough_version());
    jw_kv_cstr(w, "summary", "The session store for AI agents.");
    jw_kv_cstr(w, "description", introduction);
    jw_key(w, "license");
    jw_raw(w, str_of("{\"name\":\"MIT\",\"identifier\":\"MIT\"}"));
    jw_end_obj(w);
    jw_key(w, "servers");
    jw_raw(w, str_of("[{\"url\":\"/\"}]"));
    jw_key(w, "security");
    jw_raw(w, str_of("[{\"token\":[]},{\"browser\":[]}]"));
    jw_key(w, "tags");
    jw_arr(w);
    for (const struct api_tag *t = api_tags; t->name; t++) {
        jw_obj(w);
        jw_kv_cstr(w, "name", t->name);
        jw_kv_cstr(w, "description", t->about);
        jw_end_obj(w);
    }
    jw_end_arr(w);
}

/* Headers of answers. */
static const struct {
    const char *name, *about;
} headers[] = {
    { "Accept-Ranges", "`bytes`: the route takes Range." },
    { "Content-Disposition", "A name for the file." },
    { "Content-Range", "Which bytes these are, and the size of the whole." },
    { "ETag", "The state of the resource, in quotes; send it as If-Match or If-None-Match." },
    { "Location", "The path of the new session." },
    { "Retry-After", "How many seconds to wait before the next attempt." },
    { "WWW-Authenticate", "How to send a credential." },
    { "X-Request-Id", "The id of the request, as the server's log shows it." },
};

static void write_headers(struct json_writer *w)
{
    jw_key(w, "headers");
    jw_obj(w);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        jw_key(w, headers[i].name);
        jw_obj(w);
        jw_kv_cstr(w, "description", headers[i].about);
        jw_key(w, "schema");
        jw_raw(w, str_of("{\"type\":\"string\"}"));
        jw_end_obj(w);
    }
    jw_end_obj(w);
}

static void header_ref(struct json_writer *w, const char *name)
{
    struct buf b;

    buf_init(&b, 256);
    buf_puts(&b, "#/components/headers/");
    buf_puts(&b, name);
    jw_key(w, name);
    jw_obj(w);
    jw_kv_str(w, "$ref", buf_str(&b));
    jw_end_obj(w);
    buf_finish(&b);
}

/* The sentence of the answer, and the codes it comes with. */
static void answer_about(struct json_writer *w, const struct api_answer *a)
{
    const char *code, *between = " Codes: ";
    struct buf b;
    int status;

    buf_init(&b, 4096);
    buf_puts(&b, a->about);
    for (size_t i = 0; (code = api_error_code(i, &status)); i++)
        if (status == a->status) {
            buf_puts(&b, between);
            buf_puts(&b, code);
            between = ", ";
        }
    buf_puts(&b, ".");
    jw_kv_str(w, "description", buf_str(&b));
    buf_finish(&b);
}

static void write_answers(struct json_writer *w)
{
    jw_key(w, "responses");
    jw_obj(w);
    for (const struct api_answer *a = api_answers; a->status; a++) {
        jw_key(w, a->name);
        jw_obj(w);
        answer_about(w, a);
        jw_key(w, "headers");
        jw_obj(w);
        header_ref(w, "X-Request-Id");
        if (a->status == 429 || a->status == 503)
            header_ref(w, "Retry-After");
        if (a->status == 401)
            header_ref(w, "WWW-Authenticate");
        if (a->status == 416)
            header_ref(w, "Content-Range");
        jw_end_obj(w);
        jw_key(w, "content");
        jw_raw(w, str_of("{\"application/json\":{\"schema\":{\"$ref\":"
                         "\"#/components/schemas/Error\"}}}"));
        jw_end_obj(w);
    }
    jw_end_obj(w);
}

static void write_schemas(struct json_writer *w)
{
    const struct api_schema *s;

    jw_key(w, "schemas");
    jw_obj(w);
    for (size_t i = 0; (s = api_schema_at(i)); i++) {
        jw_key(w, s->name);
        (void)api_schema_write(w, s->name);
    }
    for (const struct api_words *list = api_words; list->name; list++) {
        jw_key(w, list->name);
        (void)api_schema_write(w, list->name);
    }
    jw_end_obj(w);
}

void api_document_components(struct json_writer *w)
{
    jw_key(w, "components");
    jw_obj(w);
    jw_key(w, "securitySchemes");
    jw_raw(w, str_of("{\"token\":{\"type\":\"http\",\"scheme\":\"bearer\",\"description\":"
                     "\"A token of `bough token create`.\"},"
                     "\"browser\":{\"type\":\"apiKey\",\"in\":\"cookie\",\"name\":\"bough_PORT\","
                     "\"description\":\"Set by the link that `bough serve` prints.\"}}"));
    write_headers(w);
    write_answers(w);
    write_schemas(w);
    jw_end_obj(w);
}
