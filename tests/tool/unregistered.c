/* SPDX-License-Identifier: MIT */
/*
 * unregistered [one|all|killed]: has three events and registers so many of them. "killed"
 * registers none and ends by SIGKILL.
 */
#include <signal.h>
#include <string.h>

#include <userevents/eventheader_event.h>
#include <userevents/userevents.h>

UE_EVENT(first, UE_U32(number));
UE_EVENT(second, UE_U32(number));
UE_PROVIDER(third_provider, "third_provider");
UE_TRACEPOINT(third, third_provider, UE_LEVEL_INFORMATION, 1);

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int fd = ue_open(NULL);

	if (!strcmp(what, "killed"))
		raise(SIGKILL);
	if (!strcmp(what, "all"))
		ue_register_all(fd);
	if (!strcmp(what, "one")) {
		ue_register(fd, UE_EVENT_OF(first));
		UE_WRITE(fd, first, 1);
		ue_unregister(UE_EVENT_OF(first));
	}
	ue_close(fd);
	return 0;
}
