/*
 * What openapi.json says: the schemas of bodies, the meaning of each member, the words a member can
 * be, and the answers of an operation. All of it is tables; print.c and openapi.c print them, and
 * the tests hold every answer against them.
 */
#ifndef API_SCHEMA_SCHEMA_H
#define API_SCHEMA_SCHEMA_H

#include "api/kit/api.h"

/*
 * The schema of a body, or of an object in one. `members` is an object in short form: "id:string
 * time?:time|null items:[Session] kind:'a'|'b'". A name with "?" is optional. A type is string,
 * integer, number, boolean, null, object, time, any, [array], {map} with values of that type,
 * 'literal', or the name of another schema or list of words. The prefix "only " forbids other
 * members (request bodies), "more " allows them.
 */
struct api_schema {
    const char *name; /* "Session" */
    const char *about;
    const char *members;
    const char *example; /* JSON; every request body has one */
};

extern const struct api_schema api_own_schemas[];      /* rows.c; ends with { 0 } */
extern const struct api_schema api_run_schemas[];      /* rows_runs.c */
extern const struct api_schema api_original_schemas[]; /* rows_originals.c */

/* The i-th schema of these tables; NULL behind the last. */
const struct api_schema *api_schema_at(size_t i);

/*
 * What a member means. `name` is "no", for members of this name in every schema, or
 * "Delta.at", which wins. `least` and `most` are printed for request bodies: the range of an
 * integer, the length of a string, the items of an array. `most` 0: unlimited.
 */
struct api_about {
    const char *name, *about;
    const char *example; /* JSON, or NULL */
    int64_t least, most;
};

extern const struct api_about api_names[];          /* about_names.c; ends with { 0 } */
extern const struct api_about api_members[];        /* about_members.c: "Delta.at" */
extern const struct api_about api_run_members[];    /* about_runs.c: the same for runs */
extern const struct api_about api_original_names[]; /* about_originals.c: they win over api_names */

/* The row of a member of a schema, or NULL. */
const struct api_about *api_about(const char *schema, struct bough_str member);

/* What a {name} in a path means. */
struct api_path_name {
    const char *name, *about;
    const char *const *words; /* its values, then NULL; NULL: any */
};

/* The row of a {name}, or NULL. */
const struct api_path_name *api_about_path(struct bough_str name);

/* A list of words. An open list may grow, and readers must expect other words. */
struct api_words {
    const char *name, *about;
    const char *(*at)(size_t i); /* NULL behind the last */
    bool open;
};

extern const struct api_words api_words[]; /* words.c; ends with { 0 } */

/* Write a schema or a list of words as JSON Schema. False when there is none of this name. */
bool api_schema_write(struct json_writer *w, const char *name);

/* An error answer that operations share: a status and the codes it comes with. */
struct api_answer {
    int status;
    const char *name; /* "NotFound", in components/responses */
    const char *about;
};

extern const struct api_answer api_answers[]; /* answers.c; ends with { 0 } */

/* May this operation answer with this status? Success, 304, 206, 204 and errors. */
bool api_may_answer(const struct http_route *r, int status);
/* The codes that `error.code` can have: those of the library, then those of the server. NULL behind
 * the last. *status is the HTTP status of the code. */
const char *api_error_code(size_t i, int *status);

/* The group of an operation in openapi.json. */
struct api_tag {
    const char *name, *about;
};

extern const struct api_tag api_tags[]; /* tags.c; ends with { 0 } */
const char *api_tag_of(const struct http_route *r);

/* The parts of openapi.json that belong to no operation: written before and after its paths. */
void api_document_head(struct json_writer *w);
void api_document_components(struct json_writer *w);

#endif
