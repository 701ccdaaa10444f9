/* SPDX-License-Identifier: MIT */
/*
 * Common parts of text and JSON. event.c walks an event once; a form holds the
 * differences of the two.
 */
#ifndef UE__RENDER_RENDER_H
#define UE__RENDER_RENDER_H

#include <userevents/decode/render.h>

#include "read/cursor.h"
#include "util/number_text.h"
#include "value.h"

struct ue__form;

struct ue__render {
	struct ue__bytes bytes;
	const struct ue__form *form;
	const struct ue_sample *sample;
	struct ue_eventheader_error *error; /* the caller's, or NULL */
	uint32_t flags; /* of the options, checked */
	uint32_t meta;	/* without members that the sample lacks */
	int is_first;	/* of its array, struct or object */
	int is_nameless; /* the next item, whatever it is */
	int is_event;	 /* not an item alone: it has members of its own */
	int is_nested;	 /* its fields have an object of their own */
};

/* A few characters; enough of them to be copied as one number. */
struct ue__mark {
	char text[7];
	uint8_t length;
};

#define UE__MARK(text) { text, sizeof(text) - 1 }

/* A form of text. The first character of a mark is for all but the first member. */
struct ue__form {
	const struct ue__form *spaced; /* the one for UE_RENDER_SPACE; NULL: no other */
	struct ue__mark separator; /* before an element, or a name of any bytes */
	struct ue__mark key;	   /* before a plain name */
	struct ue__mark end_key;   /* between name and value */
	struct ue__mark close;	   /* before a closing bracket */
	struct ue__mark quote;	   /* around a value that JSON quotes */
	enum ue__style quoted;	   /* the first style in quotes */
	uint8_t is_json;	   /* quotes around all names, brackets around an event */
	uint8_t is_compact;	   /* JSON without blanks: has a fast lane */
};

extern const struct ue__form ue__text UE__HIDDEN;
extern const struct ue__form ue__json UE__HIDDEN;

/* 0, -EINVAL or -E2BIG. */
int ue__render_begin(struct ue__render *render, const struct ue_render_opts *opts,
		     char *out, size_t size, const struct ue__form *form);

/* An event, whole: the length, or as ue_reader_to_json(). */
ptrdiff_t ue__render_event(struct ue__reader *reader, const struct ue_render_opts *opts,
			   char *out, size_t size, const struct ue__form *form);
/* The item that the reader is at, arrays and structs to their end. */
void ue__put_item(struct ue__render *render, struct ue__reader *reader);
/*
 * The member "meta", unless it would be empty. Nested: its members as those of the event,
 * without the error.
 */
void ue__put_meta(struct ue__render *render, const struct ue_event_info *info,
		  const struct ue_eventheader_error *error);
/* The member "error", if there is one. */
void ue__put_nested_error(struct ue__render *render,
			  const struct ue_eventheader_error *error);

/*
 * An event whose fields come from elsewhere than a reader: values, and arrays of
 * values of one size at their begin alone.
 */
struct ue__items {
	struct ue_event_info info;
	struct ue_eventheader_error error;
	/* the kind of the item, or 0 at the end; may set error */
	int (*next)(struct ue__items *items, struct ue_item *item);
};

ptrdiff_t ue__render_items(struct ue__items *items, const struct ue_render_opts *opts,
			   char *out, size_t size, const struct ue__form *form);

/* Tokens. Functions that take and return a place write into the room of the bytes. */

/* A name that needs no escapes; long enough to be copied whole. */
struct ue__name {
	char text[24];
	uint8_t length;
};

#define UE__NAME(literal)                                                          \
	({                                                                         \
		static const struct ue__name name = { literal, sizeof(literal) - 1 }; \
		&name;                                                             \
	})

static inline char *ue__put_mark(char *at, const struct ue__mark *mark)
{
	memcpy(at, mark->text, 4);
	return at + mark->length;
}

static inline char *ue__put_between(struct ue__render *render, char *at,
				    const struct ue__mark *mark)
{
	int first = render->is_first;

	render->is_first = 0;
	memcpy(at, mark->text + first, 4);
	return at + mark->length - first;
}

static inline char *ue__separator(struct ue__render *render, char *at)
{
	return ue__put_between(render, at, &render->form->separator);
}

static inline char *ue__key(struct ue__render *render, char *at,
			    const struct ue__name *name)
{
	at = ue__put_between(render, at, &render->form->key);
	memcpy(at, name->text, sizeof(name->text));
	return ue__put_mark(at + name->length, &render->form->end_key);
}

static inline void ue__open_bracket(struct ue__render *render, char *at, char bracket)
{
	*at++ = bracket;
	ue__bytes_used(&render->bytes, at);
	render->is_first = 1;
}

static inline void ue__close_bracket(struct ue__render *render, char bracket)
{
	char *at = ue__put_mark(ue__bytes_room(&render->bytes), &render->form->close);

	*at++ = bracket;
	ue__bytes_used(&render->bytes, at);
	render->is_first = 0;
}

/* A member that is a number. */
static inline char *ue__put_number(struct ue__render *render, char *at,
				   const struct ue__name *name, int64_t number)
{
	return ue__put_signed(ue__key(render, at, name), number);
}

/* The name of a field and its separator; begins and ends in the room. */
char *ue__put_name(struct ue__render *render, char *at, const struct ue_item *item);
/* A name that is a value: in quotes, but for a word in a line of text. */
char *ue__put_word(struct ue__render *render, char *at, const char *text, size_t length);
/* PROVIDER:EVENT, as the first member. */
void ue__put_n(struct ue__render *render, const struct ue_event_info *info);

/* Put as many members that are plain as are next; there may be none. */
void ue__json_plain_fields(struct ue__render *render, struct ue__reader *reader);

#endif
