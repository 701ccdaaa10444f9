/* SPDX-License-Identifier: MIT */
/* The commands that control the kernel's tracing, one file each. */
#ifndef UE__TOOLS_COMMANDS_KERNEL_COMMANDS_H
#define UE__TOOLS_COMMANDS_KERNEL_COMMANDS_H

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
