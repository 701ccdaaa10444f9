/* SPDX-License-Identifier: MIT */
/*
 * cc 10_logging.c $(pkg-config --cflags --libs libuserevents) -o logging
 *
 * A program that logs by priority, as with syslog(3): its one function for messages passes
 * them to events as well. Tools enable the levels that they want, MyCompany_Shop_L1K1
 * (critical) to MyCompany_Shop_L5K1 (verbose). And an event with a formatted text.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

#include <userevents/logger.h>
#include <userevents/printf.h>
#include <userevents/userevents.h>

UE_PROVIDER(shop, "MyCompany_Shop");
UE_LOGGER(shop_log, shop, 0x1);
UE_EVENT(shop_note, UE_STRING(text));

static int session;

__attribute__((format(printf, 2, 3)))
static void message(int priority, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	UE_VSYSLOG(session, shop_log, priority, format, values);
	if (priority <= LOG_WARNING) { /* or vsyslog(priority, format, values) */
		vfprintf(stderr, format, values);
		fputc('\n', stderr);
	}
	va_end(values);
}

int main(void)
{
	session = ue_open(NULL);
	ue_register_all(session);
	message(LOG_DEBUG, "looking into %d shelves", 3);
	message(LOG_INFO, "sold %u of %s", 2u, "tea");
	errno = ENOENT;
	message(LOG_ERR, "cannot open %s: %m", "price.list");
	UE_SYSLOG(session, shop_log, LOG_CRIT | LOG_DAEMON, "closing");
	UE_PRINTF(session, shop_note, "%d customers, %.2f per hour", 17, 2.125);
	ue_close(session);
	return 0;
}
