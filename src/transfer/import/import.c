/* Imports a file: from its claim in the store to the report. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/process.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "store/care/salvage/salvage.h"
#include "store/write/import_api.h"
#include "transfer/import/import.h"
#include "transfer/import/opencode_storage.h"
#include "transfer/pipeline/pipeline.h"
#include "transfer/sources/packed.h"
#include "transfer/sources/sqlite_file.h"

enum {
    CLAIM_MS = 60000,
    RENEW_ITEMS = 4096,
    RENEW_BYTES = 16 * 1024 * 1024,
};

/* Never open the store's own file: closing it would release SQLite's locks on it. */
static bool is_store(struct import *im)
{
    struct bough_store_info_result info;
    struct stat its, here;

    return bough_store_info(im->s, im->placer.a, &info, NULL) == BOUGH_OK && *info.path &&
           stat(info.path, &its) == 0 && stat(im->path, &here) == 0 && its.st_dev == here.st_dev &&
           its.st_ino == here.st_ino;
}

/* A session of opencode's storage is spread over many files: assemble them. */
static enum bough_rc open_gathered(struct import *im, struct bough_error *err)
{
    int fd = -1;
    enum bough_rc rc = opencode_storage_read(&im->placer, im->path, &fd, err);

    if (rc || fd < 0)
        return rc;
    close(im->fd);
    im->fd = fd;
    im->gathered = im->storage = true;
    im->size = (int64_t)lseek(fd, 0, SEEK_END);
    return BOUGH_OK;
}

static bool tell_unpacking(void *user, int64_t done)
{
    const struct import *im = user;

    (void)done; /* progress counts the bytes that are imported */
    return !im->how->progress || im->how->progress(im->how->user, 0, im->size);
}

/* A compressed file is unpacked first. */
static enum bough_rc open_packed(struct import *im, struct bough_error *err)
{
    char first[16];
    ssize_t got = pread(im->fd, first, sizeof first, 0);
    const char *with = packed_with(str_make(first, got > 0 ? (size_t)got : 0));
    int fd;
    enum bough_rc rc;

    if (!with)
        return BOUGH_OK;
    rc = packed_open(im->fd, im->name, tell_unpacking, im, &fd, err);
    if (rc)
        return rc;
    close(im->fd);
    im->fd = fd;
    im->gathered = true;
    im->size = (int64_t)lseek(fd, 0, SEEK_END);
    got = pread(fd, first, sizeof first, 0);
    if (sqlite_file_is(str_make(first, got > 0 ? (size_t)got : 0)))
        return bough_hint(
            err, bough_fail(err, BOUGH_INVALID, "%s is a database packed with %s", im->name, with),
            "unpack it, and import the unpacked file");
    return BOUGH_OK;
}

static enum bough_rc open_file(struct import *im, struct bough_error *err)
{
    struct stat st;
    enum bough_rc rc;

    if (is_store(im))
        return bough_fail(err, BOUGH_INVALID, "%s is this store itself", im->name);
    if (stat(im->path, &st) == 0 && !S_ISREG(st.st_mode)) /* never open a pipe or a device */
        return bough_fail(err, BOUGH_INVALID, "%s is not a file", im->name);
    im->fd = open(im->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (im->fd < 0 || fstat(im->fd, &st))
        return bough_fail(err, errno == ENOENT ? BOUGH_NOT_FOUND : BOUGH_IO, "%s: %s", im->name,
                          strerror(errno));
    if (!S_ISREG(st.st_mode))
        return bough_fail(err, BOUGH_INVALID, "%s is not a file", im->name);
    im->size = (int64_t)st.st_size;
    rc = open_packed(im, err);
    if (rc || im->gathered)
        return rc;
    if (im->how->format && strcmp(im->how->format, "opencode") != 0)
        return BOUGH_OK;
    return open_gathered(im, err);
}

/* ---- format ---- */

static enum bough_rc choose_rows(struct import *im, struct bough_str first,
                                 struct bough_error *err);

static enum bough_rc choose_format(struct import *im, struct bough_error *err)
{
    char *first = arena_alloc(im->placer.a, 4096);
    ssize_t got = pread(im->fd, first, 4096, 0);
    const struct format *f;

    if (got < 0)
        return bough_fail(err, BOUGH_IO, "%s: %s", im->name, strerror(errno));
    if (got >= (ssize_t)strlen(SALVAGE_FIRST_LINE) &&
        memcmp(first, SALVAGE_FIRST_LINE, strlen(SALVAGE_FIRST_LINE)) == 0)
        return bough_fail(
            err, BOUGH_INVALID,
            "%s lists the rows of a salvaged store and is not for import; make a store "
            "of the damaged file with bough export --salvage FILE --into NEW.db",
            im->name);
    if (sqlite_file_is(str_make(first, (size_t)got)))
        return choose_rows(im, str_make(first, (size_t)got), err);
    if (im->how->format || im->storage)
        f = format_find(im->storage ? "opencode" : im->how->format);
    else
        f = format_detect(str_make(first, (size_t)got));
    if (!f || (!f->line && !f->document))
        return im->how->format ? bough_fail(err, BOUGH_INVALID,
                                            "no format for import is called %.60s", im->how->format)
                               : bough_fail(err, BOUGH_INVALID, "%s: unknown format", im->name);
    im->reading.format = f;
    im->placer.out->format = f->name;
    return BOUGH_OK;
}

/* Does the checksum show that the file is unchanged? */
static enum bough_rc sum_only(struct import *im, bool *same, struct bough_error *err)
{
    enum bough_rc rc;

    *same = false;
    if (!im->source || im->source->offset != im->size || !*im->source->hash)
        return BOUGH_OK;
    if (im->rows) {
        *same = mark_has_sum(im->source->hash, im->after);
        return BOUGH_OK;
    }
    rc = import_sum(im, err);
    *same = !rc && im->done == im->size && mark_has_sum(im->source->hash, im->after);
    im->done = 0;
    return rc;
}

/* ---- rows ---- */

/* SQLite's locks belong to the process: closing a descriptor of ours would release them. So close
 * it before SQLite opens the file. */
static enum bough_rc choose_rows(struct import *im, struct bough_str first, struct bough_error *err)
{
    enum bough_rc rc = import_sum(im, err);

    close(im->fd);
    im->fd = -1;
    if (!rc)
        rc = sqlite_file_open(im->path, first, im->how->format, &im->rows, err);
    if (rc)
        return rc;
    if (sqlite_file_live(im->rows)) /* changes may be in its write-ahead log only */
        im->after[0] = '\0';
    im->reading.format = sqlite_file_format(im->rows);
    im->placer.out->format = im->reading.format->name;
    return BOUGH_OK;
}

static bool tell_rows(void *user, int64_t done, int64_t total)
{
    const struct import *im = user;

    return !im->how->progress ||
           im->how->progress(im->how->user, total ? im->size / total * done : im->size, im->size);
}

/* ---- state in the store ---- */

static enum bough_rc claim(struct import *im, struct bough_error *err)
{
    struct bough_source *s;
    char self[PROCESS_TEXT];
    enum bough_rc rc;

    process_self(self); /* so that the claim ends when this process is killed */
    if (im->how->owner)
        snprintf(im->owner, sizeof im->owner, "%.60s", im->how->owner);
    else
        snprintf(im->owner, sizeof im->owner, "import %ld %s", (long)getpid(), self);
    if (im->how->dry) {
        if (bough_source_get(im->s, im->placer.a, im->name, &im->source, NULL))
            im->source = NULL;
        return BOUGH_OK;
    }
    rc = bough_source_claim(im->s, im->placer.a, im->name, im->owner, CLAIM_MS, &s, err);
    im->source = rc ? NULL : s;
    return rc;
}

/* Also runs after an error, to release the claim. `all`: store the new state, too. */
static enum bough_rc write_down(struct import *im, bool all, struct bough_error *err)
{
    struct bough_source now;
    enum bough_rc rc = BOUGH_OK;

    if (im->how->dry || !im->source)
        return BOUGH_OK;
    now = *im->source;
    now.owner = im->owner;
    if (all) {
        now.format = im->reading.format->name;
        mark_make(im);
        now.hash = im->mark;
        now.size = now.offset = im->done;
        if (*im->placer.out->session)
            now.session = im->placer.out->session;
        rc = bough_source_put(im->s, im->placer.a, &now, NULL, err);
    }
    if (bough_source_claim(im->s, im->placer.a, im->name, im->owner, 0, NULL, rc ? NULL : err) &&
        !rc)
        rc = BOUGH_IO;
    return rc;
}

static void conclude(struct import *im)
{
    struct bough_import_file_result *out = im->placer.out;
    bool before = im->source && im->source->offset > 0;
    bool other = before && im->reading.format->appends && !im->placer.resumed &&
                 !mark_has_sum(im->source->hash, im->before) && out->added;
    bool edited = im->placer.edited || other;

    out->bytes = im->done;
    if (edited)
        out->status = BOUGH_IMPORT_EDITED;
    else if (!out->added && !out->sessions)
        out->status = BOUGH_IMPORT_UNCHANGED;
    else
        out->status = before || !out->sessions ? BOUGH_IMPORT_GREW : BOUGH_IMPORT_NEW;
}

static enum bough_rc read_beside(struct import *im, struct bough_error *err);

static enum bough_rc import_open(struct import *im, struct bough_error *err)
{
    bool same = false, on = false;
    enum bough_rc rc = choose_format(im, err);

    if (!rc)
        rc = claim(im, err);
    if (rc)
        return rc;
    im->placer.format = im->reading.format;
    im->placer.ordered = im->rows != NULL;
    im->placer.imported = im->source && im->source->offset > 0 &&
                          cstr_eq(im->source->format, im->reading.format->name);
    /* A file with many sessions does not stand for one of them. */
    im->placer.known = im->source && !im->rows ? im->source->session : "";
    im->known = im->source ? im->source->offset : 0;
    rc = import_resume(im, &on, err);
    if (!rc && on)
        same = im->done == im->size; /* the file has not grown */
    else if (!rc)
        rc = sum_only(im, &same, err);
    if (!rc && same) {
        im->placer.out->session = arena_strdup(im->placer.answers, im->source->session);
        im->placer.out->status = BOUGH_IMPORT_UNCHANGED;
        return write_down(im, false, err);
    }
    if (!rc && im->rows)
        rc = sqlite_file_read(im->rows, &im->reading, tell_rows, im, &im->lines, err);
    else if (!rc)
        rc = read_beside(im, err);
    im->placer.out->lines = im->lines;
    if (!rc)
        rc = placer_end(&im->placer, err);
    if (rc == BOUGH_CANCELLED) /* what was read so far is imported */
        (void)placer_flush(&im->placer, NULL);
    if (rc) {
        (void)write_down(im, false, NULL);
        return rc;
    }
    conclude(im);
    return write_down(im, true, err);
}

/* Reading a large file takes longer than a claim lasts, so renew it while reading. */
static enum bough_rc renew(struct import *im, struct bough_error *err)
{
    if (++im->since < RENEW_ITEMS && im->placed < im->renewed + RENEW_BYTES)
        return BOUGH_OK;
    im->since = 0;
    im->renewed = im->placed;
    if (im->how->dry || !im->source)
        return BOUGH_OK;
    return bough_source_claim(im->s, im->placer.a, im->name, im->owner, CLAIM_MS, &im->source, err);
}

/* Of lines that are read again, only the session is placed. */
static enum bough_rc take(void *user, const struct item *item, struct bough_error *err)
{
    struct import *im = user;
    enum bough_rc rc;

    if (im->again && item->kind != ITEM_SESSION)
        return BOUGH_OK;
    rc = renew(im, err);
    return rc ? rc : placer_take(&im->placer, item, err);
}

/* ---- two threads ---- */

static enum bough_rc read_all(void *user, struct bough_error *err)
{
    return import_read(user, err);
}

static enum bough_rc placed(void *user, int64_t done, struct bough_error *err)
{
    struct import *im = user;

    im->placed = done;
    return import_tell(im, done, err);
}

/* Most entries of a file that was imported before are known: packing them would be for nothing. */
static bool packs(const struct import *im)
{
    return !im->how->dry && (!im->placer.imported || im->placer.resumed);
}

/* A thread reads, parses and packs ahead, while this one places the items and commits. */
static enum bough_rc read_beside(struct import *im, struct bough_error *err)
{
    struct item_queue *q = item_queue_create(packs(im) ? im->placer.s : NULL);
    const struct pipeline p = {
        .queue = q, .user = im, .read = read_all, .take = take, .progress = placed
    };
    const struct sink before = im->reading.sink;
    enum bough_rc rc;

    im->queue = q;
    im->reading.sink = (struct sink){ item_queue_push, q };
    rc = pipeline_run(&p, err);
    im->reading.sink = before;
    im->queue = NULL;
    item_queue_destroy(q);
    return rc;
}

static enum bough_rc import_once(struct bough_store *s, struct bough_arena *a, const char *path,
                                 const struct bough_import_file_options *how,
                                 struct bough_import_file_result *out, bool *again,
                                 struct bough_error *err)
{
    struct import im = { .s = s, .how = how, .path = path, .fd = -1, .whole = *again };
    enum bough_rc rc;

    im.name = how->name ? arena_strdup(a, how->name) : path;
    *out = (struct bough_import_file_result){ .path = im.name, .session = "" };
    im.placer =
        (struct placer){ .how = im.how, .path = im.path, .known = "", .out = out, .answers = a };
    placer_init(&im.placer, s);
    im.a = bough_arena_create();
    im.reading = (struct reading){
        .sink = { take, &im }, .kept = im.a, .a = bough_arena_create(), .name = im.path
    };
    rc = open_file(&im, err);
    if (!rc)
        rc = import_open(&im, err);
    *again = rc == BOUGH_CONFLICT && im.placer.resumed;
    buf_finish(&im.resume.state);
    import_end_sum(&im);
    if (im.reading.format && im.reading.format->drop)
        im.reading.format->drop(&im.reading);
    sqlite_file_close(im.rows);
    if (im.fd >= 0)
        close(im.fd);
    bough_arena_destroy(im.reading.a);
    bough_arena_destroy(im.a);
    placer_finish(&im.placer);
    return rc;
}

enum bough_rc bough_import_file(struct bough_store *s, struct bough_arena *a, const char *path,
                                const struct bough_import_file_options *how,
                                struct bough_import_file_result *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct bough_import_file_options all = how ? *how : (struct bough_import_file_options){ 0 };
    char *full = path ? realpath(path, NULL) : NULL;
    const char *name = arena_strdup(a, full ? full : path ? path : "");
    bool again = false;
    enum bough_rc rc = RESERVED_CHECK(bough_import_file_options, how, err);

    free(full);
    if (rc)
        return rc;
    rc = import_once(s, a, name, &all, out, &again, err);
    if (!again)
        return rc;
    /* A new line refers to an earlier part of the file: read all of it. */
    return import_once(s, a, name, &all, out, &again, err);
}

/* ---- list of formats ---- */

struct bough_format *bough_format_list(struct bough_arena *a, size_t *n)
{
    struct bough_format *out;

    for (*n = 0; all_formats[*n]; ++*n)
        continue;
    out = arena_array(a, *n + 1, sizeof *out);
    for (size_t i = 0; i < *n; i++) {
        const struct format *f = all_formats[i];

        out[i] = (struct bough_format){ .name = f->name,
                                        .about = f->about,
                                        .suffix = f->suffix,
                                        .reads = format_reads(f),
                                        .writes = f->writes != 0 };
    }
    return out;
}

const char *bough_format_detect(struct bough_str first)
{
    const struct format *f = format_detect(first);

    return f ? f->name : NULL;
}

enum bough_rc bough_import_format(struct bough_store *s, const struct bough_session *session,
                                  const char **format, struct bough_error *err)
{
    REQUIRE(s && session && format, err);

    int64_t from = 0;
    enum bough_rc rc =
        *session->origin ? session_origin_from(s, session->origin, &from, err) : BOUGH_OK;

    *format = "";
    for (size_t i = 0; all_formats[i]; i++)
        if (from == (int64_t)all_formats[i]->number)
            *format = all_formats[i]->name;
    return rc;
}
