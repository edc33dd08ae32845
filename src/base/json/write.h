/* JSON, writing: straight into a buffer, commas inserted automatically. Included by json.h. */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include "base/json/json.h"
#include "base/memory/buf.h"

/*
 * The writer inserts commas and colons; the caller must nest and close objects and arrays
 * correctly, which is not checked. Overflow sets buf.over; check it once, at the end.
 */
struct json_writer {
    struct buf *out;
    size_t start; /* length of `out` at jw_init() */
    bool comma;   /* the next key or value needs a comma before it */
};

/* Write a string's contents without the quotes, escaped as by jw_str(). */
void json_escape(struct buf *out, struct bough_str s);

/* Appends to `out`, which must outlive the writer. Nothing to free. */
void jw_init(struct json_writer *w, struct buf *out);

/*
 * Raw spans (jw_raw) may contain line breaks between their tokens; other output has none.
 * jw_has_breaks: is there one in the output since jw_init()? jw_drop_breaks removes them all, which
 * changes no value and leaves one line.
 */
bool jw_has_breaks(const struct json_writer *w);
void jw_drop_breaks(struct json_writer *w);

void jw_obj(struct json_writer *w);
void jw_end_obj(struct json_writer *w);
void jw_arr(struct json_writer *w);
void jw_end_arr(struct json_writer *w);

/* Write a member's name, escaped as by jw_str(); its value must follow. */
void jw_key(struct json_writer *w, const char *key);
void jw_key_str(struct json_writer *w, struct bough_str key);

/*
 * Write a string value. Bytes that are not UTF-8 become U+FFFD. Escaped are quotes, backslashes,
 * control characters below U+0020, U+2028 and U+2029.
 */
void jw_str(struct json_writer *w, struct bough_str s);
void jw_cstr(struct json_writer *w, const char *s); /* NULL becomes null */
void jw_i64(struct json_writer *w, int64_t v);
void jw_u64(struct json_writer *w, uint64_t v);
void jw_f64(struct json_writer *w, double v); /* shortest exact text; null unless finite */
void jw_bool(struct json_writer *w, bool v);
void jw_null(struct json_writer *w);

/* Copy a span, which must be valid JSON, byte for byte. An empty span becomes null. */
void jw_raw(struct json_writer *w, struct bough_str json);

/* Write a name and its value. The jw_opt_ functions write nothing for NULL, "" and 0. */
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
 * Write the canonical form, for hashing: equal values give equal text. Names are decoded and
 * sorted bytewise, and of duplicates only the last is kept. There are no spaces. Strings are
 * escaped only where required; lone surrogates stay escapes. Integers within int64 are written as
 * digits, other numbers as the shortest text that reads back as the same double. A number too
 * large for a double keeps its text.
 */
void json_canon(struct buf *out, struct json j);

#endif
