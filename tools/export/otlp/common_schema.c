/* SPDX-License-Identifier: MIT */
/* Reads members of records of Common Schema. */
#include "event_attributes.h"

#include <string.h>
#include <time.h>

#include "common/cli/memory.h"

/* Parses times of Common Schema. */

#define BILLION 1000000000

/* Digits of a part of a date: as many as the picture has. */
static int take_digits(const char **at, const char *end, int digits, int *number)
{
	*number = 0;
	for (; digits; digits--, (*at)++) {
		if (*at == end || **at < '0' || **at > '9')
			return 0;
		*number = 10 * *number + (**at - '0');
	}
	return 1;
}

static int take_mark(const char **at, const char *end, const char *marks)
{
	if (*at == end || !**at || !strchr(marks, **at))
		return 0;
	(*at)++;
	return 1;
}

/* timegm() takes 31 February for 3 March, or 2. */
static int is_day(const struct tm *tm)
{
	struct tm day = { .tm_year = tm->tm_year, .tm_mon = tm->tm_mon, .tm_mday = tm->tm_mday };

	timegm(&day);
	return day.tm_mday == tm->tm_mday && day.tm_mon == tm->tm_mon;
}

static int take_date(const char **at, const char *end, struct tm *tm)
{
	if (!take_digits(at, end, 4, &tm->tm_year) || !take_mark(at, end, "-") ||
	    !take_digits(at, end, 2, &tm->tm_mon) || !take_mark(at, end, "-") ||
	    !take_digits(at, end, 2, &tm->tm_mday) || !take_mark(at, end, "Tt ") ||
	    !take_digits(at, end, 2, &tm->tm_hour) || !take_mark(at, end, ":") ||
	    !take_digits(at, end, 2, &tm->tm_min) || !take_mark(at, end, ":") ||
	    !take_digits(at, end, 2, &tm->tm_sec))
		return 0;
	tm->tm_year -= 1900;
	tm->tm_mon -= 1;
	return is_day(tm) && tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec <= 60;
}

/* Digits beyond nanoseconds are dropped. */
static int64_t take_fraction(const char **at, const char *end)
{
	int64_t unit = BILLION, fraction = 0;

	if (!take_mark(at, end, "."))
		return 0;
	for (; *at < end && **at >= '0' && **at <= '9'; (*at)++) {
		unit /= 10;
		fraction += unit * (**at - '0');
	}
	return fraction;
}

/* "Z", or "+02:00"; in seconds. */
static int take_zone(const char **at, const char *end, int *offset)
{
	const int is_west = *at < end && **at == '-';
	int hours, minutes;

	*offset = 0;
	if (take_mark(at, end, "Zz"))
		return *at == end;
	if (!take_mark(at, end, "+-") || !take_digits(at, end, 2, &hours) ||
	    !take_mark(at, end, ":") || !take_digits(at, end, 2, &minutes) || hours > 23 ||
	    minutes > 59)
		return 0;
	*offset = (hours * 60 + minutes) * (is_west ? -60 : 60);
	return *at == end;
}

/* A text of RFC 3339, from 1970 to 2262, in nanoseconds since 1970: 1, or 0 if it is none. */
static int schema_time(const struct value *value, int64_t *time)
{
	struct tm tm = { 0 };
	const char *at = value->text, *end;
	int64_t seconds, fraction;
	int offset;

	if (value->type != VALUE_TEXT)
		return 0;
	end = at + value->length;
	if (!take_date(&at, end, &tm))
		return 0;
	fraction = take_fraction(&at, end);
	if (!take_zone(&at, end, &offset))
		return 0;
	seconds = timegm(&tm) - offset;
	if (seconds <= 0 || seconds >= INT64_MAX / BILLION)
		return 0;
	*time = seconds * BILLION + fraction;
	return 1;
}

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
	return trace_context_id(value, facts->trace, TRACE_ID_SIZE);
}

static int take_span(struct schema_facts *facts, const struct value *value)
{
	return !facts->has_no_trace && trace_context_id(value, facts->span, SPAN_ID_SIZE);
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
	return is_text(value, "") || trace_context_id(value, facts->parent, SPAN_ID_SIZE);
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

/* A hash has as many digits as the id of a span. */
static int may_take(const struct schema_member *member, const struct walk_item *item)
{
	return !item->is_redacted || (member->take != take_trace && member->take != take_span &&
				      member->take != take_parent);
}

/* The first of a name is taken. */
static int take_member(struct schema_facts *facts, uint32_t kinds, char part,
		       const struct walk_item *item)
{
	for (size_t i = 0; i < MEMBERS; i++) {
		if (members[i].part != part || !(members[i].kinds & kinds) ||
		    facts->seen & 1u << i || !is_name(item->name, members[i].name) ||
		    !may_take(&members[i], item) || !members[i].take(facts, &item->value))
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
