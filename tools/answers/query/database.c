/* SPDX-License-Identifier: MIT */
/*
 * Opens and closes databases.
 *
 * Questions only read: an authorizer refuses every other statement. A kept database may
 * come from anywhere, so its schema is not trusted: it cannot call functions with
 * effects, and its pages are checked before they are used.
 */
#include "event_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/message.h"

/* "UEvt", in the header of the file: this tool wrote it. */
#define APPLICATION_ID 0x55457674
#define APPLICATION_ID_AT 68
#define HEADER_SIZE 100

static const char magic[16] = "SQLite format 3";

/*
 * The first bytes of a regular file; returns their number. A pipe must not be opened
 * twice: its writer would see the first reader go.
 */
static size_t read_header(const char *path, uint8_t *header)
{
	struct stat status;
	ssize_t length;
	int fd;

	if (stat(path, &status) || !S_ISREG(status.st_mode))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;
	length = pread(fd, header, HEADER_SIZE, 0);
	close(fd);
	return length > 0 ? (size_t)length : 0;
}

int database_is_kept(const char *path)
{
	uint8_t header[HEADER_SIZE];

	return read_header(path, header) == HEADER_SIZE &&
	       !memcmp(header, magic, sizeof(magic));
}

static int is_own(const char *path)
{
	static const uint8_t id[4] = { APPLICATION_ID >> 24, APPLICATION_ID >> 16 & 0xff,
				       APPLICATION_ID >> 8 & 0xff,
				       APPLICATION_ID & 0xff };
	uint8_t header[HEADER_SIZE];

	return read_header(path, header) == HEADER_SIZE &&
	       !memcmp(header, magic, sizeof(magic)) &&
	       !memcmp(header + APPLICATION_ID_AT, id, sizeof(id));
}

/* NULL, or why the file must stay. */
static const char *why_not_replaced(const char *path)
{
	struct stat status;

	if (lstat(path, &status))
		return errno == ENOENT ? NULL : strerror(errno);
	if (S_ISLNK(status.st_mode))
		return "it is a symbolic link; name the file itself";
	if (!S_ISREG(status.st_mode))
		return "it is not a regular file";
	if (status.st_size && !is_own(path))
		return "it exists and is not a database of userevents; remove it, or "
		       "name another file";
	return NULL;
}

static int cannot_write(const struct database *database, const char *why)
{
	message("cannot write %s: %s", database->path, why);
	return -1;
}

/* The part, as a signal handler needs it. */
static char part_path[PATH_MAX];

static void on_end(int number)
{
	unlink(part_path);
	signal(number, SIG_DFL);
	raise(number);
}

/* The end of the tool removes the part. A signal that is ignored stays so. */
static void on_signals(void (*handler)(int number))
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (signal(numbers[i], handler) == SIG_IGN)
			signal(numbers[i], SIG_IGN);
}

/* Events may be secret, so only the owner may read the file. */
static int make_part(struct database *database)
{
	const char *why = why_not_replaced(database->path);
	int fd;

	if (why)
		return cannot_write(database, why);
	if (snprintf(part_path, sizeof(part_path), "%s.XXXXXX", database->path) >=
	    (int)sizeof(part_path))
		return cannot_write(database, strerror(ENAMETOOLONG));
	on_signals(on_end); /* mkostemp() completes the name before it creates the file */
	fd = mkostemp(part_path, O_CLOEXEC);
	if (fd < 0)
		return cannot_write(database, strerror(errno));
	close(fd);
	database->part = part_path;
	return 0;
}

int database_complain(const struct database *database)
{
	const char *why = sqlite3_errmsg(database->handle);

	if (database->path)
		return cannot_write(database, why);
	message("cannot keep the events in memory: %s; --db FILE keeps them in a file",
		why);
	return -1;
}

int database_run(struct database *database, const char *sql)
{
	return sqlite3_exec(database->handle, sql, NULL, NULL, NULL) ?
		       database_complain(database) :
		       0;
}

/* The tool has one thread; counting memory costs a tenth of the time. */
static int open_handle(struct database *database, const char *path, int flags)
{
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	if (sqlite3_open_v2(path, &database->handle, flags | SQLITE_OPEN_NOMUTEX, NULL) ||
	    sql_functions_add(database->handle))
		return -1;
	/* "x" is a name, and never text: a mistyped name is not found */
	sqlite3_db_config(database->handle, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(database->handle, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	sqlite3_limit(database->handle, SQLITE_LIMIT_ATTACHED, 0);
	return 0;
}

int database_create(struct database *database, const char *path)
{
	*database = (struct database){ .path = path };
	if (path && make_part(database))
		return -1;
	if (open_handle(database, path ? database->part : ":memory:",
			SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE))
		return database_complain(database);
	return database_run(
		database,
		"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		"PRAGMA locking_mode = EXCLUSIVE; PRAGMA page_size = 16384;"
		"PRAGMA cache_size = -65536; PRAGMA application_id = 1430615668;"
		"PRAGMA writable_schema = ON; BEGIN");
}

static int is_harmless_pragma(const char *name)
{
	static const char *const names[] = { "table_info", "table_xinfo", "table_list",
					     "function_list", "compile_options" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!sqlite3_stricmp(name, names[i]))
			return 1;
	return 0;
}

static int authorize(void *context, int action, const char *one, const char *two,
		     const char *three, const char *four)
{
	(void)context, (void)three, (void)four;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return two && !sqlite3_stricmp(two, "load_extension") ? SQLITE_DENY :
									SQLITE_OK;
	/*
	 * SQLite compiles this on behalf of pragma_table_info() and does not run it. For
	 * others the schema is defended.
	 */
	case SQLITE_UPDATE:
		return strcmp(one, "sqlite_master") ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_PRAGMA:
		return is_harmless_pragma(one) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

/* From here on questions can be asked, and nothing can be changed. */
static int protect(struct database *database)
{
	sqlite3 *handle = database->handle;

	sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	return sqlite3_exec(handle,
			    "PRAGMA query_only = ON; PRAGMA cell_size_check = ON;"
			    "PRAGMA temp_store = MEMORY",
			    NULL, NULL, NULL) ||
	       sqlite3_set_authorizer(handle, authorize, NULL);
}

int database_open(struct database *database, const char *path)
{
	*database = (struct database){ .handle = NULL };
	/* reading the schema finds a file that is damaged */
	if (!open_handle(database, path, SQLITE_OPEN_READONLY) && !protect(database) &&
	    !sqlite3_exec(database->handle, "SELECT 1 FROM sqlite_schema", NULL, NULL,
			  NULL))
		return 0;
	message("cannot read %s: %s", path, sqlite3_errmsg(database->handle));
	return -1;
}

int database_finish(struct database *database)
{
	if (database_run(database, "PRAGMA writable_schema = OFF; COMMIT"))
		return -1;
	if (database->part && rename(database->part, database->path))
		return cannot_write(database, strerror(errno));
	if (database->part)
		on_signals(SIG_DFL);
	database->part = NULL;
	return protect(database) ? database_complain(database) : 0;
}

void database_close(struct database *database)
{
	sqlite3_close_v2(database->handle);
	if (database->part)
		unlink(database->part);
	*database = (struct database){ .handle = NULL };
}
