/* SPDX-License-Identifier: MIT */
/* Takes the screen of a terminal, and gives it back. */
#include "screen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

/* The other screen, without cursor, and without wrapping of long lines. */
#define TAKE "\x1b[?1049h\x1b[?25l\x1b[?7l"
#define GIVE_BACK "\x1b[?7h\x1b[?25h\x1b[?1049l"

/* A size that no terminal has is not one. */
#define SIZE_MOST 4096

static struct screen {
	int keys, out;	/* the terminal */
	int input, errors; /* the former 0 and 2 */
	int wake;	/* an eventfd, for signals */
	int waiter;	/* an epoll of keys and wake */
	pid_t owner;	/* 0: no screen; a child has none */
	struct termios before, raw;
	FILE *messages;
	char message[512];
	volatile sig_atomic_t is_taken, was_stopped, wants_stop;
	int is_stale;
} screen;

/* The terminal. These functions are called in signal handlers, too. */

static void put(const char *text)
{
	write_all(screen.out, text, strlen(text));
}

static void take(void)
{
	tcsetattr(screen.keys, TCSADRAIN, &screen.raw);
	put(TAKE);
	screen.is_taken = 1;
}

static void give_back(void)
{
	if (!screen.is_taken || screen.owner != getpid())
		return;
	screen.is_taken = 0;
	put(GIVE_BACK);
	tcsetattr(screen.keys, TCSADRAIN, &screen.before);
}

/* Signals */

static void wake(int number)
{
	const uint64_t one = 1;
	const int saved = errno; /* NOLINT(bugprone-signal-handler): errno is safe to use */

	if (number == SIGCONT)
		screen.was_stopped = 1;
	else if (number == SIGTSTP)
		screen.wants_stop = 1;
	if (write(screen.wake, &one, sizeof(one)) < 0)
		errno = saved; /* it is readable already */
}

/* The flag SA_RESETHAND: the second time, the signal ends the tool. */
static void crash(int number)
{
	give_back();
	raise(number);
}

static const int waking[] = { SIGWINCH, SIGCONT, SIGTSTP };
static const int deadly[] = { SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGQUIT };

static void set_handlers(void (*on_waking)(int), void (*on_deadly)(int))
{
	struct sigaction action = { .sa_handler = on_waking, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < sizeof(waking) / sizeof(waking[0]); i++)
		sigaction(waking[i], &action, NULL);
	action = (struct sigaction){
		.sa_handler = on_deadly,
		.sa_flags = (int)SA_RESETHAND | SA_NODEFER,
	};
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		sigaction(deadly[i], &action, NULL);
}

void screen_suspend(void)
{
	give_back();
	signal(SIGTSTP, SIG_DFL);
	kill(0, SIGTSTP); /* the program, too, and a shell script around it */
	/* here the tool goes on */
	signal(SIGTSTP, wake);
	screen.was_stopped = screen.wants_stop = 0;
	take();
}

/* Opening */

static int complain(const char *why)
{
	message("cannot show a screen: %s; use --batch or --json", why);
	return EXIT_WRONG_USAGE;
}

static int check_terminal(void)
{
	const char *kind = getenv("TERM");

	if (!isatty(STDIN_FILENO))
		return complain("standard input is not a terminal");
	if (!isatty(STDOUT_FILENO))
		return complain("standard output is not a terminal");
	if (!kind || !*kind || !strcmp(kind, "dumb"))
		return complain("TERM is not set to a terminal that has one");
	return 0;
}

static int copy_of(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

static int wait_for(int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(screen.waiter, EPOLL_CTL_ADD, fd, &event);
}

static int open_descriptors(void)
{
	const int kept = memfd_create("messages", MFD_CLOEXEC);

	screen.messages = kept < 0 ? NULL : fdopen(kept, "a+");
	screen.keys = copy_of(STDIN_FILENO);
	screen.out = copy_of(STDOUT_FILENO);
	screen.input = copy_of(STDIN_FILENO);
	screen.errors = copy_of(STDERR_FILENO);
	screen.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	screen.waiter = epoll_create1(EPOLL_CLOEXEC);
	if (!screen.messages || screen.keys < 0 || screen.out < 0 || screen.input < 0 ||
	    screen.errors < 0 || screen.wake < 0 || screen.waiter < 0 ||
	    wait_for(screen.keys) || wait_for(screen.wake) ||
	    tcgetattr(screen.keys, &screen.before)) {
		message("cannot show a screen: %s", strerror(errno));
		return EXIT_FAILED;
	}
	setvbuf(screen.messages, NULL, _IONBF, 0); /* children write there, too */
	return 0;
}

/* 0, or an exit status after a message. */
static int redirect(const char *output)
{
	const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	const int file = open(output ? output : "/dev/null",
			      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (null < 0 || file < 0) {
		message("cannot open %s: %s", null < 0 || !output ? "/dev/null" : output,
			strerror(errno));
		return EXIT_FAILED;
	}
	fflush(stderr);
	dup2(null, STDIN_FILENO);
	dup2(file, STDERR_FILENO);
	close(null);
	close(file);
	return 0;
}

static void make_raw(void)
{
	screen.raw = screen.before;
	screen.raw.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | IXON | ISTRIP);
	screen.raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
	screen.raw.c_cc[VMIN] = 0;
	screen.raw.c_cc[VTIME] = 0;
}

int screen_open(const char *output)
{
	static int is_registered;
	int status = check_terminal();

	if (!status)
		status = open_descriptors();
	if (!status)
		status = redirect(output);
	if (status)
		return status;
	make_raw();
	screen.owner = getpid();
	if (!is_registered)
		atexit(screen_close);
	is_registered = 1;
	message_divert(screen.messages);
	set_handlers(wake, crash);
	take();
	return 0;
}

/* Closing */

static void print_messages(void)
{
	char block[512];
	size_t length;

	rewind(screen.messages);
	while ((length = fread(block, 1, sizeof(block), screen.messages)))
		fwrite(block, 1, length, stderr);
	fclose(screen.messages);
}

void screen_close(void)
{
	if (screen.owner != getpid())
		return;
	give_back();
	set_handlers(SIG_DFL, SIG_DFL);
	message_divert(NULL);
	dup2(screen.input, STDIN_FILENO);
	dup2(screen.errors, STDERR_FILENO);
	print_messages();
	close(screen.keys);
	close(screen.out);
	close(screen.input);
	close(screen.errors);
	close(screen.waiter);
	close(screen.wake);
	screen.owner = 0;
}

/* While it is open */

int screen_fd(void)
{
	return screen.waiter;
}

static void handle_signals(void)
{
	uint64_t count;

	if (read(screen.wake, &count, sizeof(count)) < 0)
		return;
	screen.is_stale = 1;
	if (screen.wants_stop)
		screen_suspend();
	else if (screen.was_stopped)
		take(); /* the shell has taken it meanwhile */
	screen.was_stopped = 0;
}

/* A terminal that was closed is readable for ever, without keys. */
static int is_gone(void)
{
	struct pollfd keys = { .fd = screen.keys };

	return poll(&keys, 1, 0) == 1 && keys.revents & (POLLHUP | POLLERR | POLLNVAL);
}

int screen_read(char *bytes, size_t size)
{
	ssize_t got;

	handle_signals();
	got = read(screen.keys, bytes, size);
	if (got > 0)
		return (int)got;
	return (got < 0 && errno != EINTR && errno != EAGAIN) || is_gone() ? -1 : 0;
}

int screen_is_stale(void)
{
	const int is_stale = screen.is_stale;

	screen.is_stale = 0;
	return is_stale;
}

struct screen_size screen_size(void)
{
	struct winsize size;

	if (ioctl(screen.out, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col ||
	    size.ws_row > SIZE_MOST || size.ws_col > SIZE_MOST)
		return (struct screen_size){ 24, 80 };
	return (struct screen_size){ size.ws_row, size.ws_col };
}

void screen_show(const struct bytes *lines)
{
	write_all(screen.out, lines->at, lines->length);
}

/* Messages */

const char *screen_message(void)
{
	AUTO_FREE char *line = NULL;
	size_t size = 0;
	ssize_t length;

	screen.message[0] = '\0';
	rewind(screen.messages);
	while ((length = getline(&line, &size, screen.messages)) > 0)
		snprintf(screen.message, sizeof(screen.message), "%.*s", (int)length - 1, line);
	return screen.message[0] ? screen.message : NULL;
}

void screen_drop_messages(void)
{
	if (ftruncate(fileno(screen.messages), 0))
		return; /* they are printed at the end, then */
}

/* Splits the bytes that a terminal sends into keys. */

static const struct {
	const char *sequence; /* bytes after ESC */
	int key;
} known[] = {
	{ "[A", KEY_UP },     { "OA", KEY_UP },	     { "[B", KEY_DOWN },
	{ "OB", KEY_DOWN },   { "[C", KEY_RIGHT },   { "OC", KEY_RIGHT },
	{ "[D", KEY_LEFT },   { "OD", KEY_LEFT },    { "[5~", KEY_PAGE_UP },
	{ "[6~", KEY_PAGE_DOWN }, { "[H", KEY_HOME }, { "OH", KEY_HOME },
	{ "[1~", KEY_HOME },  { "[F", KEY_END },     { "OF", KEY_END },
	{ "[4~", KEY_END },   { "[Z", KEY_BACK_TAB },
};

/* The bytes of a sequence after ESC: "[1;5C", "OP"; 0 if there is none. */
static size_t sequence_length(const char *bytes, size_t length)
{
	size_t at = 1;

	if (length < 2 || (bytes[0] != '[' && bytes[0] != 'O'))
		return 0;
	while (bytes[0] == '[' && at < length && bytes[at] >= ' ' && bytes[at] < '@')
		at++;
	return at < length ? at + 1 : at;
}

int key_next(const char **bytes, size_t *length)
{
	const char *begin = (*bytes)++;
	size_t skipped;

	--*length;
	skipped = *begin == KEY_ESCAPE ? sequence_length(*bytes, *length) : 0;
	if (!skipped)
		return (unsigned char)*begin;
	*bytes += skipped;
	*length -= skipped;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].sequence) == skipped &&
		    !memcmp(known[i].sequence, begin + 1, skipped))
			return known[i].key;
	return KEY_NONE;
}
