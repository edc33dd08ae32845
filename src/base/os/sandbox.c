/* A seccomp filter: a list of refused system calls, and of flags that open() may not have. */
#include "base/os/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef THIS_ARCH

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define PERMIT BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
/* Refuse this call. */
#define NO(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), REFUSE
/* Refuse this call unless the flags in its argument `n` are those of reading. */
#define READS(name, n)                                                                             \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD(args[n]),                          \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1), REFUSE, \
        PERMIT

static const struct sock_filter filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0),
    REFUSE,
    LOAD(nr),
    READS(openat, 2),
#ifdef __x86_64__
    /* System calls of the x32 ABI have other numbers. */
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
    REFUSE,
    READS(open, 1),
    NO(creat),
    NO(fork),
    NO(vfork),
    NO(unlink),
    NO(rename),
    NO(link),
    NO(symlink),
    NO(mkdir),
    NO(rmdir),
    NO(chmod),
    NO(chown),
#endif
    NO(openat2),
    NO(socket),
    NO(socketpair),
    NO(connect),
    NO(bind),
    NO(sendto),
    NO(sendmsg),
    NO(io_uring_setup),
    NO(execve),
    NO(execveat),
    NO(clone),
    NO(clone3),
    NO(ptrace),
    NO(process_vm_readv),
    NO(process_vm_writev),
    NO(pidfd_getfd),
    NO(kill),
    NO(unlinkat),
    NO(renameat),
    NO(renameat2),
    NO(linkat),
    NO(symlinkat),
    NO(mkdirat),
    NO(fchmod),
    NO(fchmodat),
    NO(fchown),
    NO(fchownat),
    NO(truncate),
    NO(ftruncate),
    NO(setxattr),
    NO(utimensat),
    NO(mount),
    NO(bpf),
    NO(userfaultfd),
    NO(keyctl),
    PERMIT,
};

void sandbox_enter(void)
{
    const struct sock_fprog program = { sizeof filter / sizeof *filter,
                                        (struct sock_filter *)filter };

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

void sandbox_enter(void)
{
}

#endif
