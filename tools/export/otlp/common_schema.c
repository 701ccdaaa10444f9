/* SPDX-License-Identifier: MIT */
/* Reads members of records of Common Schema. */
#include "event_attributes.h"

#include <stddef.h>
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

enum schema_taking {
	TAKE_TEXT,
	TAKE_NUMBER,
	TAKE_TIME,
	TAKE_ID,
	TAKE_TYPE,
	TAKE_BODY,
};

#define EITHER (SCHEMA_LOG | SCHEMA_SPAN)
#define FACT(name) offsetof(struct schema_facts, name)

static const struct schema_member {
	char part;
	const char *name;
	uint32_t kinds;
	enum schema_taking taking;
	size_t fact;
	uint64_t most; /* of a number; the size of an id */
} members[] = {
	{ 'A', "time", EITHER, TAKE_TIME, FACT(time), 0 },
	{ 'A', "name", EITHER, TAKE_TEXT, FACT(part_a_name), 0 },
	{ 'A', "ext_dt_traceId", EITHER, TAKE_ID, FACT(trace), TRACE_ID_SIZE },
	{ 'A', "ext_dt_spanId", EITHER, TAKE_ID, FACT(span), SPAN_ID_SIZE },
	{ 'A', "ext_dt_traceFlags", EITHER, TAKE_NUMBER, FACT(flags), 0xff },
	{ 'B', "_typeName", EITHER, TAKE_TYPE, 0, 0 },
	{ 'B', "name", EITHER, TAKE_TEXT, FACT(name), 0 },
	{ 'B', "body", SCHEMA_LOG, TAKE_BODY, 0, 0 },
	{ 'B', "severityNumber", SCHEMA_LOG, TAKE_NUMBER, FACT(severity), SEVERITY_MAX },
	{ 'B', "severityText", SCHEMA_LOG, TAKE_TEXT, FACT(severity_text), 0 },
	{ 'B', "parentId", SCHEMA_SPAN, TAKE_ID, FACT(parent), SPAN_ID_SIZE },
	{ 'B', "startTime", SCHEMA_SPAN, TAKE_TIME, FACT(start), 0 },
	{ 'B', "kind", SCHEMA_SPAN, TAKE_NUMBER, FACT(kind), 4 },
	{ 'B', "success", SCHEMA_SPAN, TAKE_NUMBER, FACT(has_succeeded), UINT64_MAX },
	{ 'B', "statusMessage", SCHEMA_SPAN, TAKE_TEXT, FACT(status_message), 0 },
};

static int take_body(struct schema_facts *facts, const struct value *value)
{
	facts->body = *value;
	if (value->type == VALUE_TEXT || value->type == VALUE_BYTES)
		facts->body_text = keep_text(facts, value);
	return value->type != VALUE_NONE;
}

/* The id of a parent is "" if there is none; 0 is no severity. */
static int take(struct schema_facts *facts, const struct schema_member *member,
		const struct value *value)
{
	void *fact = (char *)facts + member->fact;
	uint64_t *number = fact;

	switch (member->taking) {
	case TAKE_TEXT:
		return take_text(facts, value, fact);
	case TAKE_NUMBER:
		return take_number(value, number) && *number <= member->most &&
		       (*number || number != &facts->severity);
	case TAKE_TIME:
		return schema_time(value, fact);
	case TAKE_ID:
		return (fact == facts->parent && is_text(value, "")) ||
		       trace_context_id(value, fact, member->most);
	case TAKE_TYPE:
		facts->has_span_type = is_text(value, "Span");
		return facts->has_span_type || is_text(value, "Log");
	case TAKE_BODY:
		return take_body(facts, value);
	}
	return 0;
}

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
static int may_take(const struct schema_facts *facts, const struct schema_member *member,
		    const struct walk_item *item)
{
	const int is_of_trace = member->fact == FACT(span) || member->fact == FACT(flags);

	return !(item->is_redacted && member->taking == TAKE_ID) &&
	       !(facts->has_no_trace && is_of_trace);
}

/* The first of a name is taken. */
static int take_member(struct schema_facts *facts, uint32_t kinds, char part,
		       const struct walk_item *item)
{
	for (size_t i = 0; i < MEMBERS; i++) {
		if (members[i].part != part || !(members[i].kinds & kinds) ||
		    facts->seen & 1u << i || !is_name(item->name, members[i].name) ||
		    !may_take(facts, &members[i], item) ||
		    !take(facts, &members[i], &item->value))
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
