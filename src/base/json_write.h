/* JSON, writing: straight into a buffer, commas by themselves. Included by json.h. */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include "base/buf.h"
#include "base/json.h"

/* Overflow shows in the buffer (buf.over); check it once at the end. */
struct json_writer {
    struct buf *out;
    size_t start; /* where it began in `out` */
    bool comma;   /* the next key or value needs one before it */
};

/* A string as it stands between its quotes; see jw_str(). */
void json_escape(struct buf *out, struct bough_str s);

void jw_init(struct json_writer *w, struct buf *out);

/* Raw spans may have line breaks between their tokens, and nowhere else: is there one in what was
 * written since jw_init()? Taking them out changes no value, and makes it one line. */
bool jw_has_breaks(const struct json_writer *w);
void jw_drop_breaks(struct json_writer *w);

void jw_obj(struct json_writer *w);
void jw_end_obj(struct json_writer *w);
void jw_arr(struct json_writer *w);
void jw_end_arr(struct json_writer *w);

/* Plain names, written as they are when they need no escaping. */
void jw_key(struct json_writer *w, const char *key);
void jw_key_str(struct json_writer *w, struct bough_str key);

/* UTF-8 in; bytes that are not become U+FFFD. Escapes quotes, backslash, C0, U+2028 and U+2029. */
void jw_str(struct json_writer *w, struct bough_str s);
void jw_cstr(struct json_writer *w, const char *s); /* NULL becomes null */
void jw_i64(struct json_writer *w, int64_t v);
void jw_u64(struct json_writer *w, uint64_t v);
void jw_f64(struct json_writer *w, double v); /* shortest text that reads back the same */
void jw_bool(struct json_writer *w, bool v);
void jw_null(struct json_writer *w);

/* A span that is valid JSON already, byte for byte. Empty becomes null. */
void jw_raw(struct json_writer *w, struct bough_str json);

/* Key and value; the jw_opt_ ones write nothing for NULL, "" and (i64) 0. */
void jw_kv_cstr(struct json_writer *w, const char *key, const char *s);
void jw_kv_str(struct json_writer *w, const char *key, struct bough_str s);
void jw_kv_i64(struct json_writer *w, const char *key, int64_t v);
void jw_kv_bool(struct json_writer *w, const char *key, bool v);
void jw_kv_raw(struct json_writer *w, const char *key, struct bough_str json);
void jw_opt_cstr(struct json_writer *w, const char *key, const char *s);
void jw_opt_str(struct json_writer *w, const char *key, struct bough_str s);
void jw_opt_i64(struct json_writer *w, const char *key, int64_t v);
void jw_opt_raw(struct json_writer *w, const char *key, struct bough_str json);

/*
 * One text for equal values, for hashing: names sorted bytewise after undoing escapes, the last of
 * duplicates kept, no spaces, strings escaped only where they must be (lone surrogates stay
 * escapes), numbers by value: integers within int64 as digits, others in the shortest form that
 * reads back as the same double; one too large for a double keeps its text.
 */
void json_canon(struct buf *out, struct json j);

#endif
