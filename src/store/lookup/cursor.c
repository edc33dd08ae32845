/* Page cursors: numbers joined by dots. */
#include "store/lookup/cursor.h"

#include <inttypes.h>
#include <string.h>

#include "base/json/pull.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

const char *cursor_write(struct bough_arena *a, const int64_t *numbers, size_t n)
{
    const char *text = "";

    for (size_t i = 0; i < n; i++)
        text = arena_printf(a, "%s%s%" PRId64, text, i ? "." : "", numbers[i]);
    return text;
}

enum bough_rc cursor_bad(struct bough_error *err)
{
    return bough_fail(err, BOUGH_INVALID, "this cursor belongs to another list");
}

enum bough_rc cursor_read(const char *text, int64_t *numbers, size_t n, struct bough_error *err)
{
    size_t len;

    if (cstr_empty(text))
        return BOUGH_OK;
    for (size_t i = 0; i < n; i++) {
        len = strcspn(text, ".");
        if (!json_span_i64(str_make(text, len), &numbers[i]) || (text[len] == '.') != (i + 1 < n))
            return cursor_bad(err);
        text += len + (text[len] == '.');
    }
    return BOUGH_OK;
}
