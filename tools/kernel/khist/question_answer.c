/* SPDX-License-Identifier: MIT */
/* Prints the answer to a question, and what makes it wrong. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/message.h"
#include "kernel_question.h"
#include "common/text/json_text.h"

static void put_json(const struct question *question, const struct look *look,
		     void (*add_json)(void *context, struct bytes *json), void *context,
		     struct bytes *json)
{
	json_open(json, NULL, '{');
	add_json(context, json);
	json_string(json, "bucketWidth", question->options->buckets);
	json_count(json, "dropped", look->table.dropped);
	picture_json(&look->picture, json);
	json_close(json, '}');
	bytes_add(json, "\n", 1);
}

static int write_svg(const char *path, const struct look *look)
{
	FILE *file = fopen(path, "we");
	struct bytes svg = { .length = 0 };
	int failed = !file;

	picture_svg(&look->picture, &svg);
	if (file) {
		failed = fwrite(svg.at, 1, svg.length, file) != svg.length;
		failed |= fclose(file) != 0;
	}
	if (failed)
		message("cannot write %s: %s", path, strerror(errno));
	bytes_free(&svg);
	return failed;
}

/* Report events that the histograms of the question could not hold. */
static int report_dropped(const struct question *question, const struct look *look)
{
	if (!look->table.dropped)
		return 0;
	message("cannot %s: %" PRIu64 " events were dropped, as a histogram of the size %" PRIu64
		" holds no more different values; give %swider --buckets, or ask in user space "
		"with \"userevents %s\"", question->verb, look->table.dropped,
		question_size(question),
		question_size(question) < QUESTION_SIZE_MOST ? "a larger --size, or " : "",
		question->in_user_space);
	return 1;
}

int question_answer(struct question *question, const struct look *look,
		    void (*add_json)(void *context, struct bytes *json), void *context)
{
	struct bytes out = { .length = 0 };
	int failed = report_dropped(question, look);

	if (question->options->is_json)
		put_json(question, look, add_json, context, &out);
	else
		picture_put(&look->picture, &out);
	bytes_print(&out);
	bytes_free(&out);
	if (question->options->svg)
		failed |= write_svg(question->options->svg, look);
	if (!look->is_damaged)
		return failed;
	message("cannot %s: the kernel's histogram cannot be read; texts of events may look like "
		"its lines", question->verb);
	return 1;
}
