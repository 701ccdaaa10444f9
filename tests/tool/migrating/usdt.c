/* SPDX-License-Identifier: MIT */
/* A program with USDT probes. */
#include <stdint.h>
#include <string.h>
#include <sys/sdt.h>

struct request {
	int status;
	const char *path;
	uint64_t latency_ns;
};

static void done(const struct request *request, unsigned short tries)
{
	DTRACE_PROBE4(shop, request__done, request->status, request->path, tries,
		      request->latency_ns);
	STAP_PROBE2(shop, place, request, (unsigned int)(tries + 1));
}

int main(void)
{
	struct request request = { 404, "/basket", UINT64_MAX };

	DTRACE_PROBE(shop, start);
	done(&request, 3);
	DTRACE_PROBE3(shop, literals, "text", -42, strlen("abc"));
	return 0;
}
