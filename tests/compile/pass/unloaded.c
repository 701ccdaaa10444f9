/* SPDX-License-Identifier: MIT */
/* Loads a plugin with an event, unloads it, and is told by its destructor. */
#include <dlfcn.h>
#include <stdio.h>

#include <userevents/userevents.h>

/* In the place of the library's. */
void ue__leave_module(const void *address)
{
	Dl_info info;

	if (dladdr(address, &info) && info.dli_fname)
		printf("left %s\n", info.dli_fname);
}

int main(int argc, char **argv)
{
	void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;

	if (!handle)
		return 1;
	printf("loaded\n");
	dlclose(handle);
	printf("unloaded\n");
	fflush(stdout);
	_Exit(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL);
}
