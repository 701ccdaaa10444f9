/* SPDX-License-Identifier: MIT */
/* Children of processes that have a ring: what is their parent's stays as it is. */
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <userevents/capture.h>
#include <userevents/ring.h>
#include <userevents/userevents.h>

#include "state/session.h"
#include "ring/ring_lock.h"
#include "ring/ring_memory.h"
#include "ring/write/ring_writer.h"

UE_EVENT(tick, UE_U32(number));

static int ring, session;
static struct rlimit limit;

static int begin(void **state)
{
	const struct ue_ring_opts opts = {
		.size = sizeof(opts), .bytes = UE_RING_BYTES_LEAST, .mode = UE_RING_OVERWRITE,
	};
	struct ue_open_opts open = { .size = sizeof(open), .flags = UE_OPEN_FD };

	(void)state;
	getrlimit(RLIMIT_NOFILE, &limit);
	ring = open.fd = ue_ring_create(NULL, &opts);
	session = ring < 0 ? ring : ue_open(&open);
	if (session < 0 || ue_register_all(session))
		return -1;
	return UE_WRITE(session, tick, 1);
}

static int end(void **state)
{
	(void)state;
	setrlimit(RLIMIT_NOFILE, &limit);
	ue_close(session);
	close(ring);
	return 0;
}

static struct ue__ring_writer *writer(void)
{
	return ue__session_find(session)->channel.ring;
}

/* The parent's slot, and its open page. */
struct parent {
	uint32_t id;
	uint64_t word;
};

static struct parent look(const struct ue__ring_writer *of)
{
	const struct ue__ring_memory *memory = &of->memory;
	struct parent found = { .id = memory->slots[ue__ring_slot_of(of->owner)].id };

	for (uint32_t i = 0; i < memory->page_count; i++)
		if ((uint32_t)memory->states[i] == of->owner)
			found.word |= ue__ring_page(memory, i)->word;
	return found;
}

static void assert_unchanged(const struct parent *before, const struct ue__ring_writer *of)
{
	const struct parent now = look(of);

	assert_int_not_equal(before->id, 0);
	assert_int_equal(before->word & UE__RING_CLOSED, 0);
	assert_int_equal(now.id, before->id);
	assert_int_equal(now.word, before->word);
}

/*
 * The parent's lock has a mapping, which children do not get. Something of the child's may
 * be in that place.
 */
static char *map_at(void *place)
{
	char *map = mmap(place, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	return map == place ? map : NULL;
}

static struct ue__ring_writer *of_parent;
static void *pin;

/* It writes into a page of its own, and closing the session ends nothing. */
static int close_session(void)
{
	char *map = map_at(pin);

	MUST(map || pin == MAP_FAILED || pin == writer()->pin);
	MUST(UE_ENABLED(tick));
	MUST(!UE_WRITE(session, tick, 2));
	ue_close(session);
	if (map)
		*map = 1; /* or this faults */
	return 0;
}

#ifdef SYS_fcntl64
#define FCNTL SYS_fcntl64 /* libc calls this one on 32-bit systems */
#else
#define FCNTL SYS_fcntl
#endif

static int deny_locks(void)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FCNTL, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_SETLK, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog all = { sizeof(program) / sizeof(program[0]), program };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all);
}

static void check_child(int (*function)(void))
{
	const struct parent before = look(of_parent);

	pin = of_parent->pin;
	in_child(function);
	assert_unchanged(&before, of_parent);
}

static void a_child_without_descriptors_ends_nothing(void **state)
{
	const struct rlimit none = { 3, limit.rlim_max };

	(void)state;
	of_parent = writer();
	setrlimit(RLIMIT_NOFILE, &none);
	check_child(close_session);
	assert_int_equal(UE_WRITE(session, tick, 3), 0);
}

static void nor_does_one_of_a_program_that_closed_the_descriptor(void **state)
{
	(void)state;
	of_parent = writer();
	close(session);
	check_child(close_session);
}

static int close_any(void)
{
	char *map = map_at(pin);

	MUST(map || pin == MAP_FAILED);
	ue_close(ue_open(NULL)); /* looks after sessions that were waited for */
	MUST(!ue__process.retired);
	if (map)
		*map = 1;
	return 0;
}

/* A write that hangs keeps the session, for the parent alone. */
static void nor_does_one_of_a_session_that_is_being_closed(void **state)
{
	uint32_t *writers;

	(void)state;
	of_parent = writer();
	writers = ue__enter(&writers);
	ue_close(session);
	assert_non_null(ue__process.retired);
	check_child(close_any);
	ue__leave(writers);
}

/* Nor are locks that a child could give back needed: one that is denied them writes. */

static int write_without_locks(void)
{
	struct ue_open_opts open = { .size = sizeof(open), .flags = UE_OPEN_FD, .fd = ring };
	struct ue_ring_info before, after;
	struct ue_capture *capture;
	int other;

	MUST(!ue_ring_info(ring, &before));
	MUST(!deny_locks());
	other = ue_open(&open);
	MUST(other >= 0);
	MUST(ue_capture_open(NULL, &capture) == -EPERM);
	MUST(!ue_close(session));
	MUST(!ue_register_all(other));
	MUST(!UE_WRITE(other, tick, 3));
	MUST(!ue_ring_info(ring, &after));
	MUST(after.processes == before.processes);
	MUST(!ue_close(other));
	MUST(!ue_ring_info(ring, &after));
	MUST(after.processes == before.processes - 1);
	return 0;
}

static void without_locks_there_are_rings(void **state)
{
	(void)state;
	in_child(write_without_locks);
}

/* All places, of processes that have locks, and one more process that has none. */
static int seek_a_place_without_locks(void)
{
	static struct ue__ring_writer others[64], one_more;
	unsigned count = 0;

	while (count < 64 && !ue__ring_attach(&others[count], ring, -1))
		count++;
	MUST(count > 32 && count < 64); /* the test and this child have places, too */
	MUST(!deny_locks());
	MUST(ue__ring_attach(&one_more, ring, -1) == -EMFILE);
	return 0;
}

static void who_has_no_lock_takes_the_place_of_nobody(void **state)
{
	(void)state;
	in_child(seek_a_place_without_locks);
}

/* Another process finds out at this moment whether it can lock. */
static void who_begins_beside_another_one_has_a_lock(void **state)
{
	static struct ue__ring_writer one, other;

	(void)state;
	assert_int_equal(ue__ring_attach(&one, ring, -1), 0);
	assert_int_equal(ue__ring_lock(one.lock_fd, UE__RING_SLOT_LOCK(UE__RING_SLOTS_MOST)),
			 0);
	assert_int_equal(ue__ring_attach(&other, ring, -1), 0);
	assert_false(ue__ring_id_of(other.owner) & UE__RING_UNLOCKED);
	ue__ring_detach(&other);
	ue__ring_detach(&one);
}

/* It may write as soon as it is called, in a signal handler too, and hits zeros. */
static void who_may_not_use_a_ring_has_zeros_in_its_place(void **state)
{
	static struct ue__ring_writer other;
	const struct ue__ring *at;

	(void)state;
	assert_int_equal(ue__ring_attach(&other, ring, -1), 0);
	at = other.memory.ring;
	ue__ring_disown(&other);
	assert_int_equal(at->magic[0], 0);
	assert_int_equal(at->size, 0);
	assert_int_equal(UE_WRITE(session, tick, 5), 0);
	ue__ring_unmap(&other.memory);
}

/* The description that the child opens is its own; it closes that of its parent. */
struct family {
	uint32_t owner; /* the parent's */
	pid_t child;
};

static int be_outlived(struct family *family)
{
	static struct ue__ring_writer parents;
	pid_t child;

	MUST(!ue__ring_attach(&parents, ring, -1));
	family->owner = parents.owner;
	child = fork();
	if (child) {
		family->child = child;
		return 0;
	}
	ue__ring_attach_child(&parents, -1, 0);
	raise(SIGSTOP);
	return 0;
}

static void a_child_lets_go_of_the_lock_of_its_parent(void **state)
{
	struct family *family = mmap(NULL, sizeof(*family), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status, is_locked;
	uint32_t slot;
	pid_t parent;

	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	parent = fork();
	if (!parent)
		_exit(be_outlived(family));
	assert_int_equal(waitpid(parent, &status, 0), parent);
	assert_int_equal(status, 0);
	assert_int_equal(waitpid(family->child, &status, WUNTRACED), family->child);
	assert_true(WIFSTOPPED(status));
	slot = ue__ring_slot_of(family->owner);
	is_locked = ue__ring_is_locked(writer()->lock_fd, UE__RING_SLOT_LOCK(slot));
	kill(family->child, SIGKILL);
	assert_int_equal(waitpid(family->child, &status, 0), family->child);
	assert_false(is_locked);
	munmap(family, sizeof(*family));
}

/*
 * A process without a lock has ended when its pid is nobody's. That of a child in another pid
 * namespace says nothing.
 */

static uint32_t count_processes(void)
{
	struct ue_ring_info info;

	return ue_ring_info(ring, &info) ? 0 : info.processes;
}

static int live_without_a_lock(void)
{
	struct ue_open_opts open = { .size = sizeof(open), .flags = UE_OPEN_FD, .fd = ring };
	int other;

	MUST(!deny_locks());
	other = ue_open(&open);
	MUST(other >= 0);
	MUST(!ue_close(session));
	MUST(!ue_register_all(other));
	MUST(!UE_WRITE(other, tick, 4));
	MUST(count_processes() == 2); /* the test, too */
	raise(SIGKILL);
	return 0;
}

static void who_had_no_lock_has_ended(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (!child)
		_exit(live_without_a_lock());
	assert_int_equal(waitid(P_PID, (id_t)child, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	assert_int_equal(count_processes(), 2); /* its pid is its own until it is waited for */
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_int_equal(count_processes(), 1);
}

static int is_in_other_namespace(void)
{
	return writer()->memory.pid_namespace ? 2 : 0;
}

static int have_a_child_elsewhere(void)
{
	pid_t child;
	int status;

	MUST(writer()->memory.pid_namespace);
	if (unshare(CLONE_NEWPID) && unshare(CLONE_NEWUSER | CLONE_NEWPID))
		return 0; /* it is not allowed here */
	child = fork();
	if (!child)
		_exit(is_in_other_namespace());
	MUST(waitpid(child, &status, 0) == child);
	MUST(!status);
	return 0;
}

static void a_child_elsewhere_does_not_know_its_namespace(void **state)
{
	(void)state;
	in_child(have_a_child_elsewhere);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_child_without_descriptors_ends_nothing),
		TEST(nor_does_one_of_a_program_that_closed_the_descriptor),
		TEST(nor_does_one_of_a_session_that_is_being_closed),
		TEST(without_locks_there_are_rings),
		TEST(who_has_no_lock_takes_the_place_of_nobody),
		TEST(who_begins_beside_another_one_has_a_lock),
		TEST(who_may_not_use_a_ring_has_zeros_in_its_place),
		TEST(a_child_lets_go_of_the_lock_of_its_parent),
		TEST(who_had_no_lock_has_ended),
		TEST(a_child_elsewhere_does_not_know_its_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
