/* SPDX-License-Identifier: MIT */
/* Functions of a program or shared object, by name, and where its file has them. */
#ifndef UE__TOOLS_PROCESS_ELF_SYMBOLS_H
#define UE__TOOLS_PROCESS_ELF_SYMBOLS_H

#include "elf_file.h"

struct elf_function {
	uint64_t offset; /* in the file */
	uint64_t size; /* in bytes; 0: not known */
	int is_chosen; /* the loader calls it to choose one of several functions (IFUNC)
			*/
	size_t others; /* functions of this name at other places */
};

/*
 * Find a function in .symtab and .dynsym. A version ("name@VERSION") does not matter.
 * NULL, or why not: near is then the nearest name, to be freed, or NULL.
 */
const char *elf_find_function(const struct elf_file *file, const char *name,
			      struct elf_function *function, char **near);
/* Whether a byte of the file is loaded as code. */
int elf_is_code(const struct elf_file *file, uint64_t offset);

#endif
