/* SPDX-License-Identifier: MIT */
/*
 * Requests for metrics: any bytes, as they arrive in pieces. Once a question is complete, more
 * bytes do not change it; and each has an answer of HTTP.
 */
#include "../../tools/collect/serve/metrics_server.h"
#include "fuzz.h"

static void check_answer(enum http_question question)
{
	static const char metrics[] = "up 1\n";
	struct bytes answer = { 0 }, text = { 0 };

	bytes_add(&text, metrics, sizeof(metrics) - 1);
	http_question_answer(&answer, question, &text);
	PROMISE(answer.length > 12 && !memcmp(answer.at, "HTTP/1.1 ", 9));
	PROMISE(memmem(answer.at, answer.length, "\r\n\r\n", 4));
	free(answer.at);
	free(text.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum http_question question = HTTP_QUESTION_PART, next;

	for (size_t length = 0; length <= size && length < 512; length++) {
		uint8_t *copy = malloc(length + !length);

		PROMISE(copy);
		memcpy(copy, data, length);
		next = http_question_read(copy, length);
		free(copy);
		PROMISE(question == HTTP_QUESTION_PART || question == next);
		question = next;
	}
	if (question != HTTP_QUESTION_PART)
		check_answer(question);
	return 0;
}
