/* SPDX-License-Identifier: MIT */
/*
 * No event is lost silently: four threads write, while two others register, unregister,
 * open, close, and write, too. In the end the number of written events must equal the
 * number that the kernel counted and the library reported lost.
 * Argument: the number of events, 200,000 by default.
 */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WRITERS 4
#define CHURNERS 2

UE_EVENT(soak_fixed, UE_U32(writer), UE_U64(number));
UE_EVENT(soak_text, UE_U32(writer), UE_STRING(text));
UE_EVENT(soak_churn_0, UE_U32(number));
UE_EVENT(soak_churn_1, UE_U32(number));

static long wanted = 200000;
static char large[10000];
static int stop;
static uint64_t churn_written, registrations;

/* A writer's written and lost events. */
static struct tally {
	uint64_t written, failed;
} tallies[WRITERS];

static void *write_many(void *context)
{
	struct tally *tally = context;
	uint32_t me = (uint32_t)(tally - tallies);
	long mine = wanted / WRITERS;

	for (long i = 0; i < mine; i++) {
		/* Events of all lengths; one in 1000 is too large. */
		const char *text = large + sizeof(large) - 1 - i % 60;
		int result = i % 1000 == 999 ? UE_WRITE(session, soak_text, me, large) :
			     i % 2 ? UE_WRITE(session, soak_fixed, me, (uint64_t)i) :
				     UE_WRITE(session, soak_text, me, text);

		tally->written++;
		tally->failed += result != 0;
		if (result && result != -EMSGSIZE)
			return tally;
	}
	return NULL;
}

/* It is enabled from the moment it is registered. */
static int churn_once(int fd, struct ue_event *event)
{
	int result = ue_register(fd, event);

	for (uint32_t i = 0; !result && i < 10; i++)
		result = ue_write(fd, event, &i, sizeof(i));
	if (!result)
		__atomic_fetch_add(&churn_written, 10, __ATOMIC_RELAXED);
	__atomic_fetch_add(&registrations, 1, __ATOMIC_RELAXED);
	return result ? result : ue_unregister(event);
}

static void *churn(void *event)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		int result = churn_once(session, event), fd = ue_open(NULL);

		if (!result && fd >= 0)
			result = churn_once(fd, event);
		if (result || fd < 0 || ue_close(fd))
			return event;
	}
	return NULL;
}

static void run_all(void)
{
	pthread_t writers[WRITERS], churners[CHURNERS];
	struct ue_event *churned[] = { UE_EVENT_OF(soak_churn_0), UE_EVENT_OF(soak_churn_1) };
	void *result;

	for (int i = 0; i < CHURNERS; i++)
		pthread_create(&churners[i], NULL, churn, churned[i]);
	for (int i = 0; i < WRITERS; i++)
		pthread_create(&writers[i], NULL, write_many, &tallies[i]);
	for (int i = 0; i < WRITERS; i++) {
		pthread_join(writers[i], &result);
		assert_null(result);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < CHURNERS; i++) {
		pthread_join(churners[i], &result);
		assert_null(result);
	}
}

static void nothing_is_lost_silently(void **state)
{
	uint64_t written = 0, failed = 0, lost, recorded;

	(void)state;
	memset(large, 'x', sizeof(large) - 1);
	assert_int_equal(ue_register_all(session), 0);
	listen_to(UE_EVENT_OF(soak_fixed));
	listen_to(UE_EVENT_OF(soak_text));
	listen_to(UE_EVENT_OF(soak_churn_0));
	listen_to(UE_EVENT_OF(soak_churn_1));
	assert_int_equal(ue_unregister(UE_EVENT_OF(soak_churn_0)), 0);
	assert_int_equal(ue_unregister(UE_EVENT_OF(soak_churn_1)), 0);
	assert_int_equal(count_of_kernel(), 0);
	run_all();
	for (int i = 0; i < WRITERS; i++) {
		written += tallies[i].written;
		failed += tallies[i].failed;
	}
	lost = ue_event_losses(UE_EVENT_OF(soak_text), UE_LOSS_TOO_LARGE);
	recorded = count_of_kernel();
	printf("# %llu written by %d threads and %llu by %d more, in %llu registrations, = "
	       "%llu recorded + %llu reported lost\n",
	       (unsigned long long)written, WRITERS, (unsigned long long)churn_written,
	       CHURNERS, (unsigned long long)registrations, (unsigned long long)recorded,
	       (unsigned long long)lost);
	assert_int_equal(written, wanted);
	assert_int_equal(written + churn_written, recorded + lost);
	assert_int_equal(lost, failed);
	assert_int_equal(ue_session_losses(session, UE_LOSS_TOO_LARGE), lost);
	assert_int_equal(lost, wanted / 1000);
	assert_true(churn_written > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(nothing_is_lost_silently),
	};

	if (argc > 1)
		wanted = atol(argv[1]) / (1000 * WRITERS) * (1000 * WRITERS);
	return RUN_TESTS(tests, argc, argv);
}
