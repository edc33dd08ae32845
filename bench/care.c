/* Disk usage over time: images stored repeatedly, and space freed by a purge. */
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/base64.h"
#include "bench.h"

/* ---- repeated images ---- */

enum { IMAGES = 22, COPIES = 2331, IMAGE_BYTES = 60000 };

struct pictures {
    struct bough_store *s;
    struct bough_arena *a;
    char session[BOUGH_ID_LEN + 1];
    const struct bough_str *parts;
};

/* Random bytes, which do not compress, like images. */
static struct bough_str picture(struct bough_arena *a, uint64_t *rng, bool text)
{
    size_t n = base64_length(IMAGE_BYTES);
    char *bytes = arena_alloc(a, IMAGE_BYTES), *base64 = arena_alloc(a, n + 1);
    const char *json;

    for (size_t i = 0; i < IMAGE_BYTES; i++)
        bytes[i] = (char)rng_next(rng);
    base64_encode(bytes, IMAGE_BYTES, base64);
    base64[n] = '\0';
    json = text ? arena_printf(a, "{\"type\":\"text\",\"text\":\"%s\"}", base64)
                : arena_printf(a, "{\"type\":\"image\",\"data\":\"%s\",\"mimeType\":\"image/png\"}",
                               base64);
    return (struct bough_str){ json, strlen(json) };
}

static void run_picture(void *user, size_t i)
{
    struct pictures *p = user;
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .nparts = 1 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_error err;

    e.parts = &p->parts[i * 7 % IMAGES];
    bough_arena_reset(p->a);
    must(bough_append(p->s, p->a, p->session, &in, &out, &err), &err, "append");
}

static struct pictures pictures_new(struct bench *b, const char *name, struct bough_arena *keep,
                                    bool text)
{
    struct pictures p = { .s = store_new(scratch(b, name), true), .a = bough_arena_create() };
    struct bough_str *parts = arena_array(keep, IMAGES, sizeof *parts);
    uint64_t rng = 22;

    for (size_t i = 0; i < IMAGES; i++)
        parts[i] = picture(keep, &rng, text);
    p.parts = parts;
    session_new(p.s, "pictures", p.session);
    return p;
}

static void run_read(void *user, size_t i)
{
    struct pictures *p = user;
    struct bough_entries_read_options how = { .limit = 20, .newest = true };

    (void)i;
    if (read_path(p->s, p->a, p->session, &how) != 20)
        exit(2);
}

static void read_pictures(struct pictures *image, struct pictures *text)
{
    struct side sides[] = { { .name = "read image", .run = run_read, .user = image },
                            { .name = "read text", .run = run_read, .user = text } };

    interleave(sides, 2, 20, 5);
    note("reading 20 of them: %.0f us, as texts %.0f us", median(&sides[0].us),
         median(&sides[1].us));
    sides_finish(sides, 2);
}

/* One side stores images as image parts, the other as text parts, which are never moved to
 * attachments. */
void bench_images(struct bench *b)
{
    struct bough_arena *keep = bough_arena_create();
    struct pictures image = pictures_new(b, "images", keep, false);
    struct pictures text = pictures_new(b, "texts", keep, true);
    struct side sides[] = { { .name = "image", .run = run_picture, .user = &image },
                            { .name = "text", .run = run_picture, .user = &text } };
    int64_t small, large;

    interleave(sides, 2, COPIES / 21, 21);
    samples_note("append a picture that is known", &sides[0].us);
    samples_note("append the same bytes as a text", &sides[1].us);
    read_pictures(&image, &text);
    bough_store_close(&image.s);
    bough_store_close(&text.s);
    small = dir_bytes(arena_printf(keep, "%s/images", b->dir));
    large = dir_bytes(arena_printf(keep, "%s/texts", b->dir));
    note("%d copies of %d pictures: %.1f MB, as texts %.1f MB", COPIES, IMAGES, (double)small / 1e6,
         (double)large / 1e6);
    figure(b, "images_2331_of_22_size",
           (double)small / ((double)COPIES * (double)image.parts[0].n));
    figure(b, "append_known_image_vs_inline", median(&sides[0].us) / median(&sides[1].us));
    sides_finish(sides, 2);
    bough_arena_destroy(image.a);
    bough_arena_destroy(text.a);
    bough_arena_destroy(keep);
}

/* ---- space freed by a purge ---- */

enum { SHRINK_SESSIONS = 200 };

/* Purges every second session, so that freed and used pages alternate. */
void bench_shrink(struct bench *b)
{
    const char *dir = scratch(b, "shrink");
    struct bough_arena *a = bough_arena_create();
    struct bough_store *s = store_new(dir, true);
    char ids[SHRINK_SESSIONS][BOUGH_ID_LEN + 1];
    size_t per = b->full ? 1000 : 200;
    int64_t before, after;
    struct bough_error err;
    double from;

    syncs_skip(true);
    for (size_t i = 0; i < SHRINK_SESSIONS; i++)
        session_new(s, "shrink", ids[i]);
    for (size_t k = 0; k < per; k += 50)
        for (size_t i = 0; i < SHRINK_SESSIONS; i++)
            append_many(s, ids[i], i * per + k, 50);
    bough_store_close(&s); /* leaves one file without a WAL */
    before = dir_bytes(dir);
    s = store_new(dir, true);
    from = now_us();
    for (size_t i = 0; i < SHRINK_SESSIONS; i += 2) {
        bough_arena_reset(a);
        must(bough_session_purge(s, a, ids[i], NULL, &err), &err, "purge");
    }
    must(bough_store_upkeep(s, &err), &err, "upkeep");
    after = dir_bytes(dir);
    note("%d of %d sessions purged in %.0f ms: %.1f MB, then %.1f MB", SHRINK_SESSIONS / 2,
         SHRINK_SESSIONS, (now_us() - from) / 1e3, (double)before / 1e6, (double)after / 1e6);
    figure(b, "purge_half_shrinks", 1 - (double)after / (double)before);
    syncs_skip(false);
    bough_store_close(&s);
    scratch_remove(dir);
    bough_arena_destroy(a);
}
