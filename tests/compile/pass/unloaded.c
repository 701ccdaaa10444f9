/* SPDX-License-Identifier: MIT */
/* Loads a plugin with an event and unloads it; its destructors call back once. */
#include <dlfcn.h>
#include <stdio.h>

#include <userevents/userevents.h>

/* Replaces the library's. */
void ue__leave_module(struct ue__module *module)
{
	Dl_info info;

	module->is_listed = 0;
	if (dladdr(module, &info) && info.dli_fname)
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
