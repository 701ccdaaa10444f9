/* SPDX-License-Identifier: MIT */
/* Acts on keys. */
#include "top.h"

#include <stdint.h>
#include <string.h>

#include "answers/screen/screen.h"

const char *const choices_help[] = {
	"1 2 3 4 5, Tab    view: events, processes, threads, activities, open activities",
	"s, <, >           sort by the next column, by the one before it, after it",
	"r                 reverse the order",
	"/                 filter: a glob for names or numbers, or a part of a name; empty: all",
	"p, blank          pause, and go on",
	"arrows, PgUp, PgDn, Home, End   scroll",
	"Ctrl-L            draw anew",
	"Ctrl-Z            suspend",
	"h, ?              this help",
	"q, Ctrl-C         quit",
	NULL,
};

void choices_begin(struct choices *choices)
{
	for (int i = 0; i < VIEWS; i++)
		choices->sorted[i] = views[i].order;
}

static int count_columns(enum view_kind view)
{
	int count = 0;

	while (views[view].columns[count].title)
		count++;
	return count;
}

/* The order on the screen: figures from left to right, then the text, which is -1. */
static void move_order(struct choices *choices, int by)
{
	const int columns = count_columns(choices->view) + 1;
	int *sorted = &choices->sorted[choices->view];

	*sorted = ((*sorted < 0 ? columns - 1 : *sorted) + by + columns) % columns;
	if (*sorted == columns - 1)
		*sorted = -1;
}

static void move_view(struct choices *choices, int by)
{
	choices->view = (enum view_kind)(((int)choices->view + by + VIEWS) % VIEWS);
}

static void scroll_up(struct choices *choices, size_t by)
{
	size_t *first = &choices->first[choices->view];

	*first -= by < *first ? by : *first;
}

/* The end is found when the lines are drawn. */
static void scroll_down(struct choices *choices, size_t by)
{
	size_t *first = &choices->first[choices->view];

	*first = *first > SIZE_MAX / 2 ? SIZE_MAX / 2 : *first + by;
}

/* The filter */

static void begin_typing(struct choices *choices)
{
	choices->is_typing = 1;
	memcpy(choices->typed, choices->filter, sizeof(choices->typed));
}

/* A character of UTF-8 goes as a whole. */
static void delete_last(struct choices *choices)
{
	size_t length = strlen(choices->typed);

	while (length && (choices->typed[--length] & 0xc0) == 0x80)
		;
	choices->typed[length] = '\0';
}

static void type(struct choices *choices, int key)
{
	const size_t length = strlen(choices->typed);

	if (key < ' ' || key > 0xff || length + 1 == sizeof(choices->typed))
		return;
	choices->typed[length] = (char)key;
	choices->typed[length + 1] = '\0';
}

static void type_key(struct choices *choices, int key)
{
	switch (key) {
	case KEY_RETURN:
	case '\n':
		memcpy(choices->filter, choices->typed, sizeof(choices->filter));
		memset(choices->first, 0, sizeof(choices->first));
		choices->is_typing = 0;
		break;
	case KEY_ESCAPE:
		choices->is_typing = 0;
		break;
	case KEY_DELETE:
	case KEY_CONTROL('h'):
		delete_last(choices);
		break;
	case KEY_CONTROL('u'):
		choices->typed[0] = '\0';
		break;
	default:
		type(choices, key);
	}
}

/* Other keys */

static void scroll_key(struct choices *choices, int key, size_t page)
{
	switch (key) {
	case KEY_UP:
		scroll_up(choices, 1);
		break;
	case KEY_DOWN:
		scroll_down(choices, 1);
		break;
	case KEY_PAGE_UP:
		scroll_up(choices, page);
		break;
	case KEY_PAGE_DOWN:
		scroll_down(choices, page);
		break;
	case KEY_HOME:
		choices->first[choices->view] = 0;
		break;
	case KEY_END:
		scroll_down(choices, SIZE_MAX / 2);
		break;
	}
}

static void order_key(struct choices *choices, int key)
{
	switch (key) {
	case 's':
	case '>':
		move_order(choices, 1);
		break;
	case '<':
		move_order(choices, -1);
		break;
	case 'r':
		choices->reverse[choices->view] ^= 1;
		break;
	}
}

static void view_key(struct choices *choices, int key)
{
	if (key >= '1' && key < '1' + VIEWS)
		choices->view = (enum view_kind)(key - '1');
	else if (key == KEY_TAB || key == KEY_RIGHT)
		move_view(choices, 1);
	else if (key == KEY_BACK_TAB || key == KEY_LEFT)
		move_view(choices, -1);
}

static void mode_key(struct choices *choices, int key)
{
	switch (key) {
	case 'q':
		choices->is_over = 1;
		break;
	case 'h':
	case '?':
		choices->is_helping = 1;
		break;
	case 'p':
	case ' ':
		choices->is_paused ^= 1;
		break;
	case '/':
		begin_typing(choices);
		break;
	}
}

void choices_key(struct choices *choices, int key, size_t page)
{
	if (key == KEY_CONTROL('c')) {
		choices->is_over = 1;
	} else if (key == KEY_CONTROL('z')) {
		choices->wants_stop = 1;
	} else if (choices->is_typing) {
		type_key(choices, key);
	} else if (choices->is_helping) {
		choices->is_helping = 0;
	} else {
		view_key(choices, key);
		order_key(choices, key);
		scroll_key(choices, key, page);
		mode_key(choices, key);
	}
}
