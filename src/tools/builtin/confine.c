/*
 * Confines this process, and then becomes a shell.
 *
 * Landlock (Linux 5.13, Debian 12) bounds what is written by path. A seccomp filter takes away what
 * Landlock does not know: sockets of all kinds (a local one may lead to a service that does as it
 * is told), other processes, and ways to truncate a file without opening it for writing.
 */
#include "tools/builtin/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#endif

enum { REFUSED = 126, FILES_MOST = 1024, CAPABILITIES_MOST = 63 };

/* Rights that headers of older systems do not name. */
#define FS_REFER (1ULL << 13)    /* version 2 */
#define FS_TRUNCATE (1ULL << 14) /* version 3 */
#define SCOPE_SIGNAL (1ULL << 1) /* version 6 */

/* ---- Landlock ---- */

/* Like struct landlock_ruleset_attr of version 6. */
struct ruleset {
    uint64_t fs, net, scoped;
};

static int landlock_version(void)
{
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

/* Everything that changes the file system. */
static uint64_t writing(int version)
{
    uint64_t rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                      LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                      LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                      LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                      LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

    return rights | (version >= 2 ? FS_REFER : 0) | (version >= 3 ? FS_TRUNCATE : 0);
}

static bool allow(int rules, const char *path, uint64_t rights)
{
    struct landlock_path_beneath_attr attr = { .allowed_access = rights };
    long rc;

    attr.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (attr.parent_fd < 0)
        return false;
    rc = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &attr, 0);
    close(attr.parent_fd);
    return rc == 0;
}

static bool bound_files(const char *workspace, const char *tmp)
{
    static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                           "/dev/urandom" };
    int version = landlock_version(), rules;
    struct ruleset set = { .fs = writing(version), .scoped = version >= 6 ? SCOPE_SIGNAL : 0 };
    bool good;

    if (version < 1)
        return false;
    rules = (int)syscall(SYS_landlock_create_ruleset, &set,
                         version >= 6   ? sizeof set
                         : version >= 4 ? offsetof(struct ruleset, scoped)
                                        : offsetof(struct ruleset, net),
                         0);
    if (rules < 0)
        return false;
    good = allow(rules, workspace, set.fs) && allow(rules, tmp, set.fs);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) /* one may be missing */
        (void)allow(rules, devices[i], LANDLOCK_ACCESS_FS_WRITE_FILE);
    good = good && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return good;
}

/* ---- system calls ---- */

#ifdef THIS_ARCH

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define REFUSE(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define PERMIT BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define NO(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), REFUSE(EPERM)
/* Refuse to truncate a file that is opened for reading: Landlock before version 3 permits it. */
#define NO_TRUNCATE(name, n)                                                                       \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 5), LOAD(args[n]),                          \
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, O_TRUNC | O_ACCMODE),                                  \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, O_TRUNC | O_RDONLY, 0, 1), REFUSE(EPERM), PERMIT

static const struct sock_filter filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0),
    REFUSE(EPERM),
    LOAD(nr),
#ifdef __x86_64__
    /* System calls of the x32 ABI have other numbers. */
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
    REFUSE(ENOSYS),
    NO_TRUNCATE(open, 1),
    NO(chown),
    NO(lchown),
#endif
    NO_TRUNCATE(openat, 2),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1), /* its flags cannot be looked at */
    REFUSE(ENOSYS),
    NO(truncate),
    NO(fchown),
    NO(fchownat),
    NO(socket),
    NO(io_uring_setup),
    NO(ptrace),
    NO(process_vm_readv),
    NO(process_vm_writev),
    NO(pidfd_getfd),
    NO(pidfd_send_signal),
    NO(setxattr),
    NO(lsetxattr),
    NO(mount),
    NO(umount2),
    NO(unshare),
    NO(setns),
    NO(bpf),
    NO(userfaultfd),
    NO(keyctl),
    NO(add_key),
    NO(request_key),
    NO(perf_event_open),
    PERMIT,
};

/* Before version 6 of Landlock: signals go to the own group only, or abort the own process. */
static const struct sock_filter signals[] = {
    LOAD(nr),
    NO(tkill),
    NO(rt_sigqueueinfo),
    NO(rt_tgsigqueueinfo),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 0, 4),
    LOAD(args[0]),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
    REFUSE(EPERM),
    PERMIT,
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 4),
    LOAD(args[2]),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SIGABRT, 1, 0),
    REFUSE(EPERM),
    PERMIT,
    PERMIT,
};

static bool install(const struct sock_filter *at, size_t n)
{
    const struct sock_fprog program = { (unsigned short)n, (struct sock_filter *)at };

    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static bool bound_calls(void)
{
    if (landlock_version() < 6 && !install(signals, sizeof signals / sizeof *signals))
        return false;
    return install(filter, sizeof filter / sizeof *filter);
}

#else

static bool bound_calls(void)
{
    return false;
}

#endif

const char *confine_missing(void)
{
#ifndef THIS_ARCH
    return "commands cannot be confined on this kind of processor (confine = no runs them freely)";
#endif
    if (landlock_version() < 1)
        return "this kernel has no Landlock, so commands cannot be confined (confine = no runs "
               "them freely)";
    if (prctl(PR_GET_SECCOMP) < 0)
        return "this kernel has no seccomp, so commands cannot be confined (confine = no runs "
               "them freely)";
    return NULL;
}

/* ---- becoming the command ---- */

static void limit(__rlimit_resource_t what, uint64_t most)
{
    struct rlimit now, want = { most, most };

    if (getrlimit(what, &now) == 0 && now.rlim_max < most)
        want = (struct rlimit){ now.rlim_max, now.rlim_max };
    (void)setrlimit(what, &want);
}

/* For root: keep what lets it use files of others, which Landlock bounds, and nothing else. Other
 * capabilities get around it: with CAP_PERFMON the memory of every process can be read. Without
 * capabilities the calls fail, and there is nothing to give up. */
static void give_up_capabilities(void)
{
    for (unsigned long c = 0; c <= CAPABILITIES_MOST; c++)
        if (c != CAP_DAC_OVERRIDE && c != CAP_DAC_READ_SEARCH && c != CAP_FOWNER)
            (void)prctl(PR_CAPBSET_DROP, c, 0, 0, 0);
}

static _Noreturn void refuse(const char *what)
{
    fprintf(stderr, "bough: the command cannot be confined: %s: %s\n", what, strerror(errno));
    _exit(REFUSED);
}

void confine_main(int argc, char **argv)
{
    int null;

    if (argc != CONFINE_ARGUMENTS || strcmp(argv[CONFINE_WORD_AT], CONFINE_WORD) != 0)
        return;
    null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
        refuse("its files");
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, FILES_MOST);
    limit(RLIMIT_CPU, strtoull(argv[CONFINE_SECONDS], NULL, 10));
    limit(RLIMIT_FSIZE, UINT64_C(4) << 30);
    if (strcmp(argv[CONFINE_HOW], "free") != 0) {
        give_up_capabilities();
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
            refuse("no_new_privs");
        if (!bound_files(argv[CONFINE_WORKSPACE], argv[CONFINE_TMP]))
            refuse("Landlock");
        if (!bound_calls())
            refuse("seccomp");
    }
    execl("/bin/sh", "sh", "-c", argv[CONFINE_COMMAND], (char *)NULL);
    refuse("/bin/sh");
}
