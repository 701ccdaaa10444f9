/* SPDX-License-Identifier: MIT */
/* Prints findings as lines of text or JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "report.h"

const char *doctor_path(const struct doctor *doctor, const char *path)
{
	return xprintf("%s%s", doctor->root, path);
}

char *doctor_read(const struct doctor *doctor, const char *path)
{
	size_t length;
	char *text = read_file(doctor_path(doctor, path), &length);

	if (text && length && text[length - 1] == '\n')
		text[length - 1] = '\0';
	return text;
}

static const char *const answers[] = {
	[UE_ANSWER_NOT_ASKED] = "not asked",
	[UE_ANSWER_YES] = "yes",
	[UE_ANSWER_NO] = "no",
	[UE_ANSWER_UNKNOWN] = "unknown",
};

static void member(const char *key, const char *text)
{
	json_member(key, text, strlen(text), 0);
}

static void print_json(const struct finding *finding)
{
	putchar('{');
	json_member("check", finding->check, strlen(finding->check), 1);
	member("answer", answers[finding->answer]);
	printf(",\"problem\":%s", finding->is_problem ? "true" : "false");
	member("fact", finding->fact);
	if (finding->meaning)
		member("meaning", finding->meaning);
	if (finding->fix)
		member("fix", finding->fix);
	fputs("}\n", stdout);
}

enum mark { OK, WRONG, UNKNOWN, NOTE };

static const struct {
	const char *text;
	const char *colour;
} marks[] = {
	[OK] = { "ok", "\x1b[32m" },
	[WRONG] = { "!!", "\x1b[1;31m" },
	[UNKNOWN] = { "??", "\x1b[33m" },
	[NOTE] = { "--", "\x1b[2m" },
};

static enum mark mark_of(const struct finding *finding)
{
	if (finding->is_problem)
		return WRONG;
	if (finding->answer == UE_ANSWER_UNKNOWN)
		return UNKNOWN;
	return finding->answer == UE_ANSWER_YES ? OK : NOTE;
}

static void print_text(const struct doctor *doctor, const struct finding *finding)
{
	enum mark mark = mark_of(finding);

	printf("%s%s%s ", doctor->has_colour ? marks[mark].colour : "", marks[mark].text,
	       doctor->has_colour ? "\x1b[0m" : "");
	controls_print(finding->fact, strlen(finding->fact)); /* it may have names */
	printf("%s%s.\n", finding->meaning ? ": " : "", finding->meaning ? finding->meaning : "");
	if (finding->fix)
		printf("   $ %s\n", finding->fix);
}

static void doctor_report(struct doctor *doctor, const struct finding *finding)
{
	doctor->problems += finding->is_problem;
	if (doctor->is_json)
		print_json(finding);
	else
		print_text(doctor, finding);
}

void doctor_note(struct doctor *doctor, const char *check, enum ue_answer answer,
		 const char *fact, const char *meaning, const char *fix)
{
	doctor_report(doctor, &(struct finding){ check, answer, 0, fact, meaning, fix });
}

void doctor_problem(struct doctor *doctor, const char *check, enum ue_answer answer,
		    const char *fact, const char *meaning, const char *fix)
{
	doctor_report(doctor, &(struct finding){ check, answer, 1, fact, meaning, fix });
}
