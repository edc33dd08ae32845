/* Noticing fork(). */
#include "base/os/fork_guard.h"

#include <sys/wait.h>
#include <unistd.h>

#include "lib/test.h"

TEST(a_child_counts_one_fork_more_and_its_parent_does_not)
{
    unsigned before = fork_count();
    int status = -1;
    pid_t child = fork();

    if (child == 0)
        _exit(fork_count() == before + 1 ? 0 : 1);
    CHECK(child > 0);
    CHECK_INT(child, waitpid(child, &status, 0));
    CHECK_INT(0, status);
    CHECK_INT(before, fork_count());
}
