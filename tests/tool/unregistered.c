/* SPDX-License-Identifier: MIT */
/*
 * unregistered [one|all|killed|open|stay|whole [MODULE]]: has three events and registers so
 * many of them. "killed" registers none and ends by SIGKILL. "open" registers none, "stay" one
 * and "whole" all; then they load a module, print their process id, and run until the input
 * ends.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <userevents/eventheader_event.h>
#include <userevents/userevents.h>

UE_EVENT(first, UE_U32(number));
UE_EVENT(second, UE_U32(number));
UE_PROVIDER(third_provider, "third_provider");
UE_TRACEPOINT(third, third_provider, UE_LEVEL_INFORMATION, 1);

static void stay(const char *module)
{
	char byte;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* where Yama is */
	if (module && !dlopen(module, RTLD_NOW))
		puts(dlerror());
	printf("%d\nready\n", (int)getpid());
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int fd = ue_open(NULL);

	if (!strcmp(what, "killed"))
		raise(SIGKILL);
	if (!strcmp(what, "all") || !strcmp(what, "whole"))
		ue_register_all(fd);
	if (!strcmp(what, "stay"))
		ue_register(fd, UE_EVENT_OF(first));
	if (!strcmp(what, "open") || !strcmp(what, "stay") || !strcmp(what, "whole"))
		stay(argc > 2 ? argv[2] : NULL);
	if (!strcmp(what, "one")) {
		ue_register(fd, UE_EVENT_OF(first));
		UE_WRITE(fd, first, 1);
		ue_unregister(UE_EVENT_OF(first));
	}
	ue_close(fd);
	return 0;
}
