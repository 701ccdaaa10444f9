/* SPDX-License-Identifier: MIT */
/* A SQLite database: in memory, in a new file, or one that was kept. */
#ifndef UE__TOOLS_QUERY_DATABASE_H
#define UE__TOOLS_QUERY_DATABASE_H

#include <sqlite3.h>

struct database {
	sqlite3 *handle;
	const char *path; /* the file to be written; NULL: in memory */
	const char *part; /* its name until it is complete; else NULL */
};

/* Whether it is a file that SQLite wrote. */
int database_is_kept(const char *path);
/*
 * An empty database that events are put into, in one transaction. With a path, the file
 * appears at database_finish(); until then the events are in another one beside it. A
 * file there is replaced if it is a database of this tool. 0, or -1 after a message.
 */
int database_create(struct database *database, const char *path);
/* Read a kept one. 0, or -1 after a message. */
int database_open(struct database *database, const char *path);
/* The events are complete: from here on it can only be read. 0, or -1 after a message. */
int database_finish(struct database *database);
/* A file that is not complete is removed. */
void database_close(struct database *database);

/* Run statements without results: 0, or -1 after a message. */
int database_run(struct database *database, const char *sql);
/* After a call failed while events were put into it: a message. Returns -1. */
int database_complain(const struct database *database);

#endif
