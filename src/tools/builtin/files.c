/* Built-in tools for the files of a workspace: read, write and edit. Lists and searches are in
 * files_find.c. */
#include "tools/builtin/files.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "tools/builtin/beneath.h"

enum {
    PATH_MOST = 4095,
    SHOWN_MOST = 256 * 1024, /* bytes of one read */
};

const char *files_path(struct builtin_call *c, const char *fallback)
{
    const char *path = arg_cstr(c, "path", fallback), *out = NULL;
    struct bough_error err;

    if (beneath_path(c->a, c->in->workspace, path, &out, &err)) {
        builtin_fail(c, "%s", err.msg);
        return NULL;
    }
    return out;
}

/* The whole file as text; false: the call has failed. */
static bool read_text(struct builtin_call *c, const char *path, struct bough_str *out)
{
    struct bough_error err;

    if (beneath_read(c->a, c->in->dir, path, FILES_MOST, out, &err)) {
        builtin_fail(c, "%s", err.msg);
        return false;
    }
    if (utf8_valid(out->p, out->n) < out->n || memchr(out->p, '\0', out->n)) {
        builtin_fail(c, "%s is not a text file (%zu bytes)", path, out->n);
        return false;
    }
    return true;
}

/* ---- read ---- */

static const struct builtin_field read_fields[] = {
    { "path", FIELD_TEXT, "File, relative to the workspace", .most = PATH_MOST, .required = true },
    { "offset", FIELD_INTEGER, "First line, from 1", .least = 1, .most = INT32_MAX },
    { "limit", FIELD_INTEGER, "Number of lines; all if absent", .least = 1, .most = INT32_MAX },
    { 0 },
};

/* The bytes of `n` lines. */
static size_t lines_length(struct bough_str text, int64_t n)
{
    const char *p = text.p, *end = text.p + text.n;

    while (n-- > 0 && p < end) {
        const char *line = memchr(p, '\n', (size_t)(end - p));

        p = line ? line + 1 : end;
    }
    return (size_t)(p - text.p);
}

static int64_t count_lines(struct bough_str text)
{
    int64_t n = text.n && text.p[text.n - 1] != '\n';

    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n';
    return n;
}

static void read_details(struct builtin_call *c, const char *path, int64_t from, int64_t lines,
                         int64_t total)
{
    struct json_writer w;
    struct buf out;

    buf_init(&out, 64 * 1024);
    jw_init(&w, &out);
    jw_obj(&w);
    jw_kv_cstr(&w, "path", path);
    jw_kv_i64(&w, "from", from);
    jw_kv_i64(&w, "lines", lines);
    jw_kv_i64(&w, "total", total);
    jw_end_obj(&w);
    c->out->details = buf_give(&out, c->a);
}

static void read_file(struct builtin_call *c)
{
    int64_t from = arg_int(c, "offset", 1), most = arg_int(c, "limit", INT32_MAX), shown;
    const char *path = files_path(c, "");
    struct bough_str all, part;
    size_t skip;

    if (!path || !read_text(c, path, &all))
        return;
    skip = lines_length(all, from - 1);
    part = str_make(all.p + skip, all.n - skip);
    part.n = lines_length(part, most);
    if (part.n > SHOWN_MOST) { /* whole lines, if there is one */
        size_t n = utf8_cut(part.p, part.n, SHOWN_MOST);
        const char *end = memrchr(part.p, '\n', n);

        part.n = end ? (size_t)(end - part.p) + 1 : n;
    }
    shown = count_lines(part);
    read_details(c, path, from, shown, count_lines(all));
    if (!part.n && all.n)
        builtin_fail(c, "%s has only %lld lines", path, (long long)count_lines(all));
    else if (skip + part.n < all.n)
        c->out->text = str_of(
            arena_printf(c->a, "%.*s\n[lines %lld to %lld of %lld; read on with offset %lld]",
                         (int)part.n, part.p, (long long)from, (long long)(from + shown - 1),
                         (long long)count_lines(all), (long long)(from + shown)));
    else
        c->out->text = part;
}

/* ---- write, edit ---- */

static const struct builtin_field write_fields[] = {
    { "path", FIELD_TEXT, "File, relative to the workspace; folders are created", .most = PATH_MOST,
      .required = true },
    { "content", FIELD_TEXT, "The whole new content", .most = FILES_MOST, .required = true },
    { 0 },
};

static void change_details(struct builtin_call *c, const char *path, bool created,
                           struct bough_str before, struct bough_str after)
{
    struct json_writer w;
    struct buf out;

    buf_init(&out, 8 * DIFF_MOST);
    jw_init(&w, &out);
    jw_obj(&w);
    jw_kv_cstr(&w, "path", path);
    jw_kv_bool(&w, "created", created);
    jw_kv_str(&w, "diff", builtin_diff(c->a, before, after));
    jw_end_obj(&w);
    c->out->details = buf_give(&out, c->a);
}

/* Write and report it; `done` says what happened. */
static void store_text(struct builtin_call *c, const char *path, struct bough_str before,
                       struct bough_str after, const char *done)
{
    struct bough_error err;
    bool created;

    if (beneath_write(c->in->dir, path, after, &created, &err)) {
        builtin_fail(c, "%s", err.msg);
        return;
    }
    change_details(c, path, created, before, after);
    builtin_say(c, "%s %s (%zu bytes)", created ? "Created" : done, path, after.n);
}

static void write_file(struct builtin_call *c)
{
    struct bough_str before = str_of(""), after = arg_text(c, "content");
    const char *path = files_path(c, "");
    struct bough_error err;

    if (!path)
        return;
    /* A file that is not text has no diff worth showing. */
    if (beneath_read(c->a, c->in->dir, path, FILES_MOST, &before, &err) ||
        utf8_valid(before.p, before.n) < before.n)
        before = str_of("");
    store_text(c, path, before, after, "Wrote");
}

static const struct builtin_field edit_fields[] = {
    { "path", FIELD_TEXT, "File, relative to the workspace", .most = PATH_MOST, .required = true },
    { "old_text", FIELD_TEXT,
      "Text to replace, exactly as it is in the file, with enough around it to occur once",
      .most = FILES_MOST, .required = true },
    { "new_text", FIELD_TEXT, "Text to put in its place", .most = FILES_MOST, .required = true },
    { "replace_all", FIELD_FLAG, "Replace every occurrence" },
    { 0 },
};

static size_t count_in(struct bough_str text, struct bough_str what)
{
    const char *p = text.p, *end = text.p + text.n;
    size_t n = 0;

    while ((p = memmem(p, (size_t)(end - p), what.p, what.n))) {
        n++;
        p += what.n;
    }
    return n;
}

static struct bough_str replaced(struct bough_arena *a, struct bough_str text,
                                 struct bough_str what, struct bough_str with, bool *over)
{
    const char *p = text.p, *end = text.p + text.n, *hit;
    struct bough_str done;
    struct buf out;

    buf_init(&out, FILES_MOST);
    while ((hit = memmem(p, (size_t)(end - p), what.p, what.n))) {
        buf_put(&out, p, (size_t)(hit - p));
        buf_put_str(&out, with);
        p = hit + what.n;
    }
    buf_put(&out, p, (size_t)(end - p));
    *over = out.over;
    done = buf_give(&out, a);
    buf_finish(&out);
    return done;
}

static void edit_file(struct builtin_call *c)
{
    struct bough_str what = arg_text(c, "old_text"), with = arg_text(c, "new_text"), before, after;
    const char *path = files_path(c, "");
    size_t n;
    bool over;

    if (!path || !read_text(c, path, &before))
        return;
    n = what.n ? count_in(before, what) : 0;
    if (!what.n)
        builtin_fail(c, "old_text is empty: use files_write to create a file");
    else if (!n)
        builtin_fail(c, "old_text is not in %s: read the file and copy the text exactly", path);
    else if (n > 1 && !arg_flag(c, "replace_all"))
        builtin_fail(c, "old_text occurs %zu times in %s: add lines around it, or set replace_all",
                     n, path);
    else if (str_eq(what, with))
        builtin_fail(c, "old_text and new_text are the same");
    if (c->out->is_error)
        return;
    after = replaced(c->a, before, what, with, &over);
    if (over)
        builtin_fail(c, "%s would be larger than %d bytes", path, FILES_MOST);
    else
        store_text(c, path, before, after, "Changed");
}

/* ---- the table ---- */

static const struct builtin_tool tools[] = {
    { "read", "Read a file", "Read a text file of the workspace, or some lines of it.", "read",
      read_fields, true, read_file },
    { "list", "List files", "List the files of a folder of the workspace, folders with a slash.",
      "read", files_list_fields, true, files_list },
    { "search", "Search files",
      "Find lines in the files of the workspace by a regular expression; case does not matter.",
      "search", files_search_fields, true, files_search },
    { "write", "Write a file", "Create a text file in the workspace, or replace it as a whole.",
      "edit", write_fields, false, write_file },
    { "edit", "Edit a file", "Replace a text in a file of the workspace by another one.", "edit",
      edit_fields, false, edit_file },
    { 0 },
};

static const char *missing(const struct builtin_scene *in)
{
    return in->dir < 0 ? "it needs a workspace" : NULL;
}

const struct builtin_server builtin_files = { "files", tools, missing };
