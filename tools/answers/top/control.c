/* SPDX-License-Identifier: MIT */
/* Acts on keys. */
#include "control.h"

#include <stdint.h>
#include <string.h>

#include "answers/screen/screen.h"

const char *const control_help[] = {
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

void control_begin(struct control *control)
{
	for (int i = 0; i < VIEWS; i++)
		control->sorted[i] = views[i].order;
}

static int count_columns(enum view_kind view)
{
	int count = 0;

	while (views[view].columns[count].title)
		count++;
	return count;
}

/* As they are shown: figures from left to right, then the text, which is -1. */
static void move_order(struct control *control, int by)
{
	const int columns = count_columns(control->view) + 1;
	int *sorted = &control->sorted[control->view];

	*sorted = ((*sorted < 0 ? columns - 1 : *sorted) + by + columns) % columns;
	if (*sorted == columns - 1)
		*sorted = -1;
}

static void move_view(struct control *control, int by)
{
	control->view = (enum view_kind)(((int)control->view + by + VIEWS) % VIEWS);
}

static void scroll_up(struct control *control, size_t by)
{
	size_t *first = &control->first[control->view];

	*first -= by < *first ? by : *first;
}

/* The end is found when the lines are drawn. */
static void scroll_down(struct control *control, size_t by)
{
	size_t *first = &control->first[control->view];

	*first = *first > SIZE_MAX / 2 ? SIZE_MAX / 2 : *first + by;
}

/* The filter */

static void begin_typing(struct control *control)
{
	control->is_typing = 1;
	memcpy(control->typed, control->filter, sizeof(control->typed));
}

/* A character of UTF-8 goes as a whole. */
static void delete_last(struct control *control)
{
	size_t length = strlen(control->typed);

	while (length && (control->typed[--length] & 0xc0) == 0x80)
		;
	control->typed[length] = '\0';
}

static void type(struct control *control, int key)
{
	const size_t length = strlen(control->typed);

	if (key < ' ' || key > 0xff || length + 1 == sizeof(control->typed))
		return;
	control->typed[length] = (char)key;
	control->typed[length + 1] = '\0';
}

static void type_key(struct control *control, int key)
{
	switch (key) {
	case KEY_RETURN:
	case '\n':
		memcpy(control->filter, control->typed, sizeof(control->filter));
		memset(control->first, 0, sizeof(control->first));
		control->is_typing = 0;
		break;
	case KEY_ESCAPE:
		control->is_typing = 0;
		break;
	case KEY_DELETE:
	case KEY_CONTROL('h'):
		delete_last(control);
		break;
	case KEY_CONTROL('u'):
		control->typed[0] = '\0';
		break;
	default:
		type(control, key);
	}
}

/* Other keys */

static void scroll_key(struct control *control, int key, size_t page)
{
	switch (key) {
	case KEY_UP:
		scroll_up(control, 1);
		break;
	case KEY_DOWN:
		scroll_down(control, 1);
		break;
	case KEY_PAGE_UP:
		scroll_up(control, page);
		break;
	case KEY_PAGE_DOWN:
		scroll_down(control, page);
		break;
	case KEY_HOME:
		control->first[control->view] = 0;
		break;
	case KEY_END:
		scroll_down(control, SIZE_MAX / 2);
		break;
	}
}

static void order_key(struct control *control, int key)
{
	switch (key) {
	case 's':
	case '>':
		move_order(control, 1);
		break;
	case '<':
		move_order(control, -1);
		break;
	case 'r':
		control->reverse[control->view] ^= 1;
		break;
	}
}

static void view_key(struct control *control, int key)
{
	if (key >= '1' && key < '1' + VIEWS)
		control->view = (enum view_kind)(key - '1');
	else if (key == KEY_TAB || key == KEY_RIGHT)
		move_view(control, 1);
	else if (key == KEY_BACK_TAB || key == KEY_LEFT)
		move_view(control, -1);
}

static void mode_key(struct control *control, int key)
{
	switch (key) {
	case 'q':
		control->is_over = 1;
		break;
	case 'h':
	case '?':
		control->is_helping = 1;
		break;
	case 'p':
	case ' ':
		control->is_paused ^= 1;
		break;
	case '/':
		begin_typing(control);
		break;
	}
}

void control_key(struct control *control, int key, size_t page)
{
	if (key == KEY_CONTROL('c')) {
		control->is_over = 1;
	} else if (key == KEY_CONTROL('z')) {
		control->wants_stop = 1;
	} else if (control->is_typing) {
		type_key(control, key);
	} else if (control->is_helping) {
		control->is_helping = 0;
	} else {
		view_key(control, key);
		order_key(control, key);
		scroll_key(control, key, page);
		mode_key(control, key);
	}
}
