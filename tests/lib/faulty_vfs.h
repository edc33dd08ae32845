/* A VFS over the default one that counts I/O calls and lets the n-th call of a kind fail. */
#ifndef FAULTY_VFS_H
#define FAULTY_VFS_H

#include <stdbool.h>
#include <stdint.h>

enum faulty_op {
    FAULTY_READ,
    FAULTY_WRITE,
    FAULTY_SYNC,
    FAULTY_TRUNCATE,
    FAULTY_OPEN,
    FAULTY_DELETE,
    FAULTY_SHM, /* mapping the log's index */
    FAULTY_OPS, /* how many there are */
};

enum faulty_kind {
    FAULTY_READ_EIO,
    FAULTY_WRITE_EIO,   /* nothing is written */
    FAULTY_WRITE_SHORT, /* the first half is written, then EIO */
    FAULTY_WRITE_FULL,  /* the first half is written, then the disk is full */
    FAULTY_SYNC_EIO,
    FAULTY_TRUNCATE_EIO,
    FAULTY_OPEN_CANT,
    FAULTY_DELETE_EIO,
    FAULTY_SHM_EIO,
    FAULTY_KINDS, /* how many there are */
};

const char *faulty_name(enum faulty_kind kind); /* "write-eio" */
enum faulty_op faulty_op_of(enum faulty_kind kind);

/* Stores opened from now on go through it. Again is fine. */
void faulty_vfs_install(void);
void faulty_vfs_remove(void); /* stores opened from now on do not */

/* Let the n-th call (from 1, counted from now) fail; `sticky`: and every one after it. */
void faulty_arm(enum faulty_kind kind, int64_t n, bool sticky);
bool faulty_disarm(void); /* did it fail a call? */

int64_t faulty_count(enum faulty_op op); /* calls since the program began, of all threads */

#endif
