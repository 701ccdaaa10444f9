/* SPDX-License-Identifier: MIT */
/* Describes the work of a collector, and looks for the rights that it needs. */
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "delivery/delivery.h"
#include "door/ring_door.h"
#include "metrics/metrics.h"
#include "serve/metrics_server.h"

/* Headers before Linux 5.8 lack it. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

/* Rights: each returns 1, or 0 after a message */

static int has_capability(unsigned int number)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	return !syscall(SYS_capget, &header, data) &&
	       data[number / 32].effective >> number % 32 & 1;
}

static int may(const char *path, int how, const char *verb, const char *fix)
{
	if (!eaccess(path, how))
		return 1;
	message("cannot %s %s: %s; %s", verb, path, strerror(errno), fix);
	return 0;
}

static int may_make_in(const char *path, const char *verb)
{
	const char *slash = strrchr(path, '/');
	const size_t length = slash > path ? (size_t)(slash - path) : 1;
	AUTO_FREE char *directory = slash ? xstrndup(path, length) : xstrdup(".");
	int result = !eaccess(directory, W_OK | X_OK);

	if (!result)
		message("cannot %s %s: %s: %s; give this user the right to make files "
			"there", verb, path, directory, strerror(errno));
	return result;
}

/* One that does not exist is made. */
static int may_fill(const char *directory, const char *verb)
{
	struct stat status;

	if (stat(directory, &status) && errno == ENOENT)
		return may_make_in(directory, verb);
	return may(directory, W_OK | X_OK, verb, "give it to this user");
}

/* Things of other processes: each returns 1 if none has it, or 0 after a message */

static int is_free(const char *file, const char *verb, const char *what)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	const int fd = open(file, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int result = fd < 0 || fcntl(fd, F_GETLK, &lock) || lock.l_type == F_UNLCK;

	if (fd >= 0)
		close(fd);
	if (!result)
		message("cannot %s %s: another collector does; stop it, or name another one",
			verb, what);
	return result;
}

static int is_free_beside(const char *path, const char *end, const char *verb)
{
	AUTO_FREE char *lock = xprintf("%s%s", path, end);

	return is_free(lock, verb, path);
}

static int is_free_directory(const char *path)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const int result = fd < 0 || !flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	if (!result)
		message("cannot record into %s: another collector does; stop it, or name "
			"another one", path);
	return result;
}

/* The service manager hands its socket over. */
static int is_of_manager(int fd)
{
	struct ucred peer = { .pid = 0 };
	socklen_t length = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) && peer.pid == 1;
}

static int is_free_socket(const char *path, int type)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int result = 1;

	if (fd >= 0 && strlen(path) < sizeof(address.sun_path)) {
		memcpy(address.sun_path, path, strlen(path));
		if (!connect(fd, (const struct sockaddr *)&address, sizeof(address)))
			result = is_of_manager(fd);
		else
			result = errno != EAGAIN && errno != EPROTOTYPE;
	}
	if (fd >= 0)
		close(fd);
	if (!result)
		message("cannot listen on %s: another process does; stop it, or name another "
			"one", path);
	return result;
}

static int is_free_address(const char *text)
{
	struct stat file;
	int fd;

	if (!strncmp(text, "unix:", 5))
		return may_make_in(text + 5, "listen on") &&
		       is_free_socket(text + 5, SOCK_STREAM);
	fd = listen_address_open(text, &file);
	if (fd >= 0)
		listen_address_close(text, fd, &file);
	return fd >= 0;
}

/* node_exporter takes nothing from a file with another text, and a collector replaces it. */
static int is_of_metrics(const char *path)
{
	static const char begin[] = "# HELP userevents_";
	AUTO_FREE char *text = NULL;
	struct stat status;
	int result;

	if (stat(path, &status))
		return 1;
	text = S_ISREG(status.st_mode) ? read_file(path, NULL) : NULL;
	result = text && (!*text || !strncmp(text, begin, strlen(begin)));
	if (!result)
		message("cannot write %s: it is no file of metrics, which would replace it; "
			"name another one", path);
	return result;
}

static int may_record(void)
{
	AUTO_FREE char *paranoid =
		read_file("/proc/sys/kernel/perf_event_paranoid", NULL);
	const int result = (paranoid && !strncmp(paranoid, "-1", 2)) ||
			   has_capability(CAP_PERFMON) || has_capability(CAP_SYS_ADMIN);

	if (!result)
		message("cannot record the kernel's events: this user lacks CAP_PERFMON; "
			"add it, or use --socket");
	return result;
}

static int may_trace(void)
{
	if (has_capability(CAP_SYS_PTRACE))
		return 1;
	message("cannot look into processes: this user lacks CAP_SYS_PTRACE; add it, or "
		"leave out --process-losses");
	return 0;
}

static int may_register(const char *tracefs)
{
	AUTO_FREE char *path = xprintf("%s/user_events_data", tracefs);

	return may(path, W_OK, "register events in", "run as root");
}

static int may_keep(const char *file)
{
	struct stat status;

	if (stat(file, &status) && errno == ENOENT)
		return may_make_in(file, "keep counts in");
	return may(file, R_OK | W_OK, "keep counts in", "give it to this user") &&
	       is_free(file, "keep counts in", file) && kept_counts_are_ours(file);
}

/* Parts of the work: each returns 1 if nothing is lacking */

static void print_words(const char *name, const struct words *words, const char *none)
{
	printf("%-10s", name);
	for (size_t i = 0; i < words->count; i++)
		printf("%s%s", i ? ", " : "", words->items[i]);
	puts(words->count ? "" : none);
}

static int plan_kernel(const struct settings *settings, const char *tracefs)
{
	AUTO_FREE char *events = tracefs ? xprintf("%s/events", tracefs) : NULL;
	int result = events && may(events, R_OK | X_OK, "look for tracepoints in",
				   "add CAP_DAC_READ_SEARCH");

	result &= may_record();
	if (settings->definitions.count)
		result &= tracefs && may_register(tracefs);
	if (settings->process_losses)
		result &= may_trace();
	print_words("source", &(struct words){ .count = 0 }, "the kernel's events");
	return result;
}

static int plan_files(const char *pattern)
{
	glob_t found = { .gl_pathc = 0 };
	int result = 1;

	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			result &= may(found.gl_pathv[i], R_OK, "read the ring",
				      "give this user the right to read and write it");
	printf("%-10s%s (%zu now)\n", "rings", pattern, (size_t)found.gl_pathc);
	globfree(&found);
	return result;
}

/* A ring takes two descriptors, and one that waits, or a program that is silent, one. */
static int may_hold(uint64_t rings)
{
	const uint64_t need = 2 * rings + 2 * WAITING_MOST + 64;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max >= need)
		return 1;
	message("cannot hold %" PRIu64 " rings: this user may open %llu files; raise "
		"LimitNOFILE= of the unit, or \"ulimit -Hn\", to %" PRIu64 ", or lower "
		"--socket-rings", rings, (unsigned long long)limit.rlim_max, need);
	return 0;
}

static int plan_socket(const struct settings *settings)
{
	int result = getenv("LISTEN_FDS") ||
		     (may_make_in(settings->socket, "listen on") &&
		      is_free_socket(settings->socket, SOCK_SEQPACKET));

	result &= may_hold(settings->socket_rings);

	printf("%-10s%s, mode %s; at most %" PRIu64 " rings of %" PRIu64 " KiB, %" PRIu64
	       " of a user\n", "socket", settings->socket, settings->socket_mode,
	       settings->socket_rings, settings->socket_ring_size >> 10,
	       settings->socket_rings_of_user);
	return result;
}

static int plan_sources(const struct settings *settings, const char *tracefs)
{
	int result = 1;

	if (!settings_are_for_rings(settings))
		result = plan_kernel(settings, tracefs);
	if (settings->socket)
		result &= plan_socket(settings);
	for (size_t i = 0; i < settings->rings.count; i++)
		result &= plan_files(settings->rings.items[i]);
	print_words("events", &settings->globs, "all");
	if (settings->where)
		printf("%-10s%s\n", "where", settings->where);
	return result;
}

static int plan_queue(const struct settings *settings)
{
	if (!settings->queue_dir) {
		printf("%-10s%" PRIu64 " KiB of memory\n", "queue",
		       (settings->queue ? settings->queue : SENDER_QUEUE_BYTES) >> 10);
		return 1;
	}
	printf("%-10sfiles in %s, at most %" PRIu64 " MiB\n", "queue",
	       settings->queue_dir, settings->queue_size >> 20);
	return may_fill(settings->queue_dir, "keep a queue in") &&
	       is_free_beside(settings->queue_dir, "/lock", "keep a queue in");
}

static int plan_export(const struct settings *settings, const char *receivers)
{
	printf("%-10s%s\n", "receiver", receivers);
	return plan_queue(settings);
}

static int plan_recording(const struct settings *settings)
{
	const char *files = settings_are_for_rings(settings) ? RING_FILES : KERNEL_FILES;

	printf("%-10s%s/%s, rotate %s, keep-free %s\n", "record", settings->record, files,
	       settings->rotate, settings->keep_free);
	return may_fill(settings->record, "record into") &&
	       is_free_directory(settings->record);
}

static int plan_counts(const struct settings *settings)
{
	int result = 1;

	for (size_t i = 0; i < settings->metrics.count; i++) {
		const char *to = settings->metrics.items[i];

		const int is_address = listen_address_is(to);

		printf("%-10s%s%s\n", "metrics", is_address ? "listen on " : "", to);
		result &= is_address ? is_free_address(to) :
				       may_make_in(to, "write") && is_of_metrics(to) &&
					       is_free_beside(to, ".lock", "write");
	}
	if (!settings->state)
		return result;
	printf("%-10s%s\n", "state", settings->state);
	return may_keep(settings->state) & result;
}

static void print_user(void)
{
	const struct passwd *user = getpwuid(geteuid());

	printf("%-10s%s (%u)\n", "user", user ? user->pw_name : "without a name",
	       (unsigned int)geteuid());
}

int plan_print(const struct settings *settings, const char *tracefs)
{
	char *receivers = NULL;
	int result;

	if (settings->to.endpoint && !(receivers = delivery_receivers(&settings->to)))
		return EXIT_WRONG_USAGE;
	result = plan_sources(settings, tracefs);
	if (receivers)
		result &= plan_export(settings, receivers);
	free(receivers);
	if (settings->record)
		result &= plan_recording(settings);
	result &= plan_counts(settings);
	print_user();
	return result ? EXIT_ALL_WORKED : EXIT_FAILED;
}
