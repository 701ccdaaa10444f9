/* SPDX-License-Identifier: MIT */
/*
 * Build EventHeader events at run time.
 *
 * Description and values grow in a buffer each. Before the description there is room for
 * everything that comes before it in the record, and the values are copied behind it when
 * the event is written, so that it leaves in one piece.
 *
 * The members of an array of structs are described once. From the second element on the
 * fields do not extend the description, but have to agree with what is there: a cursor,
 * ue__repeat, goes through it again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/eventheader_builder.h>
#include <userevents/log_put.h>

#include "copy.h"
#include "errno_guard.h"

/* Write index, header, activity, and the prefix of the description. */
#define HEAD                                                                   \
	(sizeof(uint32_t) + sizeof(struct ue_eventheader) + UE__ACTIVITY_MAX + \
	 sizeof(struct ue_eventheader_extension))

#define COLD __attribute__((cold, noinline))

/* Is the next field a field of the event itself, with nothing special about it? */
static void settle(struct ue_builder *builder)
{
	builder->ue__is_plain = !builder->ue__error && !builder->ue__depth &&
				!builder->ue__tag &&
				builder->ue__description.at !=
					builder->ue__description.begin;
}

static COLD void fail(struct ue_builder *builder, int error)
{
	if (!builder->ue__error)
		builder->ue__error = error;
	builder->ue__is_plain = 0;
}

/* Memory */

static size_t used(const struct ue__builder_buffer *buffer)
{
	return (size_t)(buffer->at - buffer->begin);
}

/* Room for size bytes after head bytes: 0 or -ENOMEM. */
static COLD int grow(struct ue__builder_buffer *buffer, size_t head, size_t size)
{
	UE__KEEP_ERRNO;
	const size_t at = used(buffer);
	size_t room = buffer->room ? buffer->room : 256;
	char *memory;

	while (room < head + size)
		room *= 2;
	memory = realloc(buffer->memory, room);
	if (!memory)
		return -ENOMEM;
	buffer->memory = memory;
	buffer->room = room;
	buffer->begin = memory + head;
	buffer->at = buffer->begin + at;
	buffer->end = buffer->begin +
		      (room - head < UE_BUILDER_MAX ? room - head : UE_BUILDER_MAX);
	return 0;
}

static inline int has_room(const struct ue__builder_buffer *buffer, size_t size)
{
	return __builtin_expect((size_t)(buffer->end - buffer->at) >= size, 1);
}

/* Room for size more bytes, or the error that sticks. */
static COLD int make_room(struct ue_builder *builder, struct ue__builder_buffer *buffer,
			  size_t size)
{
	const size_t head = buffer == &builder->ue__description ? HEAD : 0;

	if (size > UE_BUILDER_MAX - used(buffer))
		fail(builder, -EMSGSIZE);
	else if (grow(buffer, head, used(buffer) + size))
		fail(builder, -ENOMEM);
	return builder->ue__error;
}

UE_API void ue_builder_free(struct ue_builder *builder)
{
	UE__KEEP_ERRNO;

	free(builder->ue__description.memory);
	free(builder->ue__values.memory);
	*builder = (struct ue_builder){ 0 };
}

/* Values */

/* Bytes that are meant to be there. */
static inline void put_values(struct ue_builder *builder, const void *bytes, size_t size)
{
	struct ue__builder_buffer *values = &builder->ue__values;

	if (!has_room(values, size) && make_room(builder, values, size))
		return;
	ue__copy(values->at, bytes, size);
	values->at += size;
}

static inline void add_values(struct ue_builder *builder, const void *bytes, size_t size)
{
	if (size && !builder->ue__error && !builder->ue__without_values)
		put_values(builder, bytes, size);
}

static void add_count(struct ue_builder *builder, size_t count)
{
	const uint16_t count16 = (uint16_t)count;

	add_values(builder, &count16, sizeof(count16));
}

UE_API void ue_builder_raw(struct ue_builder *builder, const void *bytes, size_t size)
{
	if (size && !bytes)
		fail(builder, -EFAULT);
	else
		add_values(builder, bytes, size);
}

/* Description */

static inline char *described_at(const struct ue_builder *builder, size_t offset)
{
	return builder->ue__description.begin + offset;
}

/* Where the next field is described. */
static uint32_t described(const struct ue_builder *builder)
{
	return builder->ue__repeat ? builder->ue__repeat :
				     (uint32_t)used(&builder->ue__description);
}

static void add_description(struct ue_builder *builder, const void *bytes, size_t size)
{
	struct ue__builder_buffer *description = &builder->ue__description;

	if (builder->ue__error)
		return;
	if (builder->ue__repeat) {
		if (size > used(description) - builder->ue__repeat ||
		    memcmp(described_at(builder, builder->ue__repeat), bytes, size))
			fail(builder, -EINVAL);
		else
			builder->ue__repeat += (uint32_t)size;
		return;
	}
	if (!has_room(description, size) && make_room(builder, description, size))
		return;
	memcpy(description->at, bytes, size);
	description->at += size;
}

/* Encoding, and what follows it as far as it is needed. Returns the bytes used. */
static size_t put_type(unsigned char *at, uint8_t encoding, uint8_t format, uint16_t tag,
		       uint16_t count)
{
	size_t size = 1;

	at[0] = encoding;
	if (format || tag) {
		at[0] |= UE_ENCODING_CHAIN;
		at[size++] = format;
	}
	if (tag) {
		at[1] |= UE_FORMAT_CHAIN;
		memcpy(at + size, &tag, sizeof(tag));
		size += sizeof(tag);
	}
	if (encoding & UE_ENCODING_CARRAY) {
		memcpy(at + size, &count, sizeof(count));
		size += sizeof(count);
	}
	return size;
}

/* A member of the innermost struct, or of one within it that is described alone. */
static void count_member(struct ue_builder *builder)
{
	struct ue__builder_struct *in;

	if (!builder->ue__depth)
		return;
	in = &builder->ue__structs[builder->ue__depth - 1];
	if (in->raw_members)
		in->raw_members--;
	else if (in->members == UE_STRUCT_MEMBERS_MAX)
		fail(builder, -E2BIG);
	else
		in->members++;
	/* Before the first element members are described only. */
	if (in->array && !in->count && !in->is_without_values) {
		in->is_without_values = 1;
		builder->ue__without_values++;
	}
}

/* A field with anything special about it. */
static COLD void add_any_field(struct ue_builder *builder, const char *name, size_t length,
			       uint8_t encoding, uint8_t format, uint16_t count)
{
	unsigned char type[6];
	size_t size;

	/* Without a description there was no reset. */
	if (!name || !used(&builder->ue__description))
		fail(builder, -EINVAL);
	if (builder->ue__error)
		return;
	count_member(builder);
	size = put_type(type, encoding, format, builder->ue__tag, count);
	builder->ue__tag = 0;
	add_description(builder, name, length);
	add_description(builder, "", 1);
	add_description(builder, type, size);
	settle(builder);
}

static inline size_t length_of(const char *name)
{
	return __builtin_expect(name != NULL, 1) ? strlen(name) : 0;
}

/* A field that is no fixed array. Whether its value is meant to be there. */
static inline __attribute__((always_inline)) int
add_field(struct ue_builder *builder, const char *name, uint8_t encoding, uint8_t format)
{
	const size_t length = length_of(name), size = length + 1 + (format ? 2 : 1);
	char *at = builder->ue__description.at;

	if (!builder->ue__is_plain || !name || !has_room(&builder->ue__description, size)) {
		add_any_field(builder, name, length, encoding, format, 0);
		return !builder->ue__error && !builder->ue__without_values;
	}
	builder->ue__description.at = at + size;
	ue__copy(at, name, length);
	at += length;
	*at++ = '\0';
	*at = (char)(encoding | (format ? UE_ENCODING_CHAIN : 0));
	if (format)
		at[1] = (char)format;
	return 1;
}

static int is_malformed(uint8_t encoding, uint8_t format, uint16_t count)
{
	const int value = encoding & UE_ENCODING_VALUE_MASK;
	const int both = UE_ENCODING_CARRAY | UE_ENCODING_VARRAY;

	return value == UE_ENCODING_INVALID || value >= UE_ENCODING_END ||
	       encoding & UE_ENCODING_CHAIN || (encoding & both) == both ||
	       (encoding & UE_ENCODING_CARRAY && !count) || format & UE_FORMAT_CHAIN ||
	       (value == UE_ENCODING_STRUCT && !format);
}

static int is_name(const char *name, size_t length)
{
	return name && !memchr(name, '\0', length);
}

/* The members of a struct that is described alone follow. */
static void expect_members(struct ue_builder *builder, uint8_t members)
{
	struct ue__builder_struct *in;

	if (!builder->ue__depth)
		return;
	in = &builder->ue__structs[builder->ue__depth - 1];
	if (in->raw_members > UINT16_MAX - members)
		fail(builder, -E2BIG);
	else
		in->raw_members += members;
}

UE_API void ue_builder_describe(struct ue_builder *builder, const char *name,
				size_t length, uint8_t encoding, uint8_t format,
				uint16_t count)
{
	if (is_malformed(encoding, format, count) || !is_name(name, length))
		fail(builder, -EINVAL);
	add_any_field(builder, name, length, encoding, format, count);
	if ((encoding & UE_ENCODING_VALUE_MASK) == UE_ENCODING_STRUCT)
		expect_members(builder, format);
}

/* The event */

static inline void reset(struct ue_builder *builder, const char *name, size_t length,
		  uint64_t options)
{
	struct ue__builder_buffer *description = &builder->ue__description;

	description->at = description->begin;
	builder->ue__values.at = builder->ue__values.begin;
	builder->ue__options = options;
	builder->ue__is_plain = 1;
	builder->ue__error = 0;
	builder->ue__repeat = 0;
	builder->ue__without_values = 0;
	builder->ue__tag = 0;
	builder->ue__depth = 0;
	if (!has_room(description, length + 1) &&
	    make_room(builder, description, length + 1))
		return;
	ue__copy(description->at, name, length);
	description->at += length;
	*description->at++ = '\0';
}

UE_API void ue_builder_reset_named(struct ue_builder *builder, const char *name,
				   size_t length, uint64_t options)
{
	const int is_right = is_name(name, length);

	reset(builder, "", 0, options);
	if (!is_right)
		fail(builder, -EINVAL);
	else if (!builder->ue__error)
		reset(builder, name, length, options);
}

UE_API void ue_builder_reset(struct ue_builder *builder, const char *name,
			     uint64_t options)
{
	reset(builder, name ? name : "", length_of(name), options);
	if (!name)
		fail(builder, -EINVAL);
}

UE_API int ue_builder_error(const struct ue_builder *builder)
{
	return builder->ue__error;
}

UE_API void ue_builder_tag(struct ue_builder *builder, uint16_t tag)
{
	builder->ue__tag = tag;
	settle(builder);
}

/* Fields */

/* Bytes of a value of fixed size, or 0. */
static size_t value_size(uint8_t encoding)
{
	if (encoding < UE_ENCODING_VALUE8 || encoding > UE_ENCODING_VALUE128)
		return 0;
	return (size_t)1 << (encoding - UE_ENCODING_VALUE8);
}

/* Bytes of a unit of a string or binary value, or 0. */
static size_t unit_size(uint8_t encoding)
{
	switch (encoding) {
	case UE_ENCODING_ZSTRING_CHAR8:
	case UE_ENCODING_STRING_LENGTH16_CHAR8:
	case UE_ENCODING_BINARY_LENGTH16_CHAR8:
		return 1;
	case UE_ENCODING_ZSTRING_CHAR16:
	case UE_ENCODING_STRING_LENGTH16_CHAR16:
		return 2;
	case UE_ENCODING_ZSTRING_CHAR32:
	case UE_ENCODING_STRING_LENGTH16_CHAR32:
		return 4;
	default:
		return 0;
	}
}

static inline void add_number(struct ue_builder *builder, const char *name,
			      uint8_t encoding, uint8_t format, const void *value,
			      size_t size)
{
	if (add_field(builder, name, encoding, format))
		put_values(builder, value, size);
}

#define NUMBER(suffix, type, encoding, format)                                        \
	UE_API void ue_builder_##suffix(struct ue_builder *builder, const char *name, \
					type value)                                   \
	{                                                                             \
		add_number(builder, name, encoding, format, &value, sizeof(value));   \
	}

NUMBER(u8, uint8_t, UE_ENCODING_VALUE8, 0)
NUMBER(u16, uint16_t, UE_ENCODING_VALUE16, 0)
NUMBER(u32, uint32_t, UE_ENCODING_VALUE32, 0)
NUMBER(u64, uint64_t, UE_ENCODING_VALUE64, 0)
NUMBER(s8, int8_t, UE_ENCODING_VALUE8, UE_FORMAT_SIGNED_INT)
NUMBER(s16, int16_t, UE_ENCODING_VALUE16, UE_FORMAT_SIGNED_INT)
NUMBER(s32, int32_t, UE_ENCODING_VALUE32, UE_FORMAT_SIGNED_INT)
NUMBER(s64, int64_t, UE_ENCODING_VALUE64, UE_FORMAT_SIGNED_INT)
NUMBER(f32, float, UE_ENCODING_FLOAT, UE_FORMAT_FLOAT)
NUMBER(f64, double, UE_ENCODING_DOUBLE, UE_FORMAT_FLOAT)

UE_API void ue_builder_bool(struct ue_builder *builder, const char *name, int value)
{
	const uint8_t byte = value != 0;

	add_number(builder, name, UE_ENCODING_VALUE8, UE_FORMAT_BOOLEAN, &byte,
		   sizeof(byte));
}

UE_API void ue_builder_string(struct ue_builder *builder, const char *name,
			      const char *text)
{
	const char *shown = text ? text : "";

	if (add_field(builder, name, UE_ENCODING_ZSTRING_CHAR8, 0))
		put_values(builder, shown, strlen(shown) + 1);
}

UE_API void ue_builder_value(struct ue_builder *builder, const char *name,
			     uint8_t encoding, uint8_t format, const void *value)
{
	const size_t size = value_size(encoding);

	if (!size || format & UE_FORMAT_CHAIN)
		fail(builder, -EINVAL);
	else if (!value)
		fail(builder, -EFAULT);
	else
		add_number(builder, name, encoding, format, value, size);
}

static int has_zero(const char *units, size_t count, size_t unit)
{
	static const char zero[4];

	for (size_t i = 0; i < count; i++)
		if (!memcmp(units + i * unit, zero, unit))
			return 1;
	return 0;
}

static int ends_with_zero(uint8_t encoding)
{
	return encoding >= UE_ENCODING_ZSTRING_CHAR8 &&
	       encoding <= UE_ENCODING_ZSTRING_CHAR32;
}

/* 0, or why the units cannot be a value of this encoding. */
static int check_units(uint8_t encoding, uint8_t format, const void *units, size_t count)
{
	const size_t unit = unit_size(encoding);

	if (!unit || format & UE_FORMAT_CHAIN)
		return -EINVAL;
	if (count > UINT16_MAX)
		return -E2BIG;
	if (count && !units)
		return -EFAULT;
	return ends_with_zero(encoding) && has_zero(units, count, unit) ? -EINVAL : 0;
}

static void add_units(struct ue_builder *builder, uint8_t encoding, const void *units,
		      size_t count)
{
	static const char zero[4];
	const size_t unit = unit_size(encoding);

	if (!ends_with_zero(encoding))
		add_count(builder, count);
	add_values(builder, units, count * unit);
	if (ends_with_zero(encoding))
		add_values(builder, zero, unit);
}

UE_API void ue_builder_units(struct ue_builder *builder, const char *name,
			     uint8_t encoding, uint8_t format, const void *units,
			     size_t count)
{
	const int error = check_units(encoding, format, units, count);

	if (error) {
		fail(builder, error);
		return;
	}
	if (add_field(builder, name, encoding, format))
		add_units(builder, encoding, units, count);
}

/* 0, or why this is no array. */
static int check_array(uint8_t encoding, uint8_t format, const void *values, size_t count)
{
	const int array = encoding & (UE_ENCODING_CARRAY | UE_ENCODING_VARRAY);

	if (!array || count > UINT16_MAX)
		return !array ? -EINVAL : -E2BIG;
	if (is_malformed(encoding, format, (uint16_t)count))
		return -EINVAL;
	return count && !values ? -EFAULT : 0;
}

static void add_array(struct ue_builder *builder, const char *name, uint8_t encoding,
		      uint8_t format, size_t count)
{
	add_any_field(builder, name, length_of(name), encoding, format, (uint16_t)count);
	if (encoding & UE_ENCODING_VARRAY)
		add_count(builder, count);
}

UE_API void ue_builder_array(struct ue_builder *builder, const char *name,
			     uint8_t encoding, uint8_t format, const void *values,
			     size_t count)
{
	const size_t size = value_size(encoding & UE_ENCODING_VALUE_MASK);
	const int error = size ? check_array(encoding, format, values, count) : -EINVAL;

	if (error) {
		fail(builder, error);
		return;
	}
	add_array(builder, name, encoding, format, count);
	add_values(builder, values, count * size);
}

UE_API void ue_builder_spans(struct ue_builder *builder, const char *name,
			     uint8_t encoding, uint8_t format,
			     const struct ue_span *spans, size_t count)
{
	const uint8_t one = encoding & UE_ENCODING_VALUE_MASK;
	int error = unit_size(one) ? check_array(encoding, format, spans, count) : -EINVAL;

	for (size_t i = 0; !error && i < count; i++)
		error = check_units(one, format, spans[i].data, spans[i].length);
	if (error) {
		fail(builder, error);
		return;
	}
	add_array(builder, name, encoding, format, count);
	for (size_t i = 0; i < count; i++)
		add_units(builder, one, spans[i].data, spans[i].length);
}

/* Structs */

static struct ue__builder_struct *innermost(struct ue_builder *builder)
{
	if (builder->ue__error)
		return NULL;
	if (!builder->ue__depth) {
		fail(builder, -EINVAL);
		return NULL;
	}
	return &builder->ue__structs[builder->ue__depth - 1];
}

/*
 * The number of members, and of elements, is set at the end; where the description is
 * gone through again, the numbers that are there stay.
 */
static void begin(struct ue_builder *builder, const char *name, uint8_t array)
{
	const size_t type_at = described(builder) + length_of(name) + 1;
	struct ue__builder_struct new = {
		.format_at = (uint32_t)type_at + 1,
		.count_at = (uint32_t)(type_at + (builder->ue__tag ? 4 : 2)),
		.array = array,
		.is_repeated = builder->ue__repeat != 0,
	};
	uint16_t count = 1;
	uint8_t members = 1;

	if (builder->ue__depth == UE_BUILDER_DEPTH_MAX)
		fail(builder, -E2BIG);
	if (builder->ue__error)
		return;
	if (new.is_repeated && type_at + 6 <= used(&builder->ue__description)) {
		members = *described_at(builder, new.format_at) & UE_FORMAT_VALUE_MASK;
		memcpy(&count, described_at(builder, new.count_at), sizeof(count));
	}
	add_any_field(builder, name, length_of(name), UE_ENCODING_STRUCT | array, members,
		      count);
	if (array == UE_ENCODING_VARRAY) {
		new.count_at = (uint32_t)used(&builder->ue__values);
		add_count(builder, 0);
	}
	new.begin = described(builder);
	builder->ue__structs[builder->ue__depth++] = new;
	builder->ue__is_plain = 0;
}

UE_API void ue_builder_struct_begin(struct ue_builder *builder, const char *name)
{
	begin(builder, name, 0);
}

UE_API void ue_builder_structs_begin(struct ue_builder *builder, const char *name,
				     uint8_t array)
{
	if (array != UE_ENCODING_CARRAY && array != UE_ENCODING_VARRAY)
		fail(builder, -EINVAL);
	begin(builder, name, array);
}

/* The members of an element, or of the struct, are complete. */
static void end_element(struct ue_builder *builder, struct ue__builder_struct *in)
{
	unsigned char *format = (unsigned char *)described_at(builder, in->format_at);
	const unsigned char flag = *format & UE_FORMAT_CHAIN;

	if (!in->members || in->raw_members)
		fail(builder, -EINVAL);
	else if (!in->end && !in->is_repeated)
		*format = (unsigned char)(flag | in->members);
	else if ((*format & UE_FORMAT_VALUE_MASK) != in->members ||
		 (in->end && described(builder) != in->end))
		fail(builder, -EINVAL);
	in->end = described(builder);
	if (in->is_without_values) {
		in->is_without_values = 0;
		builder->ue__without_values--;
	}
}

UE_API void ue_builder_struct_next(struct ue_builder *builder)
{
	struct ue__builder_struct *in = innermost(builder);

	if (!in)
		return;
	if (!in->array || in->count == UINT16_MAX) {
		fail(builder, in->array ? -E2BIG : -EINVAL);
		return;
	}
	if (in->count || in->is_without_values)
		end_element(builder, in);
	in->count++;
	in->members = 0;
	/* Nothing is described yet when the first element begins. */
	if (in->end)
		builder->ue__repeat = in->begin;
}

/* Set the number of elements, or compare it with the one that is described. */
static void end_array(struct ue_builder *builder, const struct ue__builder_struct *in)
{
	const uint16_t count = (uint16_t)in->count;
	char *at;

	if (in->array == UE_ENCODING_VARRAY) {
		if (!builder->ue__without_values)
			memcpy(builder->ue__values.begin + in->count_at, &count,
			       sizeof(count));
		return;
	}
	at = described_at(builder, in->count_at);
	if (!count)
		fail(builder, -EINVAL);
	else if (!in->is_repeated)
		memcpy(at, &count, sizeof(count));
	else if (!builder->ue__without_values && memcmp(at, &count, sizeof(count)))
		fail(builder, -EINVAL);
}

UE_API void ue_builder_struct_end(struct ue_builder *builder)
{
	struct ue__builder_struct *in = innermost(builder);

	if (!in)
		return;
	end_element(builder, in);
	if (in->array && !builder->ue__error)
		end_array(builder, in);
	builder->ue__depth--;
	/* Behind the last element the description goes on. */
	if (builder->ue__repeat == used(&builder->ue__description))
		builder->ue__repeat = 0;
	settle(builder);
}

/* Writing */

static struct ue_eventheader header_of(uint64_t options, uint8_t level)
{
	return (struct ue_eventheader){
		.flags = UE_HEADER_NATIVE | UE_HEADER_EXTENSION,
		.version = (uint8_t)(options >> 8),
		.id = (uint16_t)(options >> 16),
		.tag = (uint16_t)(options >> 32),
		.opcode = (uint8_t)(options >> 48),
		.level = level,
	};
}

static inline int check_event(const struct ue_builder *builder, const struct ue_activity *activity,
		       const struct ue_activity *related)
{
	if (builder->ue__error)
		return builder->ue__error;
	/* The name's NUL is always there after a reset. */
	if (builder->ue__depth || !used(&builder->ue__description) || (related && !activity))
		return -EINVAL;
	return 0;
}

/* Begin of the record, index (not set), header, activity: before the description. */
static inline char *put_head(const struct ue_builder *builder, uint8_t level,
		      const struct ue_activity *activity,
		      const struct ue_activity *related)
{
	const struct ue_eventheader header = header_of(builder->ue__options, level);
	const struct ue_eventheader_extension extension = {
		.size = (uint16_t)used(&builder->ue__description),
		.kind = UE_EXTENSION_METADATA,
	};
	char *at = builder->ue__description.begin - sizeof(extension);

	memcpy(at, &extension, sizeof(extension));
	if (activity) {
		at -= UE__ACTIVITY_MAX - (related ? 0 : sizeof(related->id));
		ue__put_activity(at, activity, related);
	}
	at -= sizeof(header);
	memcpy(at, &header, sizeof(header));
	return at - sizeof(uint32_t);
}

/* The record, complete but for the index; *end is behind it. NULL: no memory. */
static inline char *assemble(struct ue_builder *builder, uint8_t level,
		      const struct ue_activity *activity,
		      const struct ue_activity *related, char **end)
{
	struct ue__builder_buffer *description = &builder->ue__description;
	const size_t size = used(&builder->ue__values);

	if (HEAD + used(description) + size > description->room &&
	    grow(description, HEAD, used(description) + size))
		return NULL;
	ue__copy(description->at, builder->ue__values.begin, size);
	*end = description->at + size;
	return put_head(builder, level, activity, related);
}

/* ue_enabled(), without a call. */
static inline int is_listened(const struct ue_event *event)
{
	const uint32_t word = __atomic_load_n(event->word, __ATOMIC_RELAXED);

	return word && UE__WORD_SAYS(word, event);
}

UE_API int ue_builder_write(struct ue_builder *builder, int fd,
			    const struct ue_tracepoint *tracepoint,
			    const struct ue_activity *activity,
			    const struct ue_activity *related)
{
	char *record, *end;
	int error = check_event(builder, activity, related);

	if (!is_listened(&tracepoint->event))
		return error;
	if (error)
		return ue__refuse(fd, &tracepoint->event, error);
	record = assemble(builder, (uint8_t)tracepoint->parts->level, activity, related,
			  &end);
	if (!record)
		return ue__refuse(fd, &tracepoint->event, -ENOMEM);
	return ue__send_fixed(fd, &tracepoint->event, record, (size_t)(end - record));
}

UE_API long ue_builder_bytes(struct ue_builder *builder, uint8_t level,
			     const struct ue_activity *activity,
			     const struct ue_activity *related, const void **bytes)
{
	char *record, *end;
	int error = check_event(builder, activity, related);

	if (error || !level)
		return error ? error : -EINVAL;
	record = assemble(builder, level, activity, related, &end);
	if (!record)
		return -ENOMEM;
	*bytes = record + sizeof(uint32_t);
	return end - record - (long)sizeof(uint32_t);
}
