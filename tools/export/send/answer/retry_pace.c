/* SPDX-License-Identifier: MIT */
/* Spaces requests to a receiver that cannot take them. */
#include "retry_pace.h"

#include <sys/random.h>

static int is_failure_newer(const struct retry_pace *pace, int64_t begun, int64_t now)
{
	return begun < pace->failed_at || (pace->is_imposed && now < pace->retry_at);
}

void pace_succeed(struct retry_pace *pace, int64_t begun, int64_t now)
{
	if (pace->is_failing && !pace->is_spent && is_failure_newer(pace, begun, now))
		return;
	*pace = (struct retry_pace){ .patience = pace->patience };
}

/* From 50 % to 100 % of the time. */
static int64_t less_random(int64_t time)
{
	uint32_t random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = 0;
	return time - (int64_t)(random % 1024) * time / 2048;
}

static int64_t next_wait(struct retry_pace *pace)
{
	pace->wait = pace->wait ? 2 * pace->wait : PACE_FIRST;
	if (pace->wait > PACE_LAST)
		pace->wait = PACE_LAST;
	return less_random(pace->wait);
}

static int64_t imposed_wait(const struct pace_failure *failure)
{
	return failure->retry_after < PACE_IMPOSED_MAX ? failure->retry_after :
							 PACE_IMPOSED_MAX;
}

static void set_retry(struct retry_pace *pace, const struct pace_failure *failure)
{
	pace->is_imposed = failure->retry_after > 0;
	pace->retry_at = failure->now +
			 (pace->is_imposed ? imposed_wait(failure) : next_wait(pace));
	pace->failed_at = failure->now;
}

static int is_too_long(const struct retry_pace *pace, const struct pace_failure *failure)
{
	return pace->patience >= 0 &&
	       (failure->is_lasting || pace->retry_at - pace->since > pace->patience);
}

/* The receiver's time counts, also if another request found it before. */
static void extend(struct retry_pace *pace, int64_t until)
{
	if (until <= pace->retry_at)
		return;
	pace->retry_at = until;
	pace->is_imposed = 1;
}

/* Only the first failure of requests that were on the way at once doubles the time. */
int pace_fail(struct retry_pace *pace, const struct pace_failure *failure)
{
	if (!pace->is_failing) {
		pace->is_failing = 1;
		pace->since = failure->begun;
		set_retry(pace, failure);
	} else if (failure->begun >= pace->failed_at) {
		set_retry(pace, failure);
	} else if (failure->retry_after > 0) {
		extend(pace, failure->now + imposed_wait(failure));
	}
	if (is_too_long(pace, failure))
		pace->is_spent = 1;
	return !pace->is_spent;
}

void pace_hurry(struct retry_pace *pace, int64_t now)
{
	if (!pace->is_failing || pace->is_imposed)
		return;
	pace->retry_at = now;
	pace->wait = 0;
}
