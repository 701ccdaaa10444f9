/* SPDX-License-Identifier: MIT */
/* Draws histograms with a bar a row. */
#include "bars.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/cli/safe_text.h"

#define COLUMNS_USUAL 80
#define BAR_LEAST 10
#define BAR_MOST 60

#define CYAN "\x1b[36m"
#define PLAIN "\x1b[0m"

static int is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	int result = 0;

	if (locale)
		result = !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
	if (locale)
		freelocale(locale);
	return result;
}

void canvas_begin(struct canvas *canvas)
{
	struct winsize size = { 0 };

	canvas->has_blocks = is_utf8();
	canvas->has_colour = terminal_has_colour(STDOUT_FILENO);
	canvas->columns = COLUMNS_USUAL;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		canvas->columns = size.ws_col;
}

/* Limits of rows: "200", "200 .. 299", or "1.5 .. 2" for numbers of 1.5 and more below 2. */

struct labels {
	char low[BAR_ROWS_MAX][QUANTITY_TEXT_MAX];
	char high[BAR_ROWS_MAX][QUANTITY_TEXT_MAX]; /* "": one number */
	int low_width, high_width, count_width;
};

static int widest(int width, const char *text)
{
	const int length = (int)strlen(text);

	return length > width ? length : width;
}

static void make_labels(const struct histogram *histogram, const struct bar_rows *rows,
			enum unit unit, struct labels *labels)
{
	const int is_whole = !histogram->has_floats && unit == UNIT_NONE;
	const double least = value_as_double(&histogram->least);
	const int is_one = least == value_as_double(&histogram->greatest);
	char count[QUANTITY_TEXT_MAX];

	*labels = (struct labels){ .low_width = 0 };
	for (size_t i = 0; i < rows->count; i++) {
		const double low = is_whole ? ceil(rows->edges[i]) : rows->edges[i];
		const double high = is_whole ? ceil(rows->edges[i + 1]) - 1 : rows->edges[i + 1];

		quantity_text(labels->low[i], is_one ? least : low, unit);
		if (high > low && !is_one)
			quantity_text(labels->high[i], high, unit);
		snprintf(count, sizeof(count), "%llu", (unsigned long long)rows->counts[i]);
		labels->low_width = widest(labels->low_width, labels->low[i]);
		labels->high_width = widest(labels->high_width, labels->high[i]);
		labels->count_width = widest(labels->count_width, count);
	}
}

/* Bars */

/* eighths: of characters. */
static void put_blocks(unsigned int eighths, struct bytes *to)
{
	static const char *const parts[] = { "", "\u258f", "\u258e", "\u258d",
					     "\u258c", "\u258b", "\u258a", "\u2589" };

	for (; eighths >= 8; eighths -= 8)
		bytes_add(to, "\u2588", 3);
	bytes_add(to, parts[eighths], strlen(parts[eighths]));
}

static void put_marks(unsigned int eighths, struct bytes *to)
{
	unsigned int marks = (eighths + 4) / 8;

	for (marks = marks ? marks : 1; marks; marks--)
		bytes_add(to, "#", 1);
}

void bar_put(double share, int columns, const struct canvas *canvas, struct bytes *to)
{
	unsigned int eighths = (unsigned int)lround(share * columns * 8);

	if (share <= 0)
		return;
	bytes_add(to, "  ", 2);
	if (canvas->has_colour)
		bytes_add(to, CYAN, strlen(CYAN));
	if (canvas->has_blocks)
		put_blocks(eighths ? eighths : 1, to);
	else
		put_marks(eighths, to);
	if (canvas->has_colour)
		bytes_add(to, PLAIN, strlen(PLAIN));
}

static int bar_columns(const struct labels *labels, const struct canvas *canvas)
{
	const int taken = 2 + labels->low_width + 4 + labels->high_width + 2 +
			  labels->count_width + 2;
	const int left = canvas->columns - 1 - taken;

	return left < BAR_LEAST ? BAR_LEAST : left > BAR_MOST ? BAR_MOST : left;
}

static uint64_t most_of(const struct bar_rows *rows)
{
	uint64_t most = 0;

	for (size_t i = 0; i < rows->count; i++)
		if (rows->counts[i] > most)
			most = rows->counts[i];
	return most;
}

static void put_label(const struct labels *labels, size_t row, uint64_t count,
		      struct bytes *to)
{
	char text[3 * QUANTITY_TEXT_MAX + 20];
	const int has_high = *labels->high[row] != '\0';

	bytes_add(to, text, (size_t)snprintf(text, sizeof(text), "  %*s%s%*s  %*llu",
					     labels->low_width, labels->low[row],
					     has_high ? " .. " : labels->high_width ? "    " : "",
					     labels->high_width, labels->high[row],
					     labels->count_width, (unsigned long long)count));
}

void bars_put(const struct histogram *histogram, enum unit unit,
	      const struct canvas *canvas, struct bytes *to)
{
	struct bar_rows rows;
	struct labels labels;

	bar_rows_make(histogram, &rows);
	make_labels(histogram, &rows, unit, &labels);
	for (size_t i = 0; i < rows.count; i++) {
		put_label(&labels, i, rows.counts[i], to);
		bar_put((double)rows.counts[i] / (double)most_of(&rows),
			bar_columns(&labels, canvas), canvas, to);
		bytes_add(to, "\n", 1);
	}
}
