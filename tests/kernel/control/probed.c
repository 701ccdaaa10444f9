/* SPDX-License-Identifier: MIT */
/*
 * A program with a function to probe: probed NUMBER TEXT [event] calls it once, writes TEXT
 * into /dev/null by write(2), and writes the user event probed_event if asked for, in this
 * order.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <userevents/userevents.h>

/* The test knows the offsets. */
struct probed_record {
	char name[8];
	const char *texts[2];
	uint16_t numbers[3];
	uint32_t bits;
};

/* By this name, in a register each. */
long probed_call(int number, const char *text, const struct probed_record *record);

__attribute__((noinline, noclone)) long probed_call(int number, const char *text,
						    const struct probed_record *record)
{
	__asm__ volatile("" : : "r"(text), "r"(record) : "memory");
	return (long)number * 2 - 1000;
}

UE_EVENT(probed_event, UE_U32(number));

int main(int argc, char **argv)
{
	const struct probed_record record = {
		"abcdefg", { "one", "two" }, { 1, 22, 65535 }, 0xa5c3
	};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), fd = -1;

	if (argc < 3 || null < 0)
		return 1;
	if (argc > 3) {
		fd = ue_open(NULL);
		if (fd < 0 || ue_register_all(fd))
			return 1;
	}
	if (probed_call(atoi(argv[1]), argv[2], &record) == 1)
		return 1;
	if (write(null, argv[2], strlen(argv[2])) != (ssize_t)strlen(argv[2]))
		return 1;
	if (fd >= 0)
		UE_WRITE(fd, probed_event, (uint32_t)atoi(argv[1]));
	return 0;
}
