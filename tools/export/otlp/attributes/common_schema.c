/* SPDX-License-Identifier: MIT */
/* Reads members of records of Common Schema. */
#include "common_schema.h"

#include "common/cli/memory.h"
#include "schema_time.h"

/* Texts */

static struct schema_text keep_text(struct schema_facts *facts, const struct value *value)
{
	const struct schema_text text = { facts->texts.length, value->length };

	bytes_add(&facts->texts, value->text, value->length);
	return text;
}

struct clean_text common_schema_text(const struct schema_facts *facts,
				     struct schema_text text)
{
	return (struct clean_text){ text.length ? (char *)facts->texts.at + text.at : "",
				    text.length };
}

static int is_text(const struct value *value, const char *text)
{
	return value->type == VALUE_TEXT && value->length == strlen(text) &&
	       !memcmp(value->text, text, value->length);
}

static int take_text(struct schema_facts *facts, const struct value *value,
		     struct schema_text *text)
{
	if (value->type != VALUE_TEXT || !value->length)
		return 0;
	*text = keep_text(facts, value);
	return 1;
}

/* Ids: hexadecimal digits */

static int take_id(const struct value *value, uint8_t *id, size_t size)
{
	uint8_t read[TRACE_ID_SIZE], any = 0;

	if (value->type != VALUE_TEXT || value->length != 2 * size)
		return 0;
	for (size_t i = 0; i < size; i++) {
		const int high = hex_digit(value->text[2 * i]);
		const int low = hex_digit(value->text[2 * i + 1]);

		if (high < 0 || low < 0)
			return 0;
		read[i] = (uint8_t)(high << 4 | low);
		any |= read[i];
	}
	if (any)
		memcpy(id, read, size);
	return any != 0;
}

/* Numbers */

static int take_number(const struct value *value, uint64_t *number)
{
	if (value->type != VALUE_UNSIGNED && value->type != VALUE_BOOLEAN &&
	    (value->type != VALUE_SIGNED || value->whole < 0))
		return 0;
	*number = (uint64_t)value->whole;
	return 1;
}

/* Members */

static int take_trace(struct schema_facts *facts, const struct value *value)
{
	return take_id(value, facts->trace, TRACE_ID_SIZE);
}

static int take_span(struct schema_facts *facts, const struct value *value)
{
	return !facts->has_no_trace && take_id(value, facts->span, SPAN_ID_SIZE);
}

static int take_flags(struct schema_facts *facts, const struct value *value)
{
	return !facts->has_no_trace && take_number(value, &facts->flags) && facts->flags <= 0xff;
}

static int take_end(struct schema_facts *facts, const struct value *value)
{
	return schema_time(value, &facts->time);
}

static int take_part_a_name(struct schema_facts *facts, const struct value *value)
{
	return take_text(facts, value, &facts->part_a_name);
}

static int take_type(struct schema_facts *facts, const struct value *value)
{
	facts->has_span_type = is_text(value, "Span");
	return facts->has_span_type || is_text(value, "Log");
}

static int take_name(struct schema_facts *facts, const struct value *value)
{
	return take_text(facts, value, &facts->name);
}

static int take_body(struct schema_facts *facts, const struct value *value)
{
	facts->body = *value;
	if (value->type == VALUE_TEXT || value->type == VALUE_BYTES)
		facts->body_text = keep_text(facts, value);
	return value->type != VALUE_NONE;
}

static int take_severity(struct schema_facts *facts, const struct value *value)
{
	return take_number(value, &facts->severity) && facts->severity &&
	       facts->severity <= SEVERITY_MAX;
}

static int take_severity_text(struct schema_facts *facts, const struct value *value)
{
	return take_text(facts, value, &facts->severity_text);
}

static int take_parent(struct schema_facts *facts, const struct value *value)
{
	return is_text(value, "") || take_id(value, facts->parent, SPAN_ID_SIZE);
}

static int take_start(struct schema_facts *facts, const struct value *value)
{
	return schema_time(value, &facts->start);
}

static int take_kind(struct schema_facts *facts, const struct value *value)
{
	return take_number(value, &facts->kind) && facts->kind <= 4;
}

static int take_success(struct schema_facts *facts, const struct value *value)
{
	return take_number(value, &facts->has_succeeded);
}

static int take_status_message(struct schema_facts *facts, const struct value *value)
{
	return take_text(facts, value, &facts->status_message);
}

#define EITHER (SCHEMA_LOG | SCHEMA_SPAN)

static const struct schema_member {
	char part;
	const char *name;
	uint32_t kinds;
	int (*take)(struct schema_facts *facts, const struct value *value);
} members[] = {
	{ 'A', "time", EITHER, take_end },
	{ 'A', "name", EITHER, take_part_a_name },
	{ 'A', "ext_dt_traceId", EITHER, take_trace },
	{ 'A', "ext_dt_spanId", EITHER, take_span },
	{ 'A', "ext_dt_traceFlags", EITHER, take_flags },
	{ 'B', "_typeName", EITHER, take_type },
	{ 'B', "name", EITHER, take_name },
	{ 'B', "body", SCHEMA_LOG, take_body },
	{ 'B', "severityNumber", SCHEMA_LOG, take_severity },
	{ 'B', "severityText", SCHEMA_LOG, take_severity_text },
	{ 'B', "parentId", SCHEMA_SPAN, take_parent },
	{ 'B', "startTime", SCHEMA_SPAN, take_start },
	{ 'B', "kind", SCHEMA_SPAN, take_kind },
	{ 'B', "success", SCHEMA_SPAN, take_success },
	{ 'B', "statusMessage", SCHEMA_SPAN, take_status_message },
};

#define MEMBERS (sizeof(members) / sizeof(members[0]))

/* Members that are attributes of another name. */
static const char *const renamed[][2] = {
	{ "ext_cloud_role", "service.name" },
	{ "ext_cloud_roleInstance", "service.instance.id" },
};

static int is_name(struct clean_text name, const char *other)
{
	return name.length == strlen(other) && !memcmp(name.at, other, name.length);
}

int common_schema_has(const struct schema_facts *facts, const char *name)
{
	for (size_t i = 0; i < MEMBERS; i++)
		if (facts->seen & 1u << i && !strcmp(members[i].name, name))
			return 1;
	return 0;
}

/* The first of a name is taken. */
static int take_member(struct schema_facts *facts, uint32_t kinds, char part,
		       const struct walk_item *item)
{
	for (size_t i = 0; i < MEMBERS; i++) {
		if (members[i].part != part || !(members[i].kinds & kinds) ||
		    facts->seen & 1u << i || !is_name(item->name, members[i].name) ||
		    !members[i].take(facts, &item->value))
			continue;
		facts->seen |= 1u << i;
		return 1;
	}
	return 0;
}

/* Reading */

struct reading {
	struct event_attributes *attributes;
	struct schema_facts *facts;
	uint32_t kinds;
	struct bytes *to;
	enum otlp_field list;
};

static void rename_item(struct walk_item *item)
{
	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
		if (is_name(item->name, renamed[i][0]))
			item->name = otlp_text(renamed[i][1]);
}

static void read_item(const struct reading *reading, char part, enum walk_kind kind)
{
	struct walk_item *item = &reading->attributes->walk.item;

	if (kind == WALK_VALUE && take_member(reading->facts, reading->kinds, part, item))
		return;
	if (part == 'A')
		rename_item(item);
	if (reading->to)
		event_attributes_item(reading->attributes, reading->to, reading->list, kind);
	else if (kind != WALK_VALUE)
		event_attributes_skip(reading->attributes);
}

static void read_part(const struct reading *reading, char part)
{
	enum walk_kind kind;

	while ((kind = field_walk_next(&reading->attributes->walk)) != WALK_STRUCT_END &&
	       kind != WALK_END)
		read_item(reading, part, kind);
}

static char part_of(enum walk_kind kind, struct clean_text name)
{
	static const char *const parts[] = { "PartA", "PartB", "PartC" };

	for (int i = 0; i < 3; i++)
		if (kind == WALK_STRUCT_BEGIN && is_name(name, parts[i]))
			return parts[i][4];
	return '\0';
}

static int is_version(const struct walk_item *item)
{
	return is_name(item->name, "__csver__") && value_is_number(&item->value);
}

/* The name of the first field follows that of the event. */
static int has_mark(const struct exported_event *event)
{
	static const char mark[] = "__csver__";
	const uint8_t *end = event->event->bytes + event->event->length;
	const uint8_t *name = (const uint8_t *)event->info->name + event->info->name_length + 1;

	return name < end && (size_t)(end - name) >= sizeof(mark) &&
	       !memcmp(name, mark, sizeof(mark) - 1);
}

int common_schema_is(struct event_attributes *attributes, const struct exported_event *event)
{
	if (!event->info || !has_mark(event))
		return 0;
	field_walk_begin(&attributes->walk, event->event);
	return field_walk_next(&attributes->walk) == WALK_VALUE &&
	       is_version(&attributes->walk.item);
}

void common_schema_read(struct event_attributes *attributes, struct schema_facts *facts,
			uint32_t kinds, const struct exported_event *event, struct bytes *to,
			enum otlp_field list)
{
	const struct reading reading = { attributes, facts, kinds, to, list };
	enum walk_kind kind;

	facts->texts.length = 0;
	facts->seen = 0;
	field_walk_begin(&attributes->walk, event->event);
	field_walk_next(&attributes->walk);
	while ((kind = field_walk_next(&attributes->walk)) != WALK_END) {
		const char part = part_of(kind, attributes->walk.item.name);

		if (part)
			read_part(&reading, part);
		else
			read_item(&reading, '\0', kind);
	}
	if (to)
		event_attributes_fault(attributes, to, list, event);
}
