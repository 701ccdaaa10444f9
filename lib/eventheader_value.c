/* SPDX-License-Identifier: MIT */
/*
 * Values as numbers and as text. Which text is a table by encoding and format.
 */
#include <errno.h>
#include <string.h>

#include "eventheader_value.h"
#include "number_text.h"

/* Numbers */

static uint64_t load_bytes(const uint8_t *bytes, uint32_t length, int big_endian)
{
	uint64_t number = 0;

	if (big_endian)
		for (uint32_t i = 0; i < length; i++)
			number = number << 8 | bytes[i];
	else
		for (uint32_t i = length; i-- > 0;)
			number = number << 8 | bytes[i];
	return number;
}

/* 1 to 8 bytes, mostly in the machine's byte order. */
static inline uint64_t load(const uint8_t *bytes, uint32_t length, int big_endian)
{
	uint32_t four;
	uint64_t eight;

	if (big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		return load_bytes(bytes, length, big_endian);
	switch (length) {
	case 1:
		return bytes[0];
	case 4:
		memcpy(&four, bytes, sizeof(four));
		return four;
	case 8:
		memcpy(&eight, bytes, sizeof(eight));
		return eight;
	default:
		return load_bytes(bytes, length, big_endian);
	}
}

static inline int64_t load_signed(const uint8_t *bytes, uint32_t length,
				  int big_endian)
{
	uint32_t shift = 64 - 8 * length;

	return (int64_t)(load(bytes, length, big_endian) << shift) >> shift;
}

static float load_float(const uint8_t *bytes, int big_endian)
{
	uint32_t four = (uint32_t)load(bytes, sizeof(four), big_endian);
	float number;

	memcpy(&number, &four, sizeof(number));
	return number;
}

static double load_double(const uint8_t *bytes, uint32_t length, int big_endian)
{
	uint64_t eight;
	double number;

	if (length == 4)
		return (double)load_float(bytes, big_endian);
	eight = load(bytes, sizeof(eight), big_endian);
	memcpy(&number, &eight, sizeof(number));
	return number;
}

static int is_number(const struct ue_value *value)
{
	if (value->encoding >= UE_ENCODING_ZSTRING_CHAR8 &&
	    value->encoding != UE_ENCODING_STRING_LENGTH16_CHAR8 &&
	    value->encoding != UE_ENCODING_BINARY_LENGTH16_CHAR8)
		return 0;
	return value->length == 1 || value->length == 2 || value->length == 4 ||
	       value->length == 8;
}

/* The byte order that counts. */
static int order_of(const struct ue_value *value)
{
	return value->big_endian ||
	       (value->format == UE_FORMAT_PORT && value->length == 2);
}

UE_API int ue_value_u64(const struct ue_value *value, uint64_t *number)
{
	if (!is_number(value))
		return -EINVAL;
	*number = load(value->bytes, value->length, order_of(value));
	return 0;
}

UE_API int ue_value_i64(const struct ue_value *value, int64_t *number)
{
	if (!is_number(value))
		return -EINVAL;
	*number = load_signed(value->bytes, value->length, order_of(value));
	return 0;
}

UE_API int ue_value_double(const struct ue_value *value, double *number)
{
	if (!is_number(value) || value->length < 4)
		return -EINVAL;
	*number = load_double(value->bytes, value->length, order_of(value));
	return 0;
}

/* Which style */

/* Short names, for a table that can be read. */
enum {
	dec = UE__STYLE_UNSIGNED,
	sgn = UE__STYLE_SIGNED,
	boo = UE__STYLE_BOOLEAN,
	prt = UE__STYLE_PORT,
	nul = UE__STYLE_NULL, /* the length has to be asked: nullable_style() */
	flt = UE__STYLE_FLOAT,
	hex = UE__STYLE_HEX,
	err = UE__STYLE_ERRNO,
	tim = UE__STYLE_TIME,
	uid = UE__STYLE_UUID,
	ipa = UE__STYLE_IP,
	byt = UE__STYLE_BYTES,
	lat = UE__STYLE_LATIN1,
	utf = UE__STYLE_UTF8,
	u16 = UE__STYLE_UTF16,
	u32 = UE__STYLE_UTF32,
	m08 = UE__STYLE_BOM8,
	m16 = UE__STYLE_BOM16,
	m32 = UE__STYLE_BOM32,
};

/*
 * By encoding and format. The columns: default, unsigned, signed, hex, errno, pid,
 * time, boolean, float, bytes; string8, UTF, UTF with mark, XML, JSON, UUID, port,
 * IP address, and its old number.
 */
const uint8_t ue__styles[UE_ENCODING_END][UE__FORMATS] = {
	[UE_ENCODING_VALUE8] = {
		dec, dec, sgn, hex, dec, dec, dec, boo, dec, byt,
		lat, dec, dec, dec, dec, dec, dec, dec, dec },
	[UE_ENCODING_VALUE16] = {
		dec, dec, sgn, hex, dec, dec, dec, boo, dec, byt,
		dec, u16, dec, dec, dec, dec, prt, dec, dec },
	[UE_ENCODING_VALUE32] = {
		dec, dec, sgn, hex, err, sgn, tim, boo, flt, byt,
		dec, u32, dec, dec, dec, dec, dec, ipa, ipa },
	[UE_ENCODING_VALUE64] = {
		dec, dec, sgn, hex, dec, dec, tim, dec, flt, byt,
		dec, dec, dec, dec, dec, dec, dec, dec, dec },
	[UE_ENCODING_VALUE128] = {
		byt, byt, byt, byt, byt, byt, byt, byt, byt, byt,
		byt, byt, byt, byt, byt, uid, byt, ipa, ipa },
	[UE_ENCODING_ZSTRING_CHAR8] = {
		utf, utf, utf, utf, utf, utf, utf, utf, utf, byt,
		lat, utf, m08, m08, m08, utf, utf, utf, utf },
	[UE_ENCODING_ZSTRING_CHAR16] = {
		u16, u16, u16, u16, u16, u16, u16, u16, u16, byt,
		u16, u16, m16, m16, m16, u16, u16, u16, u16 },
	[UE_ENCODING_ZSTRING_CHAR32] = {
		u32, u32, u32, u32, u32, u32, u32, u32, u32, byt,
		u32, u32, m32, m32, m32, u32, u32, u32, u32 },
	[UE_ENCODING_STRING_LENGTH16_CHAR8] = {
		utf, nul, nul, nul, nul, nul, nul, nul, nul, byt,
		lat, utf, m08, m08, m08, nul, nul, nul, nul },
	[UE_ENCODING_STRING_LENGTH16_CHAR16] = {
		u16, u16, u16, u16, u16, u16, u16, u16, u16, byt,
		u16, u16, m16, m16, m16, u16, u16, u16, u16 },
	[UE_ENCODING_STRING_LENGTH16_CHAR32] = {
		u32, u32, u32, u32, u32, u32, u32, u32, u32, byt,
		u32, u32, m32, m32, m32, u32, u32, u32, u32 },
	[UE_ENCODING_BINARY_LENGTH16_CHAR8] = {
		byt, nul, nul, nul, nul, nul, nul, nul, nul, byt,
		lat, utf, m08, m08, m08, nul, nul, nul, nul },
};

/*
 * A counted value with the format of a fixed one is that when its length fits,
 * and null when it is empty. Lengths as a set of bits.
 */
#define BYTES(n) (1u << (n))

static const uint32_t nullable_lengths[UE_FORMAT_END] = {
	[UE_FORMAT_UNSIGNED_INT] = BYTES(1) | BYTES(2) | BYTES(4) | BYTES(8),
	[UE_FORMAT_SIGNED_INT] = BYTES(1) | BYTES(2) | BYTES(4) | BYTES(8),
	[UE_FORMAT_HEX_INT] = BYTES(1) | BYTES(2) | BYTES(4) | BYTES(8),
	[UE_FORMAT_ERRNO] = BYTES(4),
	[UE_FORMAT_PID] = BYTES(4),
	[UE_FORMAT_TIME] = BYTES(4) | BYTES(8),
	[UE_FORMAT_BOOLEAN] = BYTES(1) | BYTES(2) | BYTES(4),
	[UE_FORMAT_FLOAT] = BYTES(4) | BYTES(8),
	[UE_FORMAT_UUID] = BYTES(16),
	[UE_FORMAT_PORT] = BYTES(2),
	[UE_FORMAT_IP_ADDRESS] = BYTES(4) | BYTES(16),
	[UE_FORMAT_IP_ADDRESS_OBSOLETE] = BYTES(4) | BYTES(16),
};

static const uint8_t encoding_of_length[17] = {
	[1] = UE_ENCODING_VALUE8,   [2] = UE_ENCODING_VALUE16,
	[4] = UE_ENCODING_VALUE32,  [8] = UE_ENCODING_VALUE64,
	[16] = UE_ENCODING_VALUE128,
};

/* Encodings 10 and 13, of formats that are numbers. */
static uint32_t nullable_style(const struct ue_value *value, uint32_t format)
{
	uint32_t encoding = value->encoding;
	uint32_t style;

	if (!value->length)
		return UE__STYLE_NULL;
	if (value->length <= 16 && nullable_lengths[format] & BYTES(value->length))
		encoding = encoding_of_length[value->length];
	style = ue__styles[encoding][format];
	return style == UE__STYLE_NULL ? ue__styles[encoding][0] : style;
}

static inline enum ue__style find_style(const struct ue_value *value)
{
	uint32_t format = value->format < UE_FORMAT_END ? value->format : 0;
	uint32_t style = ue__styles[value->encoding][format];

	if (style == UE__STYLE_NULL)
		style = nullable_style(value, format);
	return (enum ue__style)style;
}

enum ue__style ue__value_style(const struct ue_value *value)
{
	return find_style(value);
}

int ue__check_value(const struct ue_value *value)
{
	if (value->encoding < UE_ENCODING_VALUE8 ||
	    value->encoding >= UE_ENCODING_END)
		return -EINVAL;
	if (value->encoding <= UE_ENCODING_VALUE128 &&
	    (value->length > 16 ||
	     encoding_of_length[value->length] != value->encoding))
		return -EINVAL;
	return 0;
}

/* Text of styles that are short */

static const char *const errno_names[] = {
	NULL, "EPERM", "ENOENT", "ESRCH", "EINTR", "EIO", "ENXIO", "E2BIG",
	"ENOEXEC", "EBADF", "ECHILD", "EAGAIN", "ENOMEM", "EACCES", "EFAULT",
	"ENOTBLK", "EBUSY", "EEXIST", "EXDEV", "ENODEV", "ENOTDIR", "EISDIR",
	"EINVAL", "ENFILE", "EMFILE", "ENOTTY", "ETXTBSY", "EFBIG", "ENOSPC",
	"ESPIPE", "EROFS", "EMLINK", "EPIPE", "EDOM", "ERANGE", "EDEADLK",
	"ENAMETOOLONG", "ENOLCK", "ENOSYS", "ENOTEMPTY", "ELOOP", NULL, "ENOMSG",
	"EIDRM", "ECHRNG", "EL2NSYNC", "EL3HLT", "EL3RST", "ELNRNG", "EUNATCH",
	"ENOCSI", "EL2HLT", "EBADE", "EBADR", "EXFULL", "ENOANO", "EBADRQC",
	"EBADSLT", NULL, "EBFONT", "ENOSTR", "ENODATA", "ETIME", "ENOSR",
	"ENONET", "ENOPKG", "EREMOTE", "ENOLINK", "EADV", "ESRMNT", "ECOMM",
	"EPROTO", "EMULTIHOP", "EDOTDOT", "EBADMSG", "EOVERFLOW", "ENOTUNIQ",
	"EBADFD", "EREMCHG", "ELIBACC", "ELIBBAD", "ELIBSCN", "ELIBMAX",
	"ELIBEXEC", "EILSEQ", "ERESTART", "ESTRPIPE", "EUSERS", "ENOTSOCK",
	"EDESTADDRREQ", "EMSGSIZE", "EPROTOTYPE", "ENOPROTOOPT",
	"EPROTONOSUPPORT", "ESOCKTNOSUPPORT", "EOPNOTSUPP", "EPFNOSUPPORT",
	"EAFNOSUPPORT", "EADDRINUSE", "EADDRNOTAVAIL", "ENETDOWN", "ENETUNREACH",
	"ENETRESET", "ECONNABORTED", "ECONNRESET", "ENOBUFS", "EISCONN",
	"ENOTCONN", "ESHUTDOWN", "ETOOMANYREFS", "ETIMEDOUT", "ECONNREFUSED",
	"EHOSTDOWN", "EHOSTUNREACH", "EALREADY", "EINPROGRESS", "ESTALE",
	"EUCLEAN", "ENOTNAM", "ENAVAIL", "EISNAM", "EREMOTEIO", "EDQUOT",
	"ENOMEDIUM", "EMEDIUMTYPE", "ECANCELED", "ENOKEY", "EKEYEXPIRED",
	"EKEYREVOKED", "EKEYREJECTED", "EOWNERDEAD", "ENOTRECOVERABLE",
	"ERFKILL", "EHWPOISON",
};

static_assert(sizeof(errno_names) / sizeof(errno_names[0]) == 134, "0 to 133");

static char *put_text(char *at, const char *text)
{
	size_t length = strlen(text);

	memcpy(at, text, length);
	return at + length;
}

static char *put_errno(char *at, const uint8_t *bytes, uint32_t length,
		       int big_endian)
{
	int64_t number = load_signed(bytes, length, big_endian);
	const char *name = number >= 0 && number < 134 ? errno_names[number] : NULL;

	at = put_text(at, name ? name : "ERRNO");
	*at++ = '(';
	at = ue__put_signed(at, number);
	*at++ = ')';
	return at;
}

/* Numbers that are neither 0 nor 1 as signed 32 bits, but not sign-extended. */
static char *put_boolean(char *at, const uint8_t *bytes, uint32_t length,
			 int big_endian)
{
	uint64_t number = load(bytes, length, big_endian);

	if (number > 1)
		return ue__put_signed(at, (int32_t)(uint32_t)number);
	return put_text(at, number ? "true" : "false");
}

static char *put_real(char *at, const uint8_t *bytes, uint32_t length,
		      int big_endian)
{
	return length == 4 ?
		       ue__put_float(at, load_float(bytes, big_endian)) :
		       ue__put_double(at, load_double(bytes, length, big_endian));
}

static char *put_time(char *at, const uint8_t *bytes, uint32_t length,
		      int big_endian)
{
	at = ue__put_time(at, load_signed(bytes, length, big_endian));
	if (at[-1] != ')')
		*at++ = 'Z';
	return at;
}

static char *put_byte(char *at, uint8_t byte)
{
	*at++ = "0123456789abcdef"[byte >> 4];
	*at++ = "0123456789abcdef"[byte & 15];
	return at;
}

char *ue__put_uuid(char *at, const uint8_t *uuid)
{
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*at++ = '-';
		at = put_byte(at, uuid[i]);
	}
	return at;
}

static char *put_ipv4(char *at, const uint8_t *address)
{
	for (int i = 0; i < 4; i++) {
		if (i)
			*at++ = '.';
		at = ue__put_decimal(at, address[i]);
	}
	return at;
}

/* The longest run of two or more zero groups, the first of equals. */
static int longest_zeros(const uint16_t *groups, int *length)
{
	int begin = -1;

	*length = 1;
	for (int i = 0; i < 8; i++) {
		int end = i;

		while (end < 8 && !groups[end])
			end++;
		if (end - i > *length) {
			begin = i;
			*length = end - i;
		}
		if (end > i)
			i = end;
	}
	return begin;
}

static char *put_group(char *at, uint32_t group)
{
	int shift = 12;

	while (shift && !(group >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[group >> shift & 15];
	return at;
}

/* ::1.2.3.4 and ::ffff:1.2.3.4 */
static int ends_as_ipv4(const uint16_t *groups, int zeros, int length)
{
	return !zeros && (length == 6 || (length == 5 && groups[5] == 0xffff));
}

static char *put_ipv6(char *at, const uint8_t *address)
{
	uint16_t groups[8];
	int zeros, length, ipv4;

	for (int i = 0; i < 8; i++)
		groups[i] = (uint16_t)(address[2 * i] << 8 | address[2 * i + 1]);
	zeros = longest_zeros(groups, &length);
	ipv4 = ends_as_ipv4(groups, zeros, length);
	for (int i = 0; i < 8; i++) {
		if (i == zeros) {
			*at++ = ':';
			i += length;
			if (i == 8)
				*at++ = ':';
		}
		if (i && i < 8)
			*at++ = ':';
		if (ipv4 && i == 6)
			return put_ipv4(at, address + 12);
		if (i < 8)
			at = put_group(at, groups[i]);
	}
	return at;
}

static char *put_ip(char *at, const uint8_t *bytes, uint32_t length, int big_endian)
{
	(void)big_endian;
	return length == 4 ? put_ipv4(at, bytes) : put_ipv6(at, bytes);
}

/* Text of any length */

static void put_bytes(struct ue__bytes *bytes, const uint8_t *data,
		      uint32_t length)
{
	while (length) {
		uint32_t part = length < 16 ? length : 16;
		char *at = ue__bytes_room(bytes);

		for (uint32_t i = 0; i < part; i++) {
			at = put_byte(at, data[i]);
			*at++ = ' ';
		}
		data += part;
		length -= part;
		ue__bytes_used(bytes, length ? at : at - 1);
	}
}

/* A byte order mark, in the order in which they have to be looked for. */
static const struct mark {
	const char *bytes;
	uint8_t length;
	uint8_t style;
	uint8_t big_endian;
} marks[] = {
	{ "\xff\xfe\0\0", 4, UE__STYLE_UTF32, 0 },
	{ "\0\0\xfe\xff", 4, UE__STYLE_UTF32, 1 },
	{ "\xff\xfe", 2, UE__STYLE_UTF16, 0 },
	{ "\xfe\xff", 2, UE__STYLE_UTF16, 1 },
	{ "\xef\xbb\xbf", 3, UE__STYLE_UTF8, 0 },
};

static enum ue__style without_mark(struct ue_value *value, enum ue__style style)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const struct mark *mark = &marks[i];

		if (value->length < mark->length ||
		    memcmp(value->bytes, mark->bytes, mark->length))
			continue;
		value->bytes += mark->length;
		value->length -= mark->length;
		value->big_endian = mark->big_endian;
		return (enum ue__style)mark->style;
	}
	return (enum ue__style)(style - UE__STYLE_BOM8 + UE__STYLE_UTF8);
}

static_assert(UE__STYLE_BOM32 - UE__STYLE_BOM8 ==
		      UE__STYLE_UTF32 - UE__STYLE_UTF8,
	      "same order");

static void put_string(struct ue__bytes *bytes, struct ue_value value,
		       enum ue__style style, enum ue__escape escape)
{
	if (style >= UE__STYLE_BOM8)
		style = without_mark(&value, style);
	switch (style) {
	case UE__STYLE_LATIN1:
		ue__put_latin1(bytes, value.bytes, value.length, escape);
		break;
	case UE__STYLE_UTF16:
		ue__put_utf16(bytes, value.bytes, value.length, value.big_endian,
			      escape);
		break;
	case UE__STYLE_UTF32:
		ue__put_utf32(bytes, value.bytes, value.length, value.big_endian,
			      escape);
		break;
	default:
		ue__put_utf8(bytes, value.bytes, value.length, escape);
	}
}

/* A function for each style that is short. */

static char *put_unsigned(char *at, const uint8_t *bytes, uint32_t length,
			  int big_endian)
{
	return ue__put_decimal(at, load(bytes, length, big_endian));
}

static char *put_signed(char *at, const uint8_t *bytes, uint32_t length,
			int big_endian)
{
	return ue__put_signed(at, load_signed(bytes, length, big_endian));
}

static char *put_port(char *at, const uint8_t *bytes, uint32_t length,
		      int big_endian)
{
	(void)length;
	(void)big_endian;
	return ue__put_decimal(at, (uint32_t)(bytes[0] << 8 | bytes[1]));
}

static char *put_null(char *at, const uint8_t *bytes, uint32_t length,
		      int big_endian)
{
	(void)bytes;
	(void)length;
	(void)big_endian;
	return put_text(at, "null");
}

static char *put_hex(char *at, const uint8_t *bytes, uint32_t length,
		     int big_endian)
{
	return ue__put_hex(at, load(bytes, length, big_endian));
}

static char *put_uuid(char *at, const uint8_t *bytes, uint32_t length,
		      int big_endian)
{
	(void)length;
	(void)big_endian;
	return ue__put_uuid(at, bytes);
}

ue__put_style *const ue__put_styles[UE__STYLE_BYTES] = {
	[UE__STYLE_UNSIGNED] = put_unsigned,
	[UE__STYLE_SIGNED] = put_signed,
	[UE__STYLE_BOOLEAN] = put_boolean,
	[UE__STYLE_PORT] = put_port,
	[UE__STYLE_NULL] = put_null,
	[UE__STYLE_FLOAT] = put_real,
	[UE__STYLE_HEX] = put_hex,
	[UE__STYLE_ERRNO] = put_errno,
	[UE__STYLE_TIME] = put_time,
	[UE__STYLE_UUID] = put_uuid,
	[UE__STYLE_IP] = put_ip,
};

void ue__put_value(struct ue__bytes *bytes, const struct ue_value *value,
		   enum ue__style style, enum ue__escape escape)
{
	if (style == UE__STYLE_BYTES)
		put_bytes(bytes, value->bytes, value->length);
	else if (style > UE__STYLE_BYTES)
		put_string(bytes, *value, style, escape);
	else
		ue__bytes_used(bytes, ue__put_styles[style](ue__bytes_room(bytes),
							    value->bytes,
							    value->length,
							    value->big_endian));
}

int ue__is_finite(const uint8_t *bytes, uint32_t length, int big_endian)
{
	double number = load_double(bytes, length, big_endian);

	return number - number == 0;
}

#define SHORT_TEXT 40u

static_assert(SHORT_TEXT + 7 + 2 <= UE__ROOM_VALUE, "it fits");

static char *put_plain(char *at, const struct ue_value *value)
{
	*at++ = '"';
	at = ue__copy_plain(at, value->bytes, value->length);
	if (at)
		*at++ = '"';
	return at;
}

static void put_long(struct ue__bytes *bytes, char *at,
		     const struct ue_value *value, enum ue__style style)
{
	char *end;

	if (style == UE__STYLE_UTF8 && value->length <= SHORT_TEXT) {
		end = put_plain(at, value);
		if (end) {
			ue__bytes_used(bytes, end);
			return;
		}
	}
	*at++ = '"';
	ue__bytes_used(bytes, at);
	ue__put_value(bytes, value, style, UE__ESCAPED);
	ue__bytes_put(bytes, '"');
}

void ue__put_json_value(struct ue__bytes *bytes, char *at,
			const struct ue_value *value)
{
	enum ue__style style = find_style(value);

	if (style >= UE__STYLE_BYTES)
		put_long(bytes, at, value, style);
	else
		ue__bytes_used(bytes, ue__put_json_short(at, style, value->bytes,
							 value->length,
							 value->big_endian));
}
