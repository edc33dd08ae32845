/* Files and directories: removing a tree, detecting network file systems. */
#include "base/os/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/*
 * Remove files and empty directories from `dir`, up to the first directory that is not empty.
 * True: `down` is the path of that directory.
 */
static bool sweep(const char *dir, char down[PATH_MAX])
{
    DIR *d = opendir(dir);
    struct dirent *e;
    bool found = false;
    int n;

    if (!d)
        return false;
    for (e = readdir(d); e && !found; e = readdir(d)) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (unlinkat(dirfd(d), e->d_name, 0) == 0)
            continue;
        if (unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR) == 0)
            continue;
        if (errno != ENOTEMPTY && errno != EEXIST)
            continue;
        n = snprintf(down, PATH_MAX, "%s/%s", dir, e->d_name);
        found = n > 0 && n < PATH_MAX;
    }
    closedir(d);
    return found;
}

/* No recursion: descend into a directory that is not empty, go up once a level is empty. */
bool fs_remove_tree(const char *path)
{
    char at[PATH_MAX], down[PATH_MAX];
    size_t top = strlen(path);
    struct stat st;

    if (top == 0 || top >= sizeof at)
        return false;
    memcpy(at, path, top + 1);
    if (lstat(path, &st) != 0)
        return errno == ENOENT;
    if (!S_ISDIR(st.st_mode))
        return unlink(path) == 0;
    for (;;) {
        if (sweep(at, down)) {
            memcpy(at, down, sizeof at);
            continue;
        }
        if (rmdir(at) != 0)
            return false;
        if (strlen(at) <= top)
            return true;
        *strrchr(at, '/') = '\0';
    }
}

static bool network_type(unsigned long type)
{
    switch (type) {
    case NFS_SUPER_MAGIC:
    case SMB_SUPER_MAGIC:
    case CIFS_SUPER_MAGIC:
    case SMB2_SUPER_MAGIC:
    case V9FS_MAGIC:
    case AFS_SUPER_MAGIC:
    case AFS_FS_MAGIC:
    case CODA_SUPER_MAGIC:
    case CEPH_SUPER_MAGIC:
    case NCP_SUPER_MAGIC:
    case FUSE_SUPER_MAGIC: /* sshfs and others; statfs cannot tell local ones apart */
        return true;
    default:
        return false;
    }
}

bool fs_network(const char *path)
{
    char dir[PATH_MAX];
    const char *slash = strrchr(path, '/');
    struct statfs fs;
    size_t n;

    if (statfs(path, &fs) == 0)
        return network_type((unsigned long)fs.f_type);
    n = slash ? (size_t)(slash - path) : 0;
    if (n >= sizeof dir)
        return false;
    memcpy(dir, path, n);
    dir[n] = '\0';
    if (statfs(n ? dir : (slash ? "/" : "."), &fs) != 0)
        return false;
    return network_type((unsigned long)fs.f_type);
}
