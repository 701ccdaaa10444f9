/* SPDX-License-Identifier: MIT */
/* A program with TraceLogging of LinuxTracepoints. */
#include <string.h>
#include <eventheader/TraceLoggingProvider.h>

#define KEYWORD_MONEY 0x40

TRACELOGGING_DEFINE_PROVIDER(Shop, "MyCompany_Shop",
	(0xb7aa4d18, 0x240c, 0x5f41, 0x58, 0x52, 0x81, 0x7d, 0xbf, 0x47, 0x74, 0x72));

int main(void)
{
	int status = 404;
	const unsigned short ports[] = { 80, 443 };
	const unsigned char id[16] = { 1, 2, 3 };

	TraceLoggingRegister(Shop);
	TraceLoggingWrite(Shop, "Request", TraceLoggingLevel(event_level_warning),
		TraceLoggingKeyword(0x1), TraceLoggingInt32(status, "status", "HTTP's"),
		TraceLoggingString("/basket", "the path"), TraceLoggingUInt16(ports[0]),
		TraceLoggingHexUInt8(0x1f, "flags", "", 7));
	TraceLoggingWrite(Shop, "Paid", TraceLoggingKeyword(KEYWORD_MONEY),
		TraceLoggingKeyword(0x2), TraceLoggingIdVersion(5, 1),
		TraceLoggingStruct(2, "amount"),
			TraceLoggingFloat64(99.5, "value"),
			TraceLoggingCountedString("EURO", 3, "currency"),
		TraceLoggingUInt16FixedArray(ports, 2, "two"),
		TraceLoggingUInt16Array(ports, 1, "some"),
		TraceLoggingGuid(id, "id"), TraceLoggingBoolean(1, "new"));
	if (TraceLoggingProviderEnabled(Shop, 5, 0))
		TraceLoggingWriteActivity(Shop, "Step", id, NULL, TraceLoggingValue(status));
	TraceLoggingUnregister(Shop);
	return 0;
}
