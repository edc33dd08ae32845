/* Writes exported sessions into files, under a temporary name until they are complete. */
#include "cli/sources/export_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"

bool export_bytes(FILE *to, struct bough_str bytes)
{
    if (!isatty(fileno(to)))
        return fwrite(bytes.p, 1, bytes.n, to) == bytes.n;
    print_safe(to, bytes, PRINT_TEXT);
    return !ferror(to);
}

bool export_put(void *file, struct bough_str bytes)
{
    struct export_file *f = file;

    f->failed = !export_bytes(f->to, bytes);
    return !f->failed;
}

static int complain(struct cli *c, const char *path)
{
    int number = errno;

    bough_fail(&c->err, fs_rc(number), "cannot write %.150s: %s", path, strerror(number));
    return cli_failed(c);
}

/* Create the temporary file f->tmp. */
static int create(struct cli *c, struct export_file *f)
{
    int fd = open(f->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    f->to = fd >= 0 ? fdopen(fd, "w") : NULL;
    return f->to ? CLI_DONE : complain(c, f->path);
}

int export_open(struct cli *c, const char *path, struct export_file *f)
{
    *f = (struct export_file){ .to = stdout, .path = path };
    if (!path || strcmp(path, "-") == 0)
        return CLI_DONE;
    if (fs_exists(path) && !cli_has(c, "force")) {
        fprintf(stderr, "bough %s: ", c->cmd->name);
        print_line(stderr, path);
        fprintf(stderr, " already exists; --force replaces it\n");
        return CLI_FAILED;
    }
    f->tmp = arena_printf(c->a, "%s.%ld.tmp", path, (long)getpid());
    return create(c, f);
}

/* Flush, sync and close. */
static bool finish(struct export_file *f)
{
    bool bad = f->failed || fflush(f->to) || fsync(fileno(f->to));

    return !fclose(f->to) && !bad;
}

int export_close(struct cli *c, struct export_file *f, bool keep)
{
    if (!f->tmp)
        return f->failed || fflush(stdout) ? CLI_FAILED : CLI_DONE;
    if (finish(f) && keep && rename(f->tmp, f->path) == 0)
        return CLI_DONE;
    if (keep)
        complain(c, f->path);
    unlink(f->tmp);
    return CLI_FAILED;
}

int export_write(struct cli *c, const struct bough_session *s, const char *format,
                 struct export_file *f)
{
    struct bough_export_options how = { .format = format, .write = export_put, .user = f };
    const char *at = cli_value(c, "at");
    int rc = at ? cli_entry(c, s->id, at, &how.at) : CLI_DONE;

    if (rc)
        return rc;
    return bough_export_session(c->s, s->id, &how, &c->err) ? cli_failed(c) : CLI_DONE;
}

/* Give the written file its place. A file that is there stays, unless --force is given. */
static int move_to_place(struct cli *c, const char *tmp, struct export_place *p)
{
    const char *folder = arena_strndup(c->a, p->path, (size_t)(strrchr(p->path, '/') - p->path));

    p->existed = fs_exists(p->path) && !cli_has(c, "force");
    if (p->existed)
        return CLI_DONE;
    if (fs_mkdirs(folder, 0700, &c->err))
        return cli_failed(c);
    if (p->keeps && fs_exists(p->path)) {
        p->kept = arena_printf(c->a, "%s.before-%lld", p->path, (long long)c->out.now);
        if (rename(p->path, p->kept) != 0)
            return complain(c, p->kept);
    }
    return rename(tmp, p->path) == 0 ? CLI_DONE : complain(c, p->path);
}

int export_lay_out(struct cli *c, const struct bough_session *s, const struct layout *l,
                   const char *root, struct export_place *p)
{
    struct export_file f = { .path = root };
    int rc;

    f.tmp = arena_printf(c->a, "%s/.bough-%ld.tmp", root, (long)getpid());
    if (fs_mkdirs(root, 0700, &c->err))
        return cli_failed(c);
    rc = create(c, &f);
    if (rc)
        return rc;
    rc = export_write(c, s, l->format, &f);
    if (!finish(&f) && !rc)
        rc = complain(c, root);
    p->id = rc ? NULL : layout_id(c->a, l, f.tmp);
    if (!rc && !p->id) {
        bough_fail(&c->err, BOUGH_INVALID, "#%lld %s has nothing that %s can go on with",
                   (long long)s->number, s->slug, l->word);
        rc = cli_failed(c);
    }
    if (!rc) {
        p->path = layout_path(c->a, l, root, s, p->project, p->id);
        rc = move_to_place(c, f.tmp, p);
    }
    unlink(f.tmp);
    return rc;
}
