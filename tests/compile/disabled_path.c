/* SPDX-License-Identifier: MIT */
/* Call sites that disabled_path.sh disassembles. */
#include <userevents/logger.h>
#include <userevents/printf.h>
#include <userevents/userevents.h>

UE_EVENT(none);
UE_EVENT(ten, UE_U32(a), UE_U32(b), UE_U32(c), UE_U32(d), UE_U32(e), UE_U32(f),
	 UE_U32(g), UE_U32(h), UE_U32(i), UE_U32(j));
UE_EVENT(text, UE_STRING(a), UE_U32(b));
UE_EVENT_DECLARE(shared, UE_STRING(a), UE_U32(b));
UE_EVENT_DEFINE(shared);

UE_PROVIDER(provider, "Provider");
UE_TRACEPOINT(tracepoint, provider, UE_LEVEL_INFORMATION, 0x1f);
UE_EVENTHEADER(tracepoint, log_none);
UE_EVENTHEADER(tracepoint, log_text, UE_STRING(a), UE_U32(b), UE_F64(c));
UE_TRACEPOINT_DECLARE(declared, provider, UE_LEVEL_ERROR, 1);
UE_TRACEPOINT_DEFINE(declared);
UE_EVENTHEADER(declared, log_shared, UE_STRING(a), UE_U32(b));
UE_EVENT(note, UE_STRING(a));
UE_LOGGER(logger, provider, 2);

/*
 * Each function uses the same values before and after. So the difference from the
 * function compiled with -DWITHOUT is the code that UE_WRITE() or UE_WRITE_EVENTHEADER()
 * adds.
 */
#ifdef WITHOUT
#undef UE_WRITE
#undef UE_WRITE_ACTIVITY
#undef UE_WRITE_EVENTHEADER
#undef UE_PRINTF
#undef UE_SYSLOG
#define UE_WRITE(...) (void)0
#define UE_WRITE_ACTIVITY(...) (void)0
#define UE_WRITE_EVENTHEADER(...) (void)0
#define UE_PRINTF(...) (void)0
#define UE_SYSLOG(...) (void)0
#endif

int before(void);
int after(int fd, const void *a, uint32_t b);
void site_none(int fd);
void site_ten(int fd, const uint32_t *v);
void site_text(int fd, const char *a, uint32_t b);
void site_shared(int fd, const char *a, uint32_t b);
void site_call(int fd, const char *a, uint32_t b);
void site_log_none(int fd);
void site_log_text(int fd, const char *a, uint32_t b);
void site_log_activity(int fd, const struct ue_activity *a, uint32_t b);
void site_log_shared(int fd, const char *a, uint32_t b);
void site_place(int fd, const char *a, uint32_t b);
void site_place_none(int fd);
void site_place_call(int fd, const char *a, uint32_t b);
void site_printf(int fd, const char *a, uint32_t b);
void site_syslog(int fd, const char *a, uint32_t b);
int expensive(void);

void site_none(int fd)
{
	before();
	UE_WRITE(fd, none);
	after(fd, "", 0);
}

void site_ten(int fd, const uint32_t *v)
{
	before();
	UE_WRITE(fd, ten, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]);
	after(fd, v, 0);
}

void site_text(int fd, const char *a, uint32_t b)
{
	before();
	UE_WRITE(fd, text, a, b);
	after(fd, a, b);
}

void site_shared(int fd, const char *a, uint32_t b)
{
	before();
	UE_WRITE(fd, shared, a, b);
	after(fd, a, b);
}

void site_call(int fd, const char *a, uint32_t b)
{
	before();
	UE_WRITE(fd, text, a, (uint32_t)expensive());
	after(fd, a, b);
}

void site_log_none(int fd)
{
	before();
	UE_WRITE(fd, log_none);
	after(fd, "", 0);
}

void site_log_text(int fd, const char *a, uint32_t b)
{
	before();
	UE_WRITE(fd, log_text, a, b, 0.5);
	after(fd, a, b);
}

void site_log_activity(int fd, const struct ue_activity *a, uint32_t b)
{
	before();
	UE_WRITE_ACTIVITY(fd, a, NULL, log_text, "", b, 0.5);
	after(fd, a, b);
}

void site_log_shared(int fd, const char *a, uint32_t b)
{
	before();
	UE_WRITE(fd, log_shared, a, b);
	after(fd, a, b);
}

void site_place(int fd, const char *a, uint32_t b)
{
	before();
	UE_WRITE_EVENTHEADER(fd, tracepoint, "Placed", UE_STRING(a, a), UE_U32(b, b), UE_F64(c, 0.5));
	after(fd, a, b);
}

void site_place_none(int fd)
{
	before();
	UE_WRITE_EVENTHEADER(fd, declared, "Placed");
	after(fd, "", 0);
}

void site_place_call(int fd, const char *a, uint32_t b)
{
	before();
	UE_WRITE_EVENTHEADER(fd, tracepoint, "Placed", UE_STRING(a, a),
	       UE_U32(b, (uint32_t)expensive()));
	after(fd, a, b);
}

void site_printf(int fd, const char *a, uint32_t b)
{
	before();
	UE_PRINTF(fd, note, "%s %d", a, expensive());
	after(fd, a, b);
}

void site_syslog(int fd, const char *a, uint32_t b)
{
	before();
	UE_SYSLOG(fd, logger, 3, "%s %d", a, expensive());
	after(fd, a, b);
}
