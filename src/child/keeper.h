/* How a keeper is started: the places of its arguments. */
#ifndef CHILD_KEEPER_H
#define CHILD_KEEPER_H

#define KEEPER_NAME "bough-keeper"
#define KEEPER_WORD "--keep-child"

enum keeper_argument {
    KEEPER_WORD_AT = 1,
    KEEPER_MEMORY,  /* bytes, in decimal; "0": no limit */
    KEEPER_FILES,   /* open files, likewise */
    KEEPER_DIR,     /* "": ours */
    KEEPER_PROGRAM, /* path of what is executed */
    KEEPER_ARGV,    /* argv[0] of the child, and the rest */
};

#endif
