/* SPDX-License-Identifier: MIT */
/* Checks names of registers; of x86-64 alone, others are left to the kernel. */
#include "registers.h"

#include <stddef.h>
#include <string.h>

#include "common/cli/options.h"

#ifdef __x86_64__

static const char *const names[] = {
	"ax",  "bx",  "cx",  "dx",  "si",  "di", "bp", "sp", "r8",	"r9",	"r10",
	"r11", "r12", "r13", "r14", "r15", "ip", "cs", "ss", "orig_ax", "flags"
};

#define NAMES (sizeof(names) / sizeof(names[0]))

int register_exists(const char *name)
{
	for (size_t i = 0; i < NAMES; i++)
		if (!strcmp(name, names[i]))
			return 1;
	return 0;
}

const char *register_meant(const char *name)
{
	/* "rdi" and "edi" in assembly */
	if ((*name == 'r' || *name == 'e') && name[1] && strlen(name) == 3)
		for (size_t i = 0; i < NAMES; i++)
			if (!strcmp(name + 1, names[i]))
				return names[i];
	return nearest(name, names, NAMES, sizeof(*names));
}

const char *register_of_argument(unsigned n)
{
	static const char *const of[] = { "di", "si", "dx", "cx", "r8", "r9" };

	return n >= 1 && n <= sizeof(of) / sizeof(of[0]) ? of[n - 1] : NULL;
}

#else

int register_exists(const char *name)
{
	(void)name;
	return 1;
}

const char *register_meant(const char *name)
{
	(void)name;
	return NULL;
}

const char *register_of_argument(unsigned n)
{
	(void)n;
	return NULL;
}

#endif
