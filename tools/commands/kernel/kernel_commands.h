/* SPDX-License-Identifier: MIT */
/* The commands that control the kernel's tracing, one file each. */
#ifndef UE__TOOLS_COMMANDS_KERNEL_COMMANDS_H
#define UE__TOOLS_COMMANDS_KERNEL_COMMANDS_H

/*
 * khist and klatency: register the events of the program that they start (NULL: none), so that
 * these exist before it does, until events_of_command_end(). 0, or -1 after a message.
 */
int events_of_command_begin(char **command, const char *tracefs);
void events_of_command_end(void);

int command_cleanup(int argc, char **argv);
int command_delete(int argc, char **argv);
int command_disable(int argc, char **argv);
int command_enable(int argc, char **argv);
int command_filter(int argc, char **argv);
int command_khist(int argc, char **argv);
int command_klatency(int argc, char **argv);
int command_probe(int argc, char **argv);
int command_synth(int argc, char **argv);
int command_trigger(int argc, char **argv);

#endif
