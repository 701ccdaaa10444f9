/* SPDX-License-Identifier: MIT */
/*
 * Gives a target each file once, without libFuzzer; of golden files each event, with some
 * options. With --write DIR, writes the events there as a corpus instead. --and DIR adds
 * the files in DIR, which need not exist.
 */
#include <dirent.h>

#include "../support/golden.h"
#include "fuzz.h"

static uint8_t input[1 + 256 + GOLDEN_EVENT_MAX];
static const char *directory;
static int inputs;

static void write_input(const struct golden *golden, size_t size)
{
	const char *slash = strrchr(golden->file, '/');
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.%d", directory,
		 slash ? slash + 1 : golden->file, golden->line);
	file = fopen(path, "wb");
	PROMISE(file && fwrite(input, size, 1, file) == 1 && !fclose(file));
}

static void replay_event(const struct golden *golden, void *context)
{
	size_t name = strlen(golden->name) + 1, size = 1 + name + golden->length;

	(void)context;
	memcpy(input + 1, golden->name, name);
	memcpy(input + 1 + name, golden->bytes, golden->length);
	input[0] = (uint8_t)(golden->line * 2); /* any options */
	inputs++;
	if (directory) {
		write_input(golden, size);
		return;
	}
	for (unsigned int options = 0; options < 256; options += 14) {
		input[0] = (uint8_t)options;
		LLVMFuzzerTestOneInput(input, size);
	}
}

static void replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t size;

	PROMISE(file);
	size = fread(input, 1, sizeof(input), file);
	fclose(file);
	LLVMFuzzerTestOneInput(input, size);
	inputs++;
}

static void replay_directory(const char *path)
{
	DIR *files = opendir(path);
	struct dirent *entry;
	char file[4096];

	while (files && (entry = readdir(files))) {
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.')
			replay_file(file);
	}
	if (files)
		closedir(files);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		size_t length = strlen(argv[i]);

		if (!strcmp(argv[i], "--write") && i + 1 < argc)
			directory = argv[++i];
		else if (!strcmp(argv[i], "--and") && i + 1 < argc)
			replay_directory(argv[++i]);
		else if (length > 7 && !strcmp(argv[i] + length - 7, ".golden"))
			golden_read(argv[i], GOLDEN_FILE, replay_event, NULL);
		else
			replay_file(argv[i]);
	}
	printf("%sok 1 - %d inputs\n1..1\n", inputs ? "" : "not ", inputs);
	return inputs ? 0 : 1;
}
