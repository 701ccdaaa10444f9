/* SPDX-License-Identifier: MIT */
/* Registering through a scripted back end: the consequence of each answer. */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/classic_event.h>
#include <userevents/event.h>
#include <userevents/loss.h>
#include <userevents/session.h>
#include <userevents/write.h>

#include "state/binding.h"
#include "state/session.h"

/* The back end's answers, and how often it was asked. */
static struct {
	int answers[8]; /* of register_event(), one after the other; then 0 */
	int unregister, again;
	uint32_t write_index;
	int registered, unregistered;
	const char *definition;
} script;

static int probe(const struct ue__channel *channel)
{
	return S_ISCHR(channel->mode) || S_ISFIFO(channel->mode);
}

static int attach(struct ue__channel *channel)
{
	(void)channel;
	return 0;
}

static int register_event(const struct ue__channel *channel,
			  const struct ue__wanted *wanted, struct ue__granted *granted)
{
	int result = script.registered < 8 ? script.answers[script.registered] : 0;

	(void)channel;
	script.registered++;
	script.definition = wanted->definition;
	granted->write_index = script.write_index;
	return result;
}

static int unregister(struct ue__kernel *kernel, int fd, uint32_t *word)
{
	(void)kernel;
	(void)fd;
	(void)word;
	script.unregistered++;
	return script.unregister;
}

static int again(const struct ue__channel *channel, int is_in_write)
{
	(void)channel;
	(void)is_in_write;
	return script.again;
}

/* Events that are as many as make the child of a fork look at the kernel's states. */

#define MANY 100

static struct ue_event many[MANY];

/* Tells their states: all off, but one that is on, and one that is missing. */
static struct {
	int result, looks;
	int on, missing;
} states;

static int look(const struct ue__channel *channel, ue__tell *tell, void *context)
{
	(void)channel;
	states.looks++;
	tell(context, "nobody_s", 8, 1);
	for (int i = 0; i < MANY && !states.result; i++)
		if (i != states.missing)
			tell(context, many[i].definition, strlen(many[i].definition),
			     i == states.on);
	return states.result;
}

static struct ue__back_end scripted = {
	.abi = UE_ABI_ENABLE_ADDRESS,
	.probe = probe,
	.attach = attach,
	.register_event = register_event,
	.unregister = unregister,
	.again = again,
	.look = look,
};

static const struct ue__back_end *const scripted_alone[] = { &scripted, NULL };
static int fd;
static struct ue_event event, other;

static int open_session(void **state)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .path = "/dev/null" };

	(void)state;
	memset(&script, 0, sizeof(script));
	scripted.forgets_late = 0;
	ue__process.back_ends = scripted_alone;
	ue_event_init(&event, "one  u32 a;u32 b", 0);
	ue_event_init(&other, "other", 0);
	fd = ue_open(&opts);
	return fd < 0;
}

static int close_session(void **state)
{
	(void)state;
	ue_close(fd);
	ue__process.back_ends = ue__all_back_ends;
	return 0;
}

static void gets_the_canonical_definition(void **state)
{
	(void)state;
	assert_int_equal(ue_register(fd, &event), 0);
	assert_string_equal(script.definition, "one u32 a; u32 b");
	assert_int_equal(ue_register(fd, &event), -EALREADY);
	assert_int_equal(script.registered, 1);
}

static void an_error_leaves_the_event_disabled_and_unbound(void **state)
{
	(void)state;
	script.answers[0] = -EMFILE;
	assert_int_equal(ue_register(fd, &event), -EMFILE);
	assert_int_equal(ue__binding_of(&event), UE__BINDING_NONE);
	assert_int_equal(ue_unregister(&event), -ENOENT);
	assert_int_equal(ue_register(fd, &event), 0);
}

static void a_name_in_use_is_tried_again_where_kernels_forget_late(void **state)
{
	(void)state;
	script.answers[0] = script.answers[1] = -EADDRINUSE;
	assert_int_equal(ue_register(fd, &event), -EADDRINUSE);
	assert_int_equal(script.registered, 1);
	scripted.forgets_late = 1;
	assert_int_equal(ue_register(fd, &event), 0);
	assert_int_equal(script.registered, 3);
	assert_int_equal(script.unregistered, 1);
}

static void a_name_of_this_process_is_not_waited_for(void **state)
{
	(void)state;
	scripted.forgets_late = 1;
	script.answers[1] = -EADDRINUSE;
	ue_event_init(&other, "one u8 c", 0);
	assert_int_equal(ue_register(fd, &event), 0);
	assert_int_equal(ue_register(fd, &other), -EADDRINUSE);
	assert_int_equal(script.registered, 2);
}

static void one_word_serves_one_event(void **state)
{
	(void)state;
	other.word = &event.ue__own_word;
	assert_int_equal(ue_register(fd, &event), 0);
	assert_int_equal(ue_register(fd, &other), -EADDRINUSE);
	assert_int_equal(script.registered, 1);
}

static void an_event_that_cannot_be_unregistered_stays(void **state)
{
	(void)state;
	assert_int_equal(ue_register(fd, &event), 0);
	script.unregister = -ESRCH;
	assert_int_equal(ue_unregister(&event), -ESRCH);
	assert_int_equal(ue_register(fd, &event), -EALREADY);
	script.unregister = 0;
	assert_int_equal(ue_unregister(&event), 0);
}

static void close_returns_the_first_error_and_closes(void **state)
{
	(void)state;
	assert_int_equal(ue_register(fd, &event), 0);
	assert_int_equal(ue_register(fd, &other), 0);
	script.unregister = -ESRCH;
	event.ue__own_word = 1;
	assert_int_equal(ue_close(fd), -ESRCH);
	assert_int_equal(script.unregistered, 2);
	assert_int_equal(event.ue__own_word, 0);
	assert_int_equal(ue__binding_of(&event), UE__BINDING_CLOSED);
	assert_true(fcntl(fd, F_GETFD) < 0);
}

/* How a child finds its event. */
struct found {
	uint64_t binding;
	uint32_t word;
	int registered; /* how often it was */
	int64_t lost;	/* with one write */
};

static int is_found(const struct found *found)
{
	if (ue__binding_of(&event) != found->binding || event.ue__own_word != found->word ||
	    script.registered != found->registered)
		return 0;
	ue_write(fd, &event, "", 0);
	return ue_session_losses(fd, UE_LOSS_OTHER) == found->lost &&
	       !ue_unregister(&event) && !event.ue__own_word;
}

static void in_child(struct found found)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(!is_found(&found));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void a_child_registers_as_the_back_end_says(void **state)
{
	uint64_t binding;

	(void)state;
	script.write_index = 7;
	assert_int_equal(ue_register(fd, &event), 0);
	binding = ue__binding_of(&event);
	in_child((struct found){ binding, 0, 2, 0 });
	script.again = 1;
	in_child((struct found){ binding, 0, 1, 0 });
}

/* It is written, or the loss is counted. */
static void a_child_that_cannot_register_loses_nothing_silently(void **state)
{
	uint64_t binding;

	(void)state;
	script.write_index = 7;
	assert_int_equal(ue_register(fd, &event), 0);
	binding = ue__binding_of(&event);
	script.again = -EPERM;
	in_child((struct found){ binding, UE__WORD_LISTENED, 1, 0 });
	script.again = 0;
	script.answers[1] = -ENOMEM;
	in_child((struct found){ binding, UE__WORD_LISTENED, 2, 0 });
	script.answers[1] = 0;
	script.write_index = 8; /* another file */
	in_child((struct found){ binding | UE__IN_RING, UE__WORD_LISTENED, 2, 1 });
	script.write_index = 7;
	close(fd);
	script.again = -EBADF;
	in_child((struct found){ binding | UE__IN_RING, UE__WORD_LISTENED, 1, 1 });
}

static void register_many(int count, const char *form)
{
	static char names[MANY][16];

	memset(&states, 0, sizeof(states));
	states.on = states.missing = -1;
	for (int i = 0; i < count; i++) {
		snprintf(names[i], sizeof(names[i]), form, i);
		ue_event_init(&many[i], names[i], 0);
		assert_int_equal(ue_register(fd, &many[i]), 0);
	}
}

/* How many events a child registers again. */
static int again_in_child(int looks)
{
	const int before = script.registered;
	pid_t child = fork();
	int status;

	if (!child)
		_exit(states.looks == looks ? script.registered - before : 255);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The first and the last tell whether the descriptor is the parent's. */
#define ENDS 2

static void a_child_registers_what_differs_from_the_kernel(void **state)
{
	(void)state;
	register_many(MANY, "many%02d");
	assert_int_equal(again_in_child(1), ENDS);
	states.on = 50;
	assert_int_equal(again_in_child(2), ENDS + 1);
	many[50].ue__own_word = UE__WORD_LISTENED;
	assert_int_equal(again_in_child(1), ENDS);
	many[51].ue__own_word = UE__WORD_LISTENED;
	assert_int_equal(again_in_child(2), ENDS + 1);
	many[51].ue__own_word = 0;
	states.missing = 7;
	assert_int_equal(again_in_child(2), ENDS + 1);
	many[7].ue__own_word = UE__WORD_LISTENED;
	assert_int_equal(again_in_child(2), ENDS + 1);
}

/* Whose word the kernel clears when the child asks whether it was copied. */
static void the_newest_may_have_a_listener(void **state)
{
	(void)state;
	register_many(MANY, "many%02d");
	states.on = MANY - 1;
	assert_int_equal(again_in_child(1), ENDS);
}

/* The kernel lists it by another name, and another event by its own. */
static void an_event_with_formats_is_registered(void **state)
{
	(void)state;
	register_many(MANY, "many%02d");
	assert_int_equal(ue_unregister(&many[30]), 0);
	many[30].flags = UE_EVENT_MULTI_FORMAT;
	assert_int_equal(ue_register(fd, &many[30]), 0);
	/* so that the other one is not the newest, which is registered in any case */
	assert_int_equal(ue_unregister(&many[31]), 0);
	assert_int_equal(ue_register(fd, &many[31]), 0);
	assert_int_equal(again_in_child(1), ENDS + 1);
}

static void a_child_that_cannot_look_registers_all(void **state)
{
	(void)state;
	register_many(MANY, "many%02d");
	states.result = -EACCES;
	assert_int_equal(again_in_child(1), MANY);
	states.result = 0;
	script.unregister = -ESRCH; /* the kernel had no memory to copy them */
	assert_int_equal(again_in_child(0), MANY);
	script.unregister = 0;
}

static void few_events_are_all_registered(void **state)
{
	(void)state;
	register_many(63, "many%02d");
	assert_int_equal(again_in_child(0), 63);
}

/* It might be a format of another event. */
static void a_name_with_a_point_is_not_known(void **state)
{
	(void)state;
	register_many(MANY, "many.%02d");
	assert_int_equal(again_in_child(0), MANY);
}

/* An event that could not be registered in a child is tried again in its child. */
static void an_event_that_is_always_on_is_registered(void **state)
{
	pid_t child;
	int status;

	(void)state;
	register_many(MANY, "many%02d");
	states.on = 20;
	script.registered = 0;
	script.answers[1] = -ENOMEM;
	child = fork();
	if (!child) {
		script.answers[1] = 0;
		_exit(many[20].ue__own_word != UE__WORD_LISTENED ||
		      again_in_child(states.looks + 1) != ENDS + 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	script.answers[1] = 0;
}

static void a_descriptor_of_no_back_end_is_refused(void **state)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .path = "/proc/self/mem" };

	(void)state;
	/* a kernel may have no entry for programs of 32 bits */
	assert_int_equal(ue_open(&opts), sizeof(long) == 4 ? -EOPNOTSUPP : -ENOTTY);
}

/* A pipe answers ESPIPE, as a stream would. */

UE_EVENT(streamed, UE_U32(a));
UE_EVENT(streamed_blob, UE_BLOB(a));

static size_t receive(int from, unsigned char *got, size_t size)
{
	ssize_t length = read(from, got, size);

	assert_true(length > 4);
	assert_memory_equal(got, &script.write_index, 4);
	return (size_t)length - 4;
}

static void register_on_pipe(int *ends)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	opts.fd = ends[1];
	ue_close(fd);
	fd = ue_open(&opts);
	assert_true(fd >= 0);
	script.write_index = 7;
	assert_int_equal(ue_register(fd, UE_EVENT_OF(streamed)), 0);
	assert_int_equal(ue_register(fd, UE_EVENT_OF(streamed_blob)), 0);
	*UE_EVENT_OF(streamed)->word = *UE_EVENT_OF(streamed_blob)->word =
		UE__WORD_LISTENED;
}

static void a_stream_is_written_without_an_offset(void **state)
{
	static unsigned char got[4096], blob[3000] = { 1, 2, 3 };
	int ends[2];

	(void)state;
	register_on_pipe(ends);
	assert_int_equal(UE_EVENT_OF(streamed)->ue__write_call, SYS_pwrite64);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(UE_WRITE(fd, streamed, i), 0);
		assert_int_equal(receive(ends[0], got, sizeof(got)), 4);
		assert_memory_equal(got + 4, &i, 4);
		assert_int_equal(UE_EVENT_OF(streamed)->ue__write_call, SYS_write);
	}
	for (size_t size = 100; size <= sizeof(blob); size += 2900) {
		UE_EVENT_OF(streamed_blob)->ue__write_call = SYS_pwrite64;
		assert_int_equal(UE_WRITE(fd, streamed_blob, blob, size), 0);
		assert_int_equal(receive(ends[0], got, sizeof(got)), 4 + size);
		assert_memory_equal(got + 8, blob, size);
		assert_int_equal(UE_EVENT_OF(streamed_blob)->ue__write_call, SYS_write);
	}
	assert_int_equal(ue_register(fd, &event), 0);
	assert_int_equal(event.ue__write_call, SYS_write);
	for (int i = 0; i < UE_LOSS_REASONS; i++)
		assert_int_equal(ue_session_losses(fd, (enum ue_loss)i), 0);
	close(ends[0]);
	close(ends[1]);
}

/* The program closed the session's descriptor, and a pipe got its number. */
static void another_file_with_the_number_gets_no_record(void **state)
{
	unsigned char got[64];
	int ends[2], others[2];

	(void)state;
	register_on_pipe(ends);
	assert_int_equal(pipe2(others, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(dup2(others[1], fd), fd);
	assert_int_equal(UE_WRITE(fd, streamed, 1), -ESPIPE);
	assert_int_equal(read(others[0], got, sizeof(got)), -1);
	assert_int_equal(ue_session_losses(fd, UE_LOSS_OTHER), 1);
	close(fd);
	for (int i = 0; i < 2; i++) {
		close(ends[i]);
		close(others[i]);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_session, close_session)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(gets_the_canonical_definition),
		TEST(an_error_leaves_the_event_disabled_and_unbound),
		TEST(a_name_in_use_is_tried_again_where_kernels_forget_late),
		TEST(a_name_of_this_process_is_not_waited_for),
		TEST(one_word_serves_one_event),
		TEST(an_event_that_cannot_be_unregistered_stays),
		TEST(close_returns_the_first_error_and_closes),
		TEST(a_child_registers_as_the_back_end_says),
		TEST(a_child_that_cannot_register_loses_nothing_silently),
		TEST(a_child_registers_what_differs_from_the_kernel),
		TEST(the_newest_may_have_a_listener),
		TEST(an_event_with_formats_is_registered),
		TEST(a_child_that_cannot_look_registers_all),
		TEST(few_events_are_all_registered),
		TEST(a_name_with_a_point_is_not_known),
		TEST(an_event_that_is_always_on_is_registered),
		TEST(a_descriptor_of_no_back_end_is_refused),
		TEST(a_stream_is_written_without_an_offset),
		TEST(another_file_with_the_number_gets_no_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
