/* SPDX-License-Identifier: MIT */
/* Reads the code that running processes have mapped, from /proc. */
#include "stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* From the file that the process sees at the path, if it is still the one that is mapped. */
static void read_build_id(uint32_t pid, const char *path, struct module_identity *identity)
{
	char *there = xprintf("/proc/%u/root%s", pid, path);
	const char *why;
	const int fd = regular_file_open(there, &why);
	struct elf_file file = { .fd = -1 };
	struct stat status;

	free(there);
	if (fd < 0)
		return;
	if (!fstat(fd, &status) && status.st_ino == identity->inode &&
	    !elf_file_begin(&file, fd))
		identity->build_id_size = elf_build_id(&file, identity->build_id);
	elf_file_free(&file);
	close(fd);
}

/* Programs share libraries, whose files need not be read for each. */
static struct module *module_of_file(uint32_t pid, const char *path, uint64_t inode)
{
	struct module_identity identity = { .inode = inode };
	struct module *known = inode ? module_known(path, inode) : NULL;

	if (known)
		return known;
	if (inode && *path == '/')
		read_build_id(pid, path, &identity);
	return module_of(path, strlen(path), &identity);
}

static void read_line(struct code_maps *maps, uint32_t pid, const char *line)
{
	unsigned long long begin, end, offset, inode;
	char rights[5];
	int path_at = 0;
	struct code_map map;

	if (sscanf(line, "%llx-%llx %4s %llx %*s %llu %n", &begin, &end, rights, &offset,
		   &inode, &path_at) < 5 || !path_at || rights[2] != 'x')
		return;
	map = (struct code_map){ .begin = begin, .end = end, .offset = offset };
	map.module = module_of_file(pid, line[path_at] ? line + path_at : "//anon", inode);
	code_maps_add(maps, pid, &map);
}

void code_maps_read(struct code_maps *maps, uint32_t pid)
{
	char *path = xprintf("/proc/%u/maps", pid);
	char *text = read_file(path, NULL), *rest = text, *line;

	free(path);
	while ((line = strsep(&rest, "\n")))
		if (*line)
			read_line(maps, pid, line);
	free(text);
}
