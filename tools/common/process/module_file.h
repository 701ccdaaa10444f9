/* SPDX-License-Identifier: MIT */
/* The file of a program or shared object (a module) that another process has mapped. */
#ifndef UE__TOOLS_MODULE_FILE_H
#define UE__TOOLS_MODULE_FILE_H

#include <stdint.h>
#include <sys/types.h>

#include "process_losses.h"

/* The section with the addresses of the module's events. */
struct module_section {
	uint64_t at;   /* its distance from the beginning of the mapped file */
	uint64_t size; /* 0: there is none */
};

/* Open a file at a path: the descriptor, or -1 with why; a device or pipe is not opened. */
int regular_file_open(const char *path, const char **why);

/*
 * Open the file. memory: of the process. Returns the descriptor, or -1 with why, which is
 * a static text.
 */
int module_file_open(int memory, pid_t pid, const struct mapping *mapping,
		     const char **why);

/* Find the section. NULL, or why the file cannot be read: a static text. */
const char *module_file_find(int file, struct module_section *found);

#endif
