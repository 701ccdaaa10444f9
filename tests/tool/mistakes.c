/* SPDX-License-Identifier: MIT */
/*
 * mistakes MISTAKE: a program with one mistake of those that people make who use the library
 * for the first time, or with something unusual that is none. mistakes.py has the rows.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/userevents.h>

UE_EVENT(step, UE_U32(number));
UE_EVENT(large, UE_STRING(text));

static int session;

static void open_and_register(void)
{
	session = ue_open(NULL);
	ue_register_all(session);
}

static void write_step(uint32_t number)
{
	UE_WRITE(session, step, number);
}

static void close_all(void)
{
	for (int fd = 3; fd < 256; fd++)
		close(fd);
}

/* The process that returns is the child, or the parent once the child has ended. */
static int is_child(void)
{
	const pid_t child = fork();

	if (child > 0)
		waitpid(child, NULL, 0);
	return !child;
}

static void not_registered(void)
{
	session = ue_open(NULL);
	write_step(1);
}

static void not_opened(void)
{
	write_step(1);
}

static void closed_before_open(void)
{
	close_all();
	open_and_register();
	write_step(1);
}

static void closed_before_fork(void)
{
	open_and_register();
	close_all();
	write_step(is_child() ? 1 : 2);
}

static void closed_after_open(void)
{
	open_and_register();
	close(session);
	write_step(1);
}

static void registered_in_the_child(void)
{
	session = ue_open(NULL);
	if (is_child()) {
		ue_register_all(session);
		write_step(1);
	} else {
		write_step(2);
	}
}

static void too_large(void)
{
	static char text[70001];

	open_and_register();
	memset(text, 'x', sizeof(text) - 1);
	UE_WRITE(session, large, text);
	write_step(1);
}

static void crashes(void)
{
	open_and_register();
	write_step(1);
	raise(SIGSEGV);
}

static void on_signal(int number)
{
	write_step((uint32_t)number);
}

static void writes_in_a_handler(void)
{
	open_and_register();
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 200; i++)
		raise(SIGUSR1);
}

static void forks_twice(void)
{
	open_and_register();
	write_step(1);
	write_step(2);
	if (is_child() && is_child()) {
		write_step(3);
		write_step(4);
	}
}

static void drops_rights_and_forks(void)
{
	open_and_register();
	if (!geteuid() && setresuid(65534, 65534, 65534))
		exit(1);
	write_step(is_child() ? 1 : 2);
}

static void changes_its_root(void)
{
	open_and_register();
	if (!geteuid() && (chroot("/proc/self/fdinfo") || chdir("/")))
		exit(1);
	write_step(1);
}

/* Registers events, and waits for the end of its input. */
static void waits(void)
{
	char byte;

	open_and_register();
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

static void writes(void)
{
	open_and_register();
	write_step(1);
}

static const struct {
	const char *name;
	void (*make)(void);
} mistakes[] = {
	{ "not-registered", not_registered },
	{ "not-opened", not_opened },
	{ "closed-before-open", closed_before_open },
	{ "closed-before-fork", closed_before_fork },
	{ "closed-after-open", closed_after_open },
	{ "registered-in-the-child", registered_in_the_child },
	{ "too-large", too_large },
	{ "crashes", crashes },
	{ "writes-in-a-handler", writes_in_a_handler },
	{ "forks-twice", forks_twice },
	{ "drops-rights-and-forks", drops_rights_and_forks },
	{ "changes-its-root", changes_its_root },
	{ "waits", waits },
	{ "writes", writes },
};

/* Before main, and before any event is registered. */
__attribute__((constructor)) static void begin(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "crashes-early"))
		raise(SIGSEGV);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		if (strcmp(mistakes[i].name, argv[1]))
			continue;
		mistakes[i].make();
		return 0;
	}
	return 2;
}
