/* SPDX-License-Identifier: MIT */
/* Sessions on rings that another process hands out (USEREVENTS_SOCKET). */
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#include <userevents/abi/ring_socket.h>
#include <userevents/capture.h>
#include <userevents/ring.h>
#include <userevents/userevents.h>

#include "patience.h"

#define CANNOT 77
#define PATH "socket"

UE_EVENT(handed_out, UE_U32(number));

/* The other end, which answers one program in a thread. */

struct answer {
	struct ue_ring_offer offer;
	int descriptors[2];
	int count; /* of descriptors */
	size_t lacks; /* bytes of the offer that are not sent */
	int is_silent, is_last; /* close the connection before, after the answer */
};

static char directory[] = "/tmp/ring-socket-XXXXXX";
static int listener = -1, served = -1;

static int enter(void **state)
{
	(void)state;
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	listener = served = -1;
	return !mkdtemp(directory) || chdir(directory) || chmod(".", 0755) ||
	       setenv(UE_ENVIRONMENT_SOCKET, PATH, 1);
}

static int leave(void **state)
{
	(void)state;
	unsetenv(UE_ENVIRONMENT_SOCKET);
	if (listener >= 0)
		close(listener);
	if (served >= 0)
		close(served);
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

	listener = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	assert_true(listener >= 0);
	assert_int_equal(bind(listener, (const void *)&address, sizeof(address)), 0);
	if (backlog >= 0)
		assert_int_equal(listen(listener, backlog), 0);
}

static void send_answer(int to, const struct answer *answer)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(answer->descriptors))];
	} control = { .header = {
		.cmsg_len = CMSG_LEN(sizeof(int) * (size_t)answer->count),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	} };
	struct iovec piece = { (void *)(uintptr_t)&answer->offer,
			       sizeof(answer->offer) - answer->lacks };
	struct msghdr message = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = answer->count ? &control : NULL,
		.msg_controllen = answer->count ?
			CMSG_SPACE(sizeof(int) * (size_t)answer->count) : 0,
	};

	memcpy(CMSG_DATA(&control.header), answer->descriptors,
	       sizeof(int) * (size_t)answer->count);
	/* If the program is not there any more, its test finds out. */
	sendmsg(to, &message, MSG_NOSIGNAL);
}

static void *serve(void *argument)
{
	const struct answer *answer = argument;

	served = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (!answer->is_silent)
		send_answer(served, answer);
	if (answer->is_silent || answer->is_last) {
		close(served);
		served = -1;
	}
	return NULL;
}

static struct answer answer_with(int descriptor)
{
	return (struct answer){
		.offer.magic = UE_RING_OFFER_MAGIC,
		.descriptors = { descriptor, descriptor },
		.count = descriptor >= 0,
	};
}

/* ue_open() while the other end gives this answer. */
static int open_with(struct answer answer)
{
	pthread_t thread;
	int fd;

	if (listener < 0)
		listen_at(PATH, SOCK_SEQPACKET, 5);
	assert_int_equal(pthread_create(&thread, NULL, serve, &answer), 0);
	errno = 4711;
	fd = ue_open(NULL);
	assert_int_equal(errno, 4711);
	assert_int_equal(pthread_join(thread, NULL), 0);
	return fd;
}

static int make_ring(uint32_t mode)
{
	const struct ue_ring_opts opts = {
		.size = sizeof(opts), .bytes = UE_RING_BYTES_LEAST, .mode = mode,
	};
	int fd = ue_ring_create(NULL, &opts);

	assert_true(fd >= 0);
	return fd;
}

static struct ue_ring_info info_of(int ring)
{
	struct ue_ring_info info;

	assert_int_equal(ue_ring_info(ring, &info), 0);
	return info;
}

/* The program has closed its end, or else it would wait for ever here. */
static void assert_hung_up(void)
{
	struct pollfd end = { .fd = served };

	assert_int_equal(poll(&end, 1, -1), 1);
	assert_true(end.revents & POLLHUP);
	close(served);
	served = -1;
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

/* A session */

static void a_program_writes_into_the_ring_it_got(void **state)
{
	const int before = count_descriptors(), ring = make_ring(UE_RING_DROP);
	struct ue_capture *capture;
	int fd = open_with(answer_with(ring));

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(ue_abi(fd), UE_ABI_RING);
	assert_int_equal(ue_register_all(fd), 0);
	assert_int_equal(UE_WRITE(fd, handed_out, 42), 0);
	assert_int_equal(ue_capture_open_ring(ring, UE_CAPTURE_TAKE, &capture), 0);
	assert_event(capture, 42);
	assert_hung_up();
	assert_int_equal(info_of(ring).processes, 1);
	assert_int_equal(ue_close(fd), 0);
	assert_int_equal(info_of(ring).processes, 0);
	ue_capture_close(capture);
	close(ring);
	close(listener);
	listener = -1;
	assert_int_equal(count_descriptors(), before);
}

static void each_session_asks_for_a_ring(void **state)
{
	const int one = make_ring(UE_RING_DROP), other = make_ring(UE_RING_OVERWRITE);
	int fds[2];

	(void)state;
	fds[0] = open_with(answer_with(one));
	close(served);
	fds[1] = open_with(answer_with(other));
	assert_true(fds[0] >= 0 && fds[1] >= 0);
	assert_int_equal(info_of(one).processes, 1);
	assert_int_equal(info_of(other).processes, 1);
	ue_close(fds[0]);
	ue_close(fds[1]);
	close(one);
	close(other);
}

static void a_refused_program_can_ask_again(void **state)
{
	const int ring = make_ring(UE_RING_DROP);
	struct answer refusal = answer_with(-1);
	int fd;

	(void)state;
	refusal.offer.refusal = EUSERS;
	assert_int_equal(open_with(refusal), -EUSERS);
	close(served);
	refusal.offer.refusal = 4711; /* the number is for people who debug */
	assert_int_equal(open_with(refusal), -EUSERS);
	close(served);
	fd = open_with(answer_with(ring));
	assert_true(fd >= 0);
	ue_close(fd);
	close(ring);
}

/* The order of places */

static void others_come_before_the_socket(void **state)
{
	static const struct ue_open_opts none = {
		.size = sizeof(none), .flags = UE_OPEN_NO_ENVIRONMENT,
	};
	struct ue_open_opts opts = {
		.size = sizeof(opts), .flags = UE_OPEN_FD, .fd = make_ring(UE_RING_DROP),
	};
	int fd = ue_open(&opts);

	(void)state; /* nobody listens, so what asks the socket fails */
	assert_int_equal(ue_open(NULL), -ECONNREFUSED);
	assert_true(fd >= 0);
	ue_close(fd);
	opts = (struct ue_open_opts){ .size = sizeof(opts), .path = "/nonexistent" };
	assert_int_equal(ue_open(&opts), -ENOENT);
	assert_int_not_equal(ue_open(&none), -ECONNREFUSED);
	setenv(UE_ENVIRONMENT_RING, "ring", 1);
	fd = ue_open(NULL);
	assert_int_equal(ue_abi(fd), UE_ABI_RING);
	ue_close(fd);
	unlink("ring");
	setenv(UE_ENVIRONMENT_RING, "", 1);
	assert_int_equal(ue_open(NULL), -ECONNREFUSED);
	unsetenv(UE_ENVIRONMENT_RING);
	setenv(UE_ENVIRONMENT_FD, "x", 1);
	assert_int_equal(ue_open(NULL), -EINVAL);
	unsetenv(UE_ENVIRONMENT_FD);
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

static void without_a_listener_the_error_says_so(void **state)
{
	int file;

	(void)state;
	assert_int_equal(ue_open(NULL), -ECONNREFUSED);
	file = open(PATH, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(ue_open(NULL), -ECONNREFUSED);
	close(file);
	unlink(PATH);
	listen_at(PATH, SOCK_SEQPACKET, -1);
	assert_int_equal(ue_open(NULL), -ECONNREFUSED);
	close(listener);
	listener = -1;
	assert_int_equal(ue_open(NULL), -ECONNREFUSED);
	setenv(UE_ENVIRONMENT_SOCKET, PATH "/more", 1);
	assert_int_equal(ue_open(NULL), -ENOTDIR);
}

static void a_path_has_at_most_107_bytes(void **state)
{
	char path[109];
	int ring = make_ring(UE_RING_DROP), fd;

	(void)state;
	memset(path, 'x', sizeof(path));
	path[108] = '\0';
	setenv(UE_ENVIRONMENT_SOCKET, path, 1);
	assert_int_equal(ue_open(NULL), -ENAMETOOLONG);
	path[107] = '\0';
	setenv(UE_ENVIRONMENT_SOCKET, path, 1);
	assert_int_equal(ue_open(NULL), -ECONNREFUSED);
	listen_at(path, SOCK_SEQPACKET, 5);
	fd = open_with(answer_with(ring));
	assert_true(fd >= 0);
	ue_close(fd);
	close(ring);
	unlink(path);
}

static void what_listens_may_be_something_else(void **state)
{
	(void)state;
	listen_at(PATH, SOCK_STREAM, 5);
	assert_int_equal(ue_open(NULL), -ENOTTY);
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

/* Another user's process may use a descriptor that it was given. */
static int open_as_nobody(void)
{
	int ring = make_ring(UE_RING_DROP), fd;

	listen_at(PATH, SOCK_SEQPACKET, 5);
	MUST(!chmod(PATH, 0666));
	if (!getuid())
		MUST(!setuid(65534));
	fd = open_with(answer_with(ring));
	MUST(fd >= 0);
	MUST(!ue_register_all(fd));
	MUST(!UE_WRITE(fd, handed_out, 1));
	MUST(info_of(ring).processes == 1);
	return 0;
}

static void the_ring_may_be_of_another_user(void **state)
{
	(void)state;
	in_child(open_as_nobody);
}

/* Collectors that do wrong */

static void assert_rejected(int descriptor, int error)
{
	const int before = count_descriptors();

	assert_int_equal(open_with(answer_with(descriptor)), error);
	close(served);
	served = -1;
	assert_int_equal(count_descriptors(), before);
}

static void wrong_answers_are_rejected(void **state)
{
	struct answer answer = answer_with(-1);

	(void)state;
	assert_int_equal(open_with(answer), -ENOTTY);
	close(served);
	answer.offer.magic++;
	assert_int_equal(open_with(answer), -ENOTTY);
	answer.is_silent = 1;
	close(served);
	assert_int_equal(open_with(answer), -ECONNRESET);
}

static void what_is_no_sealed_ring_is_rejected(void **state)
{
	int memory = memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING), fd;

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_rejected(fd, -ENOTTY);
	close(fd);
	fd = ue_ring_create("ring", NULL); /* a file, which its owner can cut */
	assert_true(fd >= 0);
	assert_rejected(fd, -ENOTTY);
	close(fd);
	unlink("ring");
	assert_int_equal(ftruncate(memory, UE_RING_BYTES_LEAST), 0);
	assert_rejected(memory, -EBADMSG);
	assert_int_equal(fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
	assert_rejected(memory, -ENOTTY);
	close(memory);
}

static void a_ring_that_waits_for_its_reader_is_rejected(void **state)
{
	int ring = make_ring(UE_RING_WAIT);

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	assert_rejected(ring, -EBADMSG);
	assert_int_equal(info_of(ring).processes, 0);
	close(ring);
}

static void a_huge_ring_is_rejected(void **state)
{
	struct ue_ring_opts opts = {
		.size = sizeof(opts), .bytes = UE_RING_OFFER_BYTES_MOST, .mode = UE_RING_DROP,
	};
	int ring, fd;

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	ring = ue_ring_create(NULL, &opts);
	fd = open_with(answer_with(ring));
	assert_true(fd >= 0);
	assert_int_equal(ue_close(fd), 0);
	assert_hung_up();
	close(ring);
	opts.bytes *= 2;
	ring = ue_ring_create(NULL, &opts);
	assert_rejected(ring, -EBADMSG);
	close(ring);
}

static void a_ring_that_cannot_be_written_is_rejected(void **state)
{
	int ring = make_ring(UE_RING_DROP), fd;
	char path[32];

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ring);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_rejected(fd, -EACCES);
	close(fd);
	close(ring);
}

static void a_packet_that_is_cut_is_rejected(void **state)
{
	int ring = make_ring(UE_RING_DROP), before;
	struct answer answer = answer_with(ring);

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	before = count_descriptors();
	answer.lacks = 1;
	assert_int_equal(open_with(answer), -ENOTTY);
	close(served);
	served = -1;
	assert_int_equal(count_descriptors(), before);
	close(ring);
}

static void of_two_descriptors_none_leaks(void **state)
{
	int ring = make_ring(UE_RING_DROP), before, fd;
	struct answer answer = answer_with(ring);

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	before = count_descriptors();
	answer.count = 2;
	fd = open_with(answer);
	assert_true(fd >= 0);
	ue_close(fd);
	close(served);
	served = -1;
	assert_int_equal(count_descriptors(), before);
	close(ring);
}

/* Waiting */

static void a_silent_collector_is_not_waited_for_long(void **state)
{
	const int before = count_descriptors();

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	is_impatient = 1;
	assert_int_equal(ue_open(NULL), -ETIMEDOUT);
	is_impatient = 0;
	assert_int_equal(count_descriptors(), before + 1);
}

static void a_full_queue_is_not_waited_for_long(void **state)
{
	const struct sockaddr_un address = address_of(PATH);
	int fds[16], count = 0;

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 0);
	for (; count < 16; count++) {
		fds[count] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
		if (connect(fds[count], (const void *)&address, sizeof(address)))
			break;
	}
	assert_true(count < 16 && errno == EAGAIN);
	assert_int_equal(ue_open(NULL), -ETIMEDOUT);
	for (int i = 0; i <= count; i++)
		close(fds[i]);
}

static void *open_in_thread(void *argument)
{
	*(int *)argument = ue_open(NULL);
	return NULL;
}

/*
 * The answer comes after the fork, and after a session was opened. If these had to wait for it,
 * it would be too late.
 */
static void others_fork_and_open_while_a_thread_waits(void **state)
{
	const int ring = make_ring(UE_RING_DROP), own = make_ring(UE_RING_DROP);
	const struct ue_open_opts opts = {
		.size = sizeof(opts), .flags = UE_OPEN_FD, .fd = own,
	};
	struct answer answer = answer_with(ring);
	int fd = -1, other;
	pthread_t thread;
	pid_t child;

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	assert_int_equal(pthread_create(&thread, NULL, open_in_thread, &fd), 0);
	served = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	child = fork();
	if (!child)
		_exit(0);
	other = ue_open(&opts);
	send_answer(served, &answer);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(fd >= 0);
	assert_true(other >= 0);
	ue_close(fd);
	ue_close(other);
	close(ring);
	close(own);
}

/* The child keeps its copy of the connection, which must not keep the ring in use. */
static void a_child_forked_meanwhile_does_not_keep_the_connection(void **state)
{
	const int ring = make_ring(UE_RING_DROP);
	struct answer answer = answer_with(ring);
	pthread_t thread;
	pid_t child;
	int fd = -1;

	(void)state;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	assert_int_equal(pthread_create(&thread, NULL, open_in_thread, &fd), 0);
	served = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	send_answer(served, &answer);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(fd >= 0);
	assert_hung_up();
	assert_int_equal(ue_close(fd), 0);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(ring);
}

static volatile sig_atomic_t signals;

static void note_signal(int number)
{
	(void)number;
	signals = signals + 1;
}

/* The answer comes after some signals. */
static int open_between_signals(void)
{
	const struct sigaction action = { .sa_handler = note_signal };
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = { 0 };
	const int ring = make_ring(UE_RING_DROP);
	struct answer answer = answer_with(ring);
	pthread_t thread;
	sigset_t alarm;
	int fd = -1;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	MUST(!sigaction(SIGALRM, &action, NULL));
	listen_at(PATH, SOCK_SEQPACKET, 5);
	MUST(!pthread_create(&thread, NULL, open_in_thread, &fd));
	pthread_sigmask(SIG_BLOCK, &alarm, NULL); /* so it is the thread that gets it */
	MUST(!setitimer(ITIMER_REAL, &often, NULL));
	served = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	for (int i = 0; i < 10000 && signals < 5; i++)
		poll(NULL, 0, 1);
	send_answer(served, &answer);
	MUST(!setitimer(ITIMER_REAL, &never, NULL));
	pthread_join(thread, NULL);
	MUST(fd >= 0);
	return 0;
}

static void signals_do_not_end_the_wait(void **state)
{
	(void)state;
	in_child(open_between_signals);
}

/* Descriptors */

static int open_without_standard_streams(void)
{
	int ring = make_ring(UE_RING_DROP), out = dup(1), fd, result;
	struct answer answer = answer_with(ring);

	answer.is_last = 1;
	listen_at(PATH, SOCK_SEQPACKET, 5);
	for (int i = 0; i < 3; i++)
		close(i);
	fd = open_with(answer);
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
	int ring = make_ring(UE_RING_DROP), last = -1, fd;

	listen_at(PATH, SOCK_SEQPACKET, 5);
	MUST(!setrlimit(RLIMIT_NOFILE, &limit));
	for (int next; (next = dup(ring)) >= 0;)
		last = next;
	MUST(ue_open(NULL) == -EMFILE);
	close(last--);
	close(last--); /* of the connection: one end for each side */
	fd = open_with(answer_with(ring));
	MUST(fd == -EMFILE);
	return 0;
}

static void too_few_descriptors_are_an_error(void **state)
{
	(void)state;
	in_child(open_at_the_limit);
}

/* Life and death */

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
	const int ring = make_ring(UE_RING_DROP);
	struct ue_capture *capture;
	int fd = open_with(answer_with(ring)), there[2], back[2], status;
	pid_t child;
	char byte;

	(void)state;
	assert_true(fd >= 0);
	assert_hung_up();
	assert_int_equal(ue_register_all(fd), 0);
	assert_int_equal(UE_WRITE(fd, handed_out, 1), 0);
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
	assert_int_equal(ue_capture_open_ring(ring, UE_CAPTURE_TAKE, &capture), 0);
	assert_event(capture, 1);
	assert_event(capture, 2);
	ue_capture_close(capture);
	close(there[0]);
	close(back[0]);
	close(back[1]);
	close(ring);
}

static void a_reader_that_leaves_can_disable_the_events(void **state)
{
	const int ring = make_ring(UE_RING_DROP);
	int fd = open_with(answer_with(ring));

	(void)state;
	assert_int_equal(ue_register_all(fd), 0);
	assert_true(ue_enabled(UE_EVENT_OF(handed_out)));
	assert_int_equal(ue_ring_disable(ring, "*"), 0);
	assert_false(ue_enabled(UE_EVENT_OF(handed_out)));
	ue_close(fd);
	close(ring);
}

static void without_a_reader_losses_are_counted(void **state)
{
	const int ring = make_ring(UE_RING_DROP);
	int fd = open_with(answer_with(ring));
	uint32_t written = 0;

	(void)state;
	assert_int_equal(ue_register_all(fd), 0);
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
		TEST(a_program_writes_into_the_ring_it_got),
		TEST(each_session_asks_for_a_ring),
		TEST(a_refused_program_can_ask_again),
		TEST(others_come_before_the_socket),
		TEST(an_empty_variable_is_none),
		TEST(without_a_listener_the_error_says_so),
		TEST(a_path_has_at_most_107_bytes),
		TEST(what_listens_may_be_something_else),
		TEST(without_the_right_to_connect_the_error_says_so),
		TEST(the_ring_may_be_of_another_user),
		TEST(wrong_answers_are_rejected),
		TEST(what_is_no_sealed_ring_is_rejected),
		TEST(a_ring_that_waits_for_its_reader_is_rejected),
		TEST(a_huge_ring_is_rejected),
		TEST(a_ring_that_cannot_be_written_is_rejected),
		TEST(a_packet_that_is_cut_is_rejected),
		TEST(of_two_descriptors_none_leaks),
		TEST(a_silent_collector_is_not_waited_for_long),
		TEST(a_full_queue_is_not_waited_for_long),
		TEST(others_fork_and_open_while_a_thread_waits),
		TEST(a_child_forked_meanwhile_does_not_keep_the_connection),
		TEST(signals_do_not_end_the_wait),
		TEST(the_standard_streams_are_not_replaced),
		TEST(too_few_descriptors_are_an_error),
		TEST(children_share_the_ring_until_they_die),
		TEST(a_reader_that_leaves_can_disable_the_events),
		TEST(without_a_reader_losses_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
