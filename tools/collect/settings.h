/* SPDX-License-Identifier: MIT */
/* Settings of a collector, from the command line and a file. */
#ifndef UE__TOOLS_COLLECT_SETTINGS_H
#define UE__TOOLS_COLLECT_SETTINGS_H

#include "common/cli/options.h"
#include "export/tree/exported_event.h"
#include "record/store/file_series.h"

/* Files of recordings, of the kernel's events and of rings. */
#define KERNEL_FILES "events.perf.data"
#define RING_FILES "events.uecap"

struct settings {
	/* Values as they are given */
	const char *config;
	int is_check; /* of these settings alone */
	int is_rehearsal; /* the plan is printed, and not carried out */
	struct words globs;
	struct words definitions;
	struct words rings;
	const char *socket; /* programs ask for rings there; NULL: none do */
	const char *socket_mode;
	uint64_t socket_rings, socket_rings_of_user, socket_ring_size;
	const char *where;
	const char *record; /* a directory; NULL: nothing is recorded */
	const char *rotate;
	const char *keep_free;
	struct export_options to; /* its endpoint is NULL: nothing is exported */
	uint64_t queue;
	const char *queue_dir; /* a directory of files; NULL: the queue is in memory */
	uint64_t queue_size;
	const char *max_rate, *max_rate_of_provider, *max_rate_of_user;
	struct words metrics; /* files, and addresses of metrics_server.h */
	struct words metrics_labels; /* NAME=VALUE */
	uint64_t metrics_interval;
	const char *state; /* a file, or NULL */
	uint64_t process_losses; /* seconds between two looks; 0: none */
	uint64_t buffer;
	const char *tracefs;
	struct words texts; /* of a file, to which these refer */
	/* The same, parsed by settings_check() */
	struct where *expression; /* NULL: all events pass */
	uint64_t rate, rate_of_provider,
		rate_of_user; /* events of a second; 0: any number */
	uint64_t rotate_bytes, rotate_files;
	uint64_t socket_rights; /* of its file */
	struct free_space space;
};

int settings_check(struct settings *settings, const struct usage *usage);
/* Events come from rings, and not from the kernel. */
int settings_are_for_rings(const struct settings *settings);

/*
 * Take the options in a file, one in a line, as NAME = VALUE; the usage is
 * that of the settings. 0, or an exit status after a message with the number of the line.
 */
int config_file_read(const char *path, struct settings *settings, const struct usage *usage);
/* The same of its text, which is changed, and not needed afterwards. */
int config_file_take(char *text, const char *path, struct settings *settings,
		     const struct usage *usage);

/* Free its texts, to which other settings may refer, and the rest; no setting remains. */
void settings_free(struct settings *settings);

int words_differ(const struct words *one, const struct words *other);

/*
 * Whether an option has another value in the second settings; both are those of the usage,
 * given being where its options store.
 */
int settings_differ(const struct tool_option *option, const struct settings *given,
		    const struct settings *other);

/* A collector's settings as sentences, and the rights that this user lacks for them. */

/*
 * Print the plan of a collector with these settings, and a message for each right that
 * it lacks; nothing is made or changed, and the receiver is not asked. tracefs: its
 * directory, or NULL after a message. Returns an exit status: 1 if something is
 * lacking, 2 if the receiver's address is wrong.
 */
int plan_print(const struct settings *settings, const char *tracefs);

#endif
