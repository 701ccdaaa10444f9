/* SPDX-License-Identifier: MIT */
/* Sessions whose rings are offered to a collector (USEREVENTS_SOCKET). */
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>

#include <userevents/abi/ring_socket.h>
#include <userevents/capture.h>
#include <userevents/ring.h>
#include <userevents/userevents.h>

#include "coarse_clock.h"
#include "ring/ring_clock.h"
#include "ring/ring_memory.h"
#include "socket/descriptor_packet.h"

#define CANNOT 77
#define PATH "socket"

UE_EVENT(handed_out, UE_U32(number));

static char directory[] = "/tmp/ring-socket-XXXXXX";
static int listener = -1;

/* The variable has an absolute path. */
static int set_path(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return setenv(UE_ENVIRONMENT_SOCKET, path, 1);
}

static int enter(void **state)
{
	(void)state;
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	listener = -1;
	coarse_ms = 0;
	return !mkdtemp(directory) || chdir(directory) || chmod(".", 0755) ||
	       set_path(PATH);
}

static int leave(void **state)
{
	(void)state;
	unsetenv(UE_ENVIRONMENT_SOCKET);
	unsetenv(UE_ENVIRONMENT_RING_SIZE);
	if (listener >= 0)
		close(listener);
	unlink(PATH);
	return chdir("/") || rmdir(directory); /* which fails if anything else is left */
}

static struct sockaddr_un address_of(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	memcpy(address.sun_path, path, strnlen(path, sizeof(address.sun_path)));
	return address;
}

static void listen_at(const char *path, int type, int backlog)
{
	const struct sockaddr_un address = address_of(path);

	unlink(path);
	listener = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_true(listener >= 0);
	assert_int_equal(bind(listener, (const void *)&address, sizeof(address)), 0);
	if (backlog >= 0)
		assert_int_equal(listen(listener, backlog), 0);
}

static void stop_listening(void)
{
	close(listener);
	listener = -1;
}

/* The next ring that was offered; -1: none was. */
static int take_offer(void)
{
	struct ue_ring_offer offer;
	char byte;
	int ring, connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (connection < 0)
		return -1;
	assert_int_equal(ue__receive_descriptor(connection, &offer, sizeof(offer), 0, &ring), 0);
	assert_int_equal(offer.magic, UE_RING_OFFER_MAGIC);
	assert_int_equal(offer.flags, 0);
	assert_int_equal(recv(connection, &byte, 1, 0), 0); /* the program keeps no connection */
	close(connection);
	return ring;
}

static int offered(void)
{
	const int ring = take_offer();

	if (ring >= 0)
		close(ring);
	return ring >= 0;
}

static struct ue_ring_info info_of(int ring)
{
	struct ue_ring_info info;

	assert_int_equal(ue_ring_info(ring, &info), 0);
	return info;
}

static int count_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void assert_event(struct ue_capture *capture, unsigned number)
{
	char line[64];

	snprintf(line, sizeof(line), "user_events:handed_out number=%u", number);
	assert_string_equal(ue_capture_line(capture), line);
}

static struct ue_capture *read_ring(int ring)
{
	struct ue_capture *capture;

	assert_int_equal(ue_capture_open_ring(ring, UE_CAPTURE_TAKE, &capture), 0);
	return capture;
}

static int open_session(void)
{
	int fd;

	errno = 4711;
	fd = ue_open(NULL);
	assert_int_equal(errno, 4711);
	return fd;
}

static int open_and_register(void)
{
	const int fd = open_session();

	assert_true(fd >= 0);
	assert_int_equal(ue_register_all(fd), 0);
	return fd;
}

static void write_number(int fd, uint32_t number)
{
	errno = 4711;
	assert_int_equal(UE_WRITE(fd, handed_out, number), 0);
	assert_int_equal(errno, 4711);
}

/* Seconds pass since a reader looked at the ring; the clock of attempts is another one. */
static void let_pass(int ring)
{
	struct ue__ring_memory memory;
	uint64_t *looked;

	assert_int_equal(ue__ring_map(&memory, ring), 0);
	looked = &memory.ring->looked;
	*looked = *looked ? ue__ring_time(memory.clock) - (UINT64_C(1) << 34) : 0;
	ue__ring_unmap(&memory);
	coarse_ms += 2000;
}

/* A session */

static void a_program_offers_its_ring(void **state)
{
	const int before = count_descriptors();
	struct ue_capture *capture;
	int fd, ring, seals;

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	fd = open_and_register();
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(ue_abi(fd), UE_ABI_RING);
	write_number(fd, 42);
	ring = take_offer();
	assert_true(ring >= 0);
	seals = fcntl(ring, F_GET_SEALS);
	assert_int_equal(seals & (F_SEAL_SHRINK | F_SEAL_GROW), F_SEAL_SHRINK | F_SEAL_GROW);
	assert_int_equal(info_of(ring).mode, UE_RING_DROP);
	assert_int_equal(info_of(ring).bytes, 4 << 20);
	assert_int_equal(info_of(ring).processes, 1);
	assert_int_equal(info_of(ring).looked, 0);
	capture = read_ring(ring);
	assert_true(info_of(ring).looked != 0);
	assert_event(capture, 42);
	assert_int_equal(ue_close(fd), 0);
	assert_int_equal(info_of(ring).processes, 0);
	ue_capture_close(capture);
	close(ring);
	assert_true(offered()); /* the last time */
	assert_false(offered());
	stop_listening();
	assert_int_equal(count_descriptors(), before);
}

static void each_session_has_a_ring(void **state)
{
	int fds[2], rings[2];

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	for (int i = 0; i < 2; i++) {
		fds[i] = open_session();
		rings[i] = take_offer();
		assert_int_equal(info_of(rings[i]).processes, 1);
	}
	ue_close(fds[0]);
	assert_int_equal(info_of(rings[0]).processes, 0);
	assert_int_equal(info_of(rings[1]).processes, 1);
	ue_close(fds[1]);
	close(rings[0]);
	close(rings[1]);
}

static void the_environment_chooses_the_size(void **state)
{
	static const struct { const char *text; uint64_t bytes; } sizes[] = {
		{ "", 4 << 20 }, { "256k", 256 << 10 }, { "256K", 256 << 10 },
		{ "64M", 64 << 20 }, { "1048576", 1 << 20 },
		{ "255k", 0 }, { "65M", 0 }, { "0", 0 }, { "x", 0 }, { "1G", 0 }, { "1Mx", 0 },
		{ "-1", 0 }, { "18446744073709551616M", 0 },
	};

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 16);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int fd, ring;

		setenv(UE_ENVIRONMENT_RING_SIZE, sizes[i].text, 1);
		fd = open_session();
		if (!sizes[i].bytes) {
			assert_int_equal(fd, -EINVAL);
			continue;
		}
		ring = take_offer();
		assert_int_equal(info_of(ring).bytes, sizes[i].bytes);
		close(ring);
		ue_close(fd);
		while (offered())
			;
	}
}

/* Whenever the collector comes */

static void a_session_needs_no_collector(void **state)
{
	struct ue_capture *capture;
	int fd, ring;

	(void)state;
	coarse_ms = 10000;
	fd = open_and_register();
	for (uint32_t i = 1; i <= 3; i++)
		write_number(fd, i);
	listen_at(PATH, SOCK_SEQPACKET, 5);
	assert_false(offered());
	coarse_ms += 49;
	write_number(fd, 4); /* too soon */
	assert_false(offered());
	coarse_ms += 1;
	write_number(fd, 5);
	ring = take_offer();
	assert_true(ring >= 0);
	assert_int_equal(info_of(ring).looked, 0);
	capture = read_ring(ring);
	for (uint32_t i = 1; i <= 5; i++)
		assert_event(capture, i);
	ue_close(fd);
	ue_capture_close(capture);
	close(ring);
}

/* Attempts in so many milliseconds, of which each has a write. */
static int count_attempts(int fd, int ms)
{
	int attempts = 0;

	for (int i = 0; i < ms; i++) {
		coarse_ms++;
		write_number(fd, 0);
		while (offered())
			attempts++;
	}
	return attempts;
}

static void attempts_without_an_answer_become_rare(void **state)
{
	int fd;

	(void)state;
	setenv(UE_ENVIRONMENT_RING_SIZE, "16M", 1);
	coarse_ms = 10000;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	fd = open_and_register();
	assert_true(offered());
	assert_int_equal(count_attempts(fd, 999), 0);
	assert_int_equal(count_attempts(fd, 1), 1);	 /* after 1 s, */
	assert_int_equal(count_attempts(fd, 2000), 1);	 /* 2, */
	assert_int_equal(count_attempts(fd, 4000), 1);	 /* 4, */
	assert_int_equal(count_attempts(fd, 8000), 1);	 /* 8, */
	assert_int_equal(count_attempts(fd, 16000), 2); /* and 8 */
	ue_close(fd);
}

static void without_a_socket_they_do_not(void **state)
{
	int fd, attempts = 0;

	(void)state;
	setenv(UE_ENVIRONMENT_RING_SIZE, "16M", 1);
	coarse_ms = 10000;
	fd = open_and_register();
	for (int i = 0; i < 20000; i++) { /* an attempt fails */
		coarse_ms++;
		write_number(fd, 0);
	}
	listen_at(PATH, SOCK_SEQPACKET, 5);
	for (int i = 0; i < 1000 && !attempts; i++)
		attempts += count_attempts(fd, 1);
	assert_int_equal(attempts, 1);
	ue_close(fd);
}

static void nothing_is_offered_while_a_reader_looks(void **state)
{
	struct ue_capture *capture;
	int fd, ring;

	(void)state;
	coarse_ms = 10000;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	fd = open_and_register();
	ring = take_offer();
	capture = read_ring(ring);
	for (int i = 0; i < 100; i++) {
		let_pass(ring);
		while (*ue_capture_line(capture))
			;
		write_number(fd, 0);
		assert_false(offered());
	}
	ue_capture_close(capture);
	let_pass(ring);
	write_number(fd, 0);
	assert_true(offered());
	write_number(fd, 0);
	assert_false(offered());
	ue_close(fd);
	close(ring);
}

/* It begins as if the collector had never been away. */
static void the_next_collector_gets_the_ring(void **state)
{
	struct ue_capture *capture;
	int fd, ring;

	(void)state;
	coarse_ms = 10000;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	fd = open_and_register();
	for (int collector = 0; collector < 5; collector++) {
		ring = take_offer();
		assert_true(ring >= 0);
		capture = read_ring(ring);
		for (uint32_t i = collector ? 1 : 6; i < 6; i++)
			assert_event(capture, i);
		for (uint32_t i = 6; i < 10; i++) {
			write_number(fd, i);
			assert_event(capture, i);
		}
		assert_string_equal(ue_capture_line(capture), "");
		ue_capture_close(capture);
		stop_listening(); /* killed: its socket is left */
		for (uint32_t i = 1; i < 5; i++) {
			let_pass(ring);
			write_number(fd, i);
		}
		listen_at(PATH, SOCK_SEQPACKET, 5);
		let_pass(ring);
		close(ring);
		write_number(fd, 5);
	}
	ue_close(fd);
}

static void what_is_unread_is_offered_at_the_end(void **state)
{
	struct ue_capture *capture;
	int fd, ring;

	(void)state;
	coarse_ms = 10000;
	fd = open_and_register();
	write_number(fd, 1);
	listen_at(PATH, SOCK_SEQPACKET, 5);
	ue_close(fd); /* the next attempt would be later */
	ring = take_offer();
	assert_true(ring >= 0);
	assert_int_equal(info_of(ring).processes, 0);
	capture = read_ring(ring);
	assert_event(capture, 1);
	ue_capture_close(capture);
	close(ring);
}

static void at_the_exit_of_the_process_as_well(void **state)
{
	struct ue_capture *capture;
	int ring, status;
	pid_t child;

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	child = fork();
	if (!child) {
		const int fd = ue_open(NULL);

		close(take_offer());
		ue_register_all(fd);
		exit(UE_WRITE(fd, handed_out, 8) != 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	ring = take_offer();
	assert_true(ring >= 0);
	capture = read_ring(ring);
	assert_event(capture, 8);
	ue_capture_close(capture);
	close(ring);
}

/* The order of places */

static void others_come_before_the_socket(void **state)
{
	static const struct ue_open_opts none = {
		.size = sizeof(none), .flags = UE_OPEN_NO_ENVIRONMENT,
	};
	struct ue_open_opts opts = {
		.size = sizeof(opts), .flags = UE_OPEN_FD, .fd = ue_ring_create(NULL, NULL),
	};
	int fd = ue_open(&opts);

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	assert_true(fd >= 0);
	ue_close(fd);
	close(opts.fd);
	opts = (struct ue_open_opts){ .size = sizeof(opts), .path = "/nonexistent" };
	assert_int_equal(ue_open(&opts), -ENOENT);
	fd = ue_open(&none);
	if (fd >= 0)
		ue_close(fd);
	setenv(UE_ENVIRONMENT_RING, "ring", 1);
	setenv(UE_ENVIRONMENT_RING_SIZE, "512k", 1);
	fd = ue_open(NULL);
	assert_int_equal(ue_abi(fd), UE_ABI_RING);
	assert_int_equal(info_of(fd).bytes, 512 << 10);
	ue_close(fd);
	unlink("ring");
	unsetenv(UE_ENVIRONMENT_RING);
	setenv(UE_ENVIRONMENT_FD, "x", 1);
	assert_int_equal(ue_open(NULL), -EINVAL);
	unsetenv(UE_ENVIRONMENT_FD);
	assert_false(offered());
	setenv(UE_ENVIRONMENT_RING, "", 1);
	fd = ue_open(NULL);
	unsetenv(UE_ENVIRONMENT_RING);
	assert_true(offered());
	ue_close(fd);
}

static void an_empty_variable_is_none(void **state)
{
	int before;

	(void)state;
	unsetenv(UE_ENVIRONMENT_SOCKET);
	before = ue_open(NULL);
	setenv(UE_ENVIRONMENT_SOCKET, "", 1);
	if (before < 0)
		assert_int_equal(ue_open(NULL), before);
	else
		ue_close(before);
}

/* Sockets that lead nowhere */

static void assert_session(void)
{
	const int fd = open_session();

	assert_true(fd >= 0);
	assert_int_equal(ue_close(fd), 0);
}

static void a_listener_may_come_later(void **state)
{
	int file;

	(void)state;
	assert_session();
	file = open(PATH, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_session();
	close(file);
	unlink(PATH);
	listen_at(PATH, SOCK_SEQPACKET, -1);
	assert_session();
	stop_listening();
	assert_session();
	set_path(PATH "/more");
	assert_int_equal(open_session(), -ENOTDIR);
}

static void a_path_has_at_most_107_bytes(void **state)
{
	char name[109];
	int fd, length = 108 - (int)strlen(directory) - 1;

	(void)state;
	memset(name, 'x', sizeof(name));
	name[length] = '\0';
	set_path(name);
	assert_int_equal(open_session(), -ENAMETOOLONG);
	name[length - 1] = '\0';
	set_path(name);
	listen_at(name, SOCK_SEQPACKET, 5);
	fd = open_session();
	assert_true(offered());
	ue_close(fd);
	unlink(name);
}

/* Its next offers may come from another directory. */
static void a_path_is_absolute(void **state)
{
	int fd;

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	setenv(UE_ENVIRONMENT_SOCKET, PATH, 1);
	assert_int_equal(open_session(), -EINVAL);
	assert_false(offered());
	set_path(PATH);
	coarse_ms = 10000;
	fd = open_and_register();
	assert_true(offered());
	assert_int_equal(chdir("/"), 0);
	coarse_ms += 2000;
	write_number(fd, 1);
	assert_true(offered());
	ue_close(fd);
	assert_true(offered());
	assert_int_equal(chdir(directory), 0);
}

static void what_listens_may_be_something_else(void **state)
{
	const int before = count_descriptors();

	(void)state;
	listen_at(PATH, SOCK_STREAM, 5);
	assert_int_equal(open_session(), -ENOTTY);
	assert_int_equal(count_descriptors(), before + 1);
}

static int open_without_rights(void)
{
	listen_at(PATH, SOCK_SEQPACKET, 5);
	MUST(!chmod(PATH, 0600));
	if (!getuid() && setuid(65534))
		return CANNOT;
	if (getuid() != 65534)
		MUST(!chmod(PATH, 0400)); /* to connect is to write */
	MUST(ue_open(NULL) == -EACCES);
	return 0;
}

static void without_the_right_to_connect_the_error_says_so(void **state)
{
	(void)state;
	in_child(open_without_rights);
}

static void a_full_queue_is_not_waited_for(void **state)
{
	const struct sockaddr_un address = address_of(PATH);
	int fds[16], count = 0, fd;

	(void)state;
	coarse_ms = 10000;
	listen_at(PATH, SOCK_SEQPACKET, 0);
	for (; count < 16; count++) {
		fds[count] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (connect(fds[count], (const void *)&address, sizeof(address)))
			break;
	}
	assert_true(count < 16 && errno == EAGAIN);
	fd = open_and_register();
	for (int i = 0; i <= count; i++) {
		close(fds[i]);
		close(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
	}
	coarse_ms += 50;
	write_number(fd, 1);
	assert_true(offered());
	ue_close(fd);
}

/* Descriptors */

static int open_without_standard_streams(void)
{
	int out = dup(1), fd, result;

	for (int i = 0; i < 3; i++)
		close(i);
	fd = ue_open(NULL);
	result = fd > 2 && ue_abi(fd) == UE_ABI_RING;
	for (int i = 0; i < 3; i++)
		result &= fcntl(i, F_GETFD) < 0;
	dup2(out, 1);
	MUST(result);
	return 0;
}

static void the_standard_streams_are_not_replaced(void **state)
{
	(void)state;
	in_child(open_without_standard_streams);
}

static int open_at_the_limit(void)
{
	struct rlimit limit = { 256, 256 };
	int last = -1;

	listen_at(PATH, SOCK_SEQPACKET, 5);
	MUST(!setrlimit(RLIMIT_NOFILE, &limit));
	for (int next; (next = dup(listener)) >= 0;)
		last = next;
	MUST(ue_open(NULL) == -EMFILE);
	close(last--);
	MUST(ue_open(NULL) == -EMFILE);
	return 0;
}

static void too_few_descriptors_are_an_error(void **state)
{
	(void)state;
	in_child(open_at_the_limit);
}

static void a_program_that_closed_the_descriptor_offers_nothing(void **state)
{
	int fd, other = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)state;
	coarse_ms = 10000;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	fd = open_and_register();
	assert_true(offered());
	assert_int_equal(dup2(other, fd), fd);
	coarse_ms += 2000;
	UE_WRITE(fd, handed_out, 1);
	assert_false(offered());
	ue_close(fd);
	assert_false(offered());
	close(fd);
	close(other);
}

/* Threads, forks */

int __real_connect(int socket, const struct sockaddr *address, socklen_t length);
int __wrap_connect(int socket, const struct sockaddr *address, socklen_t length);

/* Called once amid the next offer. */
static void (*amid_offer)(void);

int __wrap_connect(int socket, const struct sockaddr *address, socklen_t length)
{
	void (*const call)(void) = amid_offer;

	amid_offer = NULL;
	if (call)
		call();
	return __real_connect(socket, address, length);
}

static void end_process(void)
{
	exit(0);
}

static int end_amid_offer(void)
{
	const int fd = open_and_register();

	MUST(open_session() >= 0); /* which is offered at the end */
	alarm(60);
	/* as a handler would; ue_close() has the library's lock */
	amid_offer = end_process;
	ue_close(fd);
	return 1;
}

static void a_handler_may_end_the_process_amid_an_offer(void **state)
{
	int count = 0;

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	in_child(end_amid_offer);
	while (offered())
		count++;
	assert_int_equal(count, 3); /* two of the beginning, and that */
}

static int has_written;

static void cancel_thread(void)
{
	pthread_cancel(pthread_self());
}

static void *write_cancelled(void *fd)
{
	amid_offer = cancel_thread;
	write_number(*(int *)fd, 1);
	has_written = 1;
	pthread_testcancel();
	return NULL;
}

static void a_cancelled_thread_ends_its_offer(void **state)
{
	pthread_t thread;
	int fd, before;
	void *result;

	(void)state;
	coarse_ms = 10000;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	fd = open_and_register();
	assert_true(offered());
	coarse_ms += 2000;
	before = count_descriptors();
	assert_int_equal(pthread_create(&thread, NULL, write_cancelled, &fd), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_true(has_written);
	assert_int_equal(count_descriptors(), before);
	assert_true(offered());
	ue_close(fd);
}

static void *write_many(void *fd)
{
	for (uint32_t i = 0; i < 10000; i++)
		UE_WRITE(*(int *)fd, handed_out, i);
	return NULL;
}

static void of_many_threads_one_offers(void **state)
{
	pthread_t threads[8];
	int fd;

	(void)state;
	coarse_ms = 10000;
	listen_at(PATH, SOCK_SEQPACKET, 64);
	fd = open_and_register();
	assert_true(offered());
	coarse_ms += 1000;
	for (int i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_many, &fd), 0);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	assert_true(offered());
	assert_false(offered());
	ue_close(fd);
}

static int fd_of_handler;

static void write_in_handler(int number)
{
	UE_WRITE(fd_of_handler, handed_out, (uint32_t)number);
}

static void a_signal_handler_may_offer(void **state)
{
	(void)state;
	coarse_ms = 10000;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	fd_of_handler = open_and_register();
	assert_true(offered());
	coarse_ms += 1000;
	signal(SIGUSR1, write_in_handler);
	errno = 4711;
	raise(SIGUSR1);
	assert_int_equal(errno, 4711);
	signal(SIGUSR1, SIG_DFL);
	assert_true(offered());
	ue_close(fd_of_handler);
}

static int close_everything_and_write(int fd, int to, int from)
{
	char byte;

	for (int other = 3; other < 1024; other++)
		if (other != to && other != from)
			close(other);
	MUST(!UE_WRITE(fd, handed_out, 2));
	MUST(write(to, "", 1) == 1);
	return read(from, &byte, 1) != 0;
}

/* A child writes on after it has closed everything, and then is killed. */
static void children_share_the_ring_until_they_die(void **state)
{
	struct ue_capture *capture;
	int fd, ring, there[2], back[2], status;
	pid_t child;
	char byte;

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	fd = open_and_register();
	ring = take_offer();
	write_number(fd, 1);
	assert_int_equal(pipe(there) || pipe(back), 0);
	child = fork();
	if (!child) {
		close(back[1]);
		_exit(close_everything_and_write(fd, there[1], back[0]));
	}
	close(there[1]);
	assert_int_equal(read(there[0], &byte, 1), 1);
	assert_int_equal(info_of(ring).processes, 2);
	assert_int_equal(ue_close(fd), 0);
	assert_int_equal(info_of(ring).processes, 1);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(info_of(ring).processes, 0);
	capture = read_ring(ring);
	assert_event(capture, 1);
	assert_event(capture, 2);
	ue_capture_close(capture);
	close(there[0]);
	close(back[0]);
	close(back[1]);
	close(ring);
}

static int write_in_child(int fd)
{
	coarse_ms += 1000;
	MUST(!UE_WRITE(fd, handed_out, 3));
	return 0;
}

static void a_child_offers_as_well(void **state)
{
	int fd, status;
	pid_t child;

	(void)state;
	coarse_ms = 10000;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	fd = open_and_register();
	assert_true(offered());
	child = fork();
	if (!child)
		_exit(write_in_child(fd));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(offered());
	ue_close(fd);
}

/* Readers */

static void a_reader_can_disable_the_events(void **state)
{
	int fd, ring;

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	fd = open_and_register();
	ring = take_offer();
	assert_true(ue_enabled(UE_EVENT_OF(handed_out)));
	assert_int_equal(ue_ring_disable(ring, "*"), 0);
	assert_false(ue_enabled(UE_EVENT_OF(handed_out)));
	ue_close(fd);
	close(ring);
}

static void a_reader_can_ask_for_stacks(void **state)
{
	struct ue_capture *capture;
	struct ue_captured event;
	int fd, ring, stacks = 0;

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	fd = open_and_register();
	ring = take_offer();
	capture = read_ring(ring);
	write_number(fd, 1);
	assert_int_equal(ue_ring_stack(ring, "handed_out", 8), 0);
	write_number(fd, 2);
	assert_int_equal(ue_ring_stack(ring, "*", 0), 0);
	write_number(fd, 3);
	while (ue_capture_next(capture, &event) == 1)
		stacks += event.frames > 0;
	assert_int_equal(stacks, 1);
	ue_capture_close(capture);
	ue_close(fd);
	close(ring);
}

static void without_a_reader_losses_are_counted(void **state)
{
	uint32_t written = 0;
	int fd, ring;

	(void)state;
	setenv(UE_ENVIRONMENT_RING_SIZE, "256k", 1);
	listen_at(PATH, SOCK_SEQPACKET, 5);
	fd = open_and_register();
	ring = take_offer();
	while (!UE_WRITE(fd, handed_out, written))
		written++;
	for (int i = 0; i < 9; i++)
		assert_int_equal(UE_WRITE(fd, handed_out, 0), -ENOBUFS);
	assert_int_equal(ue_session_losses(fd, UE_LOSS_CAPTURE_FULL), 10);
	assert_int_equal(info_of(ring).lost[UE_LOSS_CAPTURE_FULL], 10);
	ue_close(fd);
	close(ring);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_program_offers_its_ring),
		TEST(each_session_has_a_ring),
		TEST(the_environment_chooses_the_size),
		TEST(a_session_needs_no_collector),
		TEST(attempts_without_an_answer_become_rare),
		TEST(without_a_socket_they_do_not),
		TEST(nothing_is_offered_while_a_reader_looks),
		TEST(the_next_collector_gets_the_ring),
		TEST(what_is_unread_is_offered_at_the_end),
		TEST(at_the_exit_of_the_process_as_well),
		TEST(others_come_before_the_socket),
		TEST(an_empty_variable_is_none),
		TEST(a_listener_may_come_later),
		TEST(a_path_has_at_most_107_bytes),
		TEST(a_path_is_absolute),
		TEST(a_handler_may_end_the_process_amid_an_offer),
		TEST(a_cancelled_thread_ends_its_offer),
		TEST(what_listens_may_be_something_else),
		TEST(without_the_right_to_connect_the_error_says_so),
		TEST(a_full_queue_is_not_waited_for),
		TEST(the_standard_streams_are_not_replaced),
		TEST(too_few_descriptors_are_an_error),
		TEST(a_program_that_closed_the_descriptor_offers_nothing),
		TEST(of_many_threads_one_offers),
		TEST(a_signal_handler_may_offer),
		TEST(children_share_the_ring_until_they_die),
		TEST(a_child_offers_as_well),
		TEST(a_reader_can_disable_the_events),
		TEST(a_reader_can_ask_for_stacks),
		TEST(without_a_reader_losses_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
