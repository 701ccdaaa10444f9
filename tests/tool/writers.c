/* SPDX-License-Identifier: MIT */
/*
 * Writes an event in each way that there is, each from a function of its own: the event
 * frame_NAME from write_NAME(), which middle_call() calls, and that main(). Stacks are
 * found by these names.
 */
#include <userevents/printf.h>
#include <userevents/userevents.h>

UE_EVENT(frame_small, UE_U32(number));
UE_EVENT(frame_text, UE_STRING(text));
UE_EVENT(frame_printed, UE_STRING(text));
UE_PROVIDER(provider, "Frames");
UE_TRACEPOINT(point, provider, UE_LEVEL_INFORMATION, 0x1);
UE_EVENTHEADER(point, frame_header, UE_U32(number));
UE_EVENTHEADER(point, frame_string, UE_STRING(text));
static struct ue_event frame_plain = UE_EVENT_INIT(frame_plain, "frame_plain u32 number");

#define WRITER __attribute__((noinline)) static int
/* Keeps the compiler from turning the call before it into a jump. */
#define STAY __asm__ volatile("" ::: "memory")

static int session;

WRITER write_small(void)
{
	const int result = UE_WRITE(session, frame_small, 1);

	STAY;
	return result;
}

WRITER write_text(void)
{
	const int result = UE_WRITE(session, frame_text, "text");

	STAY;
	return result;
}

WRITER write_printed(void)
{
	const int result = UE_PRINTF(session, frame_printed, "%d", 1);

	STAY;
	return result;
}

WRITER write_header(void)
{
	const int result = UE_WRITE(session, frame_header, 1);

	STAY;
	return result;
}

WRITER write_string(void)
{
	const int result = UE_WRITE(session, frame_string, "text");

	STAY;
	return result;
}

WRITER write_plain(void)
{
	const int result = ue_write(session, &frame_plain, "abcd", 4);

	STAY;
	return result;
}

__attribute__((noinline)) static int middle_call(int (*writer)(void))
{
	const int result = writer();

	STAY;
	return result;
}

int main(void)
{
	int (*const writers[])(void) = {
		write_small,
		write_text,
		write_printed,
		write_header,
		write_string,
		write_plain,
	};
	int failed = 0;

	session = ue_open(NULL);
	if (session < 0 || ue_register_all(session) < 0 ||
	    ue_register(session, &frame_plain))
		return 1;
	for (unsigned int i = 0; i < sizeof(writers) / sizeof(writers[0]); i++)
		failed |= middle_call(writers[i]);
	ue_unregister(&frame_plain);
	ue_close(session);
	return failed != 0;
}
