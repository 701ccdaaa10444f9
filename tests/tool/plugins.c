/* SPDX-License-Identifier: MIT */
/* Loads two plugins, makes each register, and runs until its standard input ends. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int start(const char *folder, const char *name)
{
	int (*function)(void);
	char path[4096];
	void *plugin;

	snprintf(path, sizeof(path), "%s/lib%s.so", folder, name);
	plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	function = plugin ? (int (*)(void))dlsym(plugin, "loser_start") : NULL;
	return function ? function() : -1;
}

int main(int argc, char **argv)
{
	char *slash = strrchr(argv[0], '/');
	char byte;

	(void)argc;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* where Yama is */
	*slash = '\0';
	if (start(argv[0], "one") < 0 || start(argv[0], "two") < 0)
		return 1;
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
