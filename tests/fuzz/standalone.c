/* Runs a fuzz target over the files and directories given, without libFuzzer. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

static int replay_file(const char *path)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_error err;
    struct bough_str text;
    unsigned char *exact;

    if (fs_read(a, path, 64 << 20, &text, &err)) {
        fprintf(stderr, "%s\n", err.msg);
        exit(2);
    }
    /* A block of exactly this size, so that ASan detects a read past the end. */
    exact = malloc(text.n ? text.n : 1);
    if (!exact)
        exit(2);
    memcpy(exact, text.p, text.n);
    LLVMFuzzerTestOneInput(exact, text.n);
    free(exact);
    bough_arena_destroy(a);
    return 1;
}

static int replay(const char *path)
{
    struct stat st;
    struct dirent *e;
    int n = 0;
    DIR *d;

    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return replay_file(path);
    d = opendir(path);
    if (!d) {
        perror(path);
        exit(2);
    }
    for (e = readdir(d); e; e = readdir(d)) {
        struct bough_arena *a = bough_arena_create();

        if (e->d_name[0] != '.')
            n += replay(fs_join(a, path, e->d_name));
        bough_arena_destroy(a);
    }
    closedir(d);
    return n;
}

int main(int argc, char **argv)
{
    int i, n = 0;

    for (i = 1; i < argc; i++)
        n += replay(argv[i]);
    printf("%d inputs\n", n);
    return 0;
}
