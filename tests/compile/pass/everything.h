/* SPDX-License-Identifier: MIT */
/* Every macro that a program uses, in C and C++: warnings.sh compiles it. */
#include <userevents/logger.h>
#include <userevents/printf.h>
#include <userevents/userevents.h>

#ifdef __cplusplus
#define NONE nullptr
#else
#define NONE NULL
#endif

struct point {
	int32_t x, y;
};

struct item {
	const char *name;
	uint32_t count;
	const void *id;
	struct ue_span bytes;
	double weights[2];
};

static struct ue_event raw = UE_EVENT_INIT(raw, "raw u32 count");

UE_EVENT(nothing);
UE_EVENT(integers, UE_U8(u8), UE_U16(u16), UE_U32(u32), UE_U64(u64), UE_S8(s8),
	 UE_S16(s16), UE_S32(s32), UE_S64(s64), UE_HEX8(h8), UE_HEX16(h16), UE_HEX32(h32),
	 UE_HEX64(h64), UE_INT(i), UE_UINT(ui), UE_SHORT(s), UE_USHORT(us), UE_LONG(l),
	 UE_ULONG(ul), UE_SIZE(size), UE_CHAR(c), UE_UCHAR(uc), UE_BOOL(b), UE_POINTER(p),
	 UE_PID(pid), UE_ERRNO(error), UE_TIME32(t32), UE_TIME64(t64));
UE_EVENT(odd_places, UE_U8(a), UE_STRING(b), UE_U8(c), UE_STRING_MAX(d, 3), UE_BLOB(e));
UE_EVENT_FLAGS(UE_EVENT_PERSIST, texts, UE_STRING(a), UE_STRING_MAX(b, 5),
	       UE_COUNTED_STRING(c), UE_BLOB(d), UE_CHARS(e, 8), UE_BYTES(f, 6),
	       UE_STRUCT_BYTES(point, to, 8), UE_DECLARED(uint16_t, port, "u16 port"));
UE_EVENT_DECLARE(shared, UE_STRING(a), UE_U32(b));
UE_EVENT_DEFINE(shared);

UE_PROVIDER(provider, "Provider");
UE_PROVIDER(grouped, "Grouped", "group");
UE_TRACEPOINT(information, provider, UE_LEVEL_INFORMATION, 0x1f);
UE_TRACEPOINT_DECLARE(errors, grouped, UE_LEVEL_ERROR, 1);
UE_TRACEPOINT_DEFINE(errors);
UE_EVENTHEADER(errors, log_nothing);
UE_EVENTHEADER_WITH(information, log_values, "Values",
		  UE_ID(1, 2) | UE_OPCODE(3) | UE_EVENT_TAG(4), UE_U8(u8), UE_S64(s64),
		  UE_BOOL(b), UE_POINTER(p), UE_F32(f), UE_F64(d), UE_CHAR16(c16),
		  UE_CHAR32(c32), UE_PORT(port), UE_IPV4(v4), UE_IPV6(v6), UE_UUID(uuid),
		  UE_VALUE128(v128), UE_STRING16(t16), UE_STRING32(t32), UE_WSTRING(wide),
		  UE_COUNTED_STRING16(n16), UE_COUNTED_STRING32(n32));
UE_EVENTHEADER(information, log_around, UE_STRING(text), UE_STRING_MAX(some, 3),
	     UE_CHARS(chars, 8), UE_BYTES(mac, 6), UE_BLOB(blob), UE_STRUCT_BYTES(point, to, 8),
	     UE_AS(UE_FORMAT_STRING_JSON, UE_STRING(json)), UE_TAGGED(5, UE_U32(tagged)),
	     UE_NAMED("any name", UE_U32(named)), UE_NULLABLE(UE_U32(maybe)),
	     UE_NULLABLE(UE_UUID(perhaps)), UE_ARRAY(UE_S16(shorts), 3),
	     UE_ARRAY(UE_STRING(names), 2), UE_SEQUENCE(UE_F64(numbers)),
	     UE_SEQUENCE(UE_STRING(words)), UE_ARRAY(UE_BLOB(blobs), 2),
	     UE_SEQUENCE(UE_COUNTED_STRING(spans)));
UE_EVENTHEADER(information, log_structs, UE_STRUCT(from, UE_IPV4(v4), UE_PORT(port)),
	     UE_STRUCTS(struct item, items, UE_STRING(name), UE_U32(count), UE_POINTER(id),
			UE_BLOB(bytes), UE_ARRAY(UE_F64(weights), 2)),
	     UE_STRUCT_ARRAY(struct item, pair, 2, UE_STRING(name)));

UE_EVENT(note, UE_STRING(text));
UE_LOGGER(own_log, provider, 4);
UE_LOGGER_DECLARE(shared_log, provider, 8);
UE_LOGGER_DEFINE(shared_log);

UE__EXTERN int write_all(int fd, const struct item *items, const struct ue_span *spans,
			 const char *const *words, const uint8_t *bytes);

int write_all(int fd, const struct item *items, const struct ue_span *spans,
	      const char *const *words, const uint8_t *bytes)
{
	static const struct ue_activity activity = { { 1 } };
	static const struct point to = { 1, 2 };
	static const int16_t shorts[3] = { 1, 2, 3 };
	static const uint32_t maybe = 1;
	int result = ue_register_all(fd) | ue_register_module(fd) | ue_register(fd, &raw) | ue_enabled(&raw);

	result |= ue_write(fd, UE_EVENT_OF(nothing), NONE, 0);
	if (!UE_ENABLED(integers) && !UE_ENABLED(information))
		return result;
	result |= UE_WRITE(fd, nothing);
	result |= UE_WRITE(fd, integers, 1, 2, 3, 4, -1, -2, -3, -4, 1, 2, 3, 4, 5, 6, 7, 8,
			   9, 10, sizeof(to), 'c', 11, 1 == 1, &to, 12, 13, 14, 15);
	result |= UE_WRITE(fd, texts, "a", "b", "c", 1, bytes, 4, "e", bytes, &to, 443);
	result |= UE_WRITE(fd, shared, "a", 1);
	result |= UE_WRITE(fd, log_nothing);
	result |= UE_WRITE_ACTIVITY(fd, &activity, NONE, log_nothing);
	result |= UE_WRITE(fd, log_values, 1, 2, 1 == 1, &to, 1.5F, 2.5, u'a', U'b', 80,
			   0x7f000001, bytes, bytes, bytes, u"c", U"d", L"e", u"f", 1, U"g",
			   1);
	result |= UE_WRITE_ACTIVITY(fd, &activity, &activity, log_around, "text", "some",
				    "chars", bytes, bytes, 4, &to, "{}", 1, 2, &maybe, bytes,
				    shorts, words, items->weights, 2, words, 2, spans, spans,
				    2);
	result |= UE_WRITE(fd, log_structs, 0x7f000001, 80, items, 2, items);
	result |= UE_WRITE_EVENTHEADER(fd, errors, "Nothing");
	result |= UE_WRITE_EVENTHEADER(fd, information, "Values", UE_U32(u32, 1), UE_POINTER(p, &to),
			 UE_BOOL(b, 1 == 1), UE_STRING(text, "text"), UE_BLOB(blob, bytes, 4),
			 UE_CHARS(chars, 8, "chars"), UE_BYTES(mac, 6, bytes),
			 UE_STRUCT_BYTES(point, to, 8, &to), UE_UUID(uuid, bytes), UE_F64(d, 2.5),
			 UE_WSTRING(wide, L"e"), UE_NULLABLE(UE_U32(maybe, &maybe)),
			 UE_ARRAY(UE_S16(shorts, shorts), 3),
			 UE_SEQUENCE(UE_STRING(words, words, 2)),
			 UE_STRUCT(from, UE_IPV4(v4, 0x7f000001), UE_PORT(port, 80)));
	result |= UE_WRITE_EVENTHEADER_WITH(fd, information, UE_ID(1, 2), &activity, NONE, "With",
			      UE_U32(u32, 1));
	result |= UE_PRINTF(fd, note, "plain") | UE_PRINTF(fd, note, "%s %d", "text", result);
	result |= UE_SYSLOG(fd, own_log, 3, "plain") |
		  UE_SYSLOG(fd, shared_log, result, "%s %d", "text", result);
	result |= UE_SYSLOG_ENABLED(own_log, 3);
	result |= ue_register_all_report(fd, NONE, NONE) |
		  ue_register_module_report(fd, NONE, NONE) | ue_unregister_module() |
		  ue_unregister_all();
	return result;
}

UE__EXTERN __attribute__((__format__(__printf__, 3, 4)))
int write_twice(int fd, int priority, const char *format, ...);

int write_twice(int fd, int priority, const char *format, ...)
{
	__builtin_va_list values;
	int result;

	__builtin_va_start(values, format);
	result = UE_VPRINTF(fd, note, format, values) |
		 UE_VSYSLOG(fd, own_log, priority, format, values);
	__builtin_va_end(values);
	return result;
}
