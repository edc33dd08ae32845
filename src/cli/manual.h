/* Parts of bough(1), printed for scdoc. */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

void manual_commands(void); /* a section a command */
void manual_options(void);  /* those that every command takes */

#endif
