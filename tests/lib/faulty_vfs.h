/* A SQLite VFS that counts I/O calls and can make the n-th call of a kind fail. */
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
    FAULTY_SHM, /* mapping the WAL index */
    FAULTY_OPS, /* number of ops */
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
    FAULTY_KINDS, /* number of kinds */
};

const char *faulty_name(enum faulty_kind kind); /* e.g. "write-eio" */
enum faulty_op faulty_op_of(enum faulty_kind kind);

/* Make stores opened after this call use the faulty VFS. May be called again. */
void faulty_vfs_install(void);
void faulty_vfs_remove(void); /* stores opened after this call use the default VFS */

/* Make the n-th call of this kind fail, counted from 1 from now. `sticky`: and all later ones. */
void faulty_arm(enum faulty_kind kind, int64_t n, bool sticky);
bool faulty_disarm(void); /* true: at least one call failed */

int64_t faulty_count(enum faulty_op op); /* calls of all threads since the program started */

#endif
