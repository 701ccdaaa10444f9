/* SPDX-License-Identifier: MIT */
/* Makes sockets that listen. */
#include "metrics_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

#define SOCKET_FLAGS (SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK)
#define BACKLOG 128
static const char unix_prefix[] = "unix:";

static const char *unix_path(const char *text)
{
	const size_t length = strlen(unix_prefix);

	return strncmp(text, unix_prefix, length) ? NULL : text + length;
}

int listen_address_is(const char *text)
{
	const char *colon = strrchr(text, ':');

	if (unix_path(text))
		return 1;
	return colon && !strchr(text, '/') && colon[1] &&
	       !colon[1 + strspn(colon + 1, "0123456789")];
}

int listen_address_is_wrong(const char *text)
{
	return !listen_address_is(text) && (*text == ':' || strstr(text, "://") ||
					    !text[strspn(text, "0123456789")]);
}

static int fail(const char *text, const char *reason)
{
	message("cannot listen on %s: %s", text, reason);
	return -1;
}

static int fail_with(const char *text, int error)
{
	return fail(text, error == EADDRINUSE ? "Address already in use; stop what has it, or "
						"name another one" : strerror(error));
}

/* Unix sockets */

/* Whether it is a socket on which nothing listens; connecting to other files fails alike. */
static int is_left(const struct sockaddr_un *address)
{
	struct stat status;
	int fd, is_refused;

	if (lstat(address->sun_path, &status) || !S_ISSOCK(status.st_mode))
		return 0;
	fd = socket(AF_UNIX, SOCKET_FLAGS, 0);
	if (fd < 0)
		return 0;
	is_refused = connect(fd, (const struct sockaddr *)address, sizeof(*address)) &&
		     errno == ECONNREFUSED;
	close(fd);
	return is_refused;
}

/* A collector that was killed left its file. */
static int bind_unix(int fd, const struct sockaddr_un *address)
{
	const struct sockaddr *to = (const struct sockaddr *)address;

	if (!bind(fd, to, sizeof(*address)))
		return 0;
	if (errno != EADDRINUSE)
		return -1;
	if (is_left(address)) {
		unlink(address->sun_path);
		return bind(fd, to, sizeof(*address));
	}
	errno = EADDRINUSE;
	return -1;
}

static int open_unix(const char *text, const char *path, struct stat *file)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	mode_t mask;
	int fd, is_bound;

	if (*path != '/' || strlen(path) >= sizeof(address.sun_path))
		return fail(text, "the path must begin with / and be shorter than 108 bytes");
	memcpy(address.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCKET_FLAGS, 0);
	if (fd < 0)
		return fail_with(text, errno);
	/* as the file of metrics, any user may read it */
	mask = umask(0);
	is_bound = !fchmod(fd, 0666) && !bind_unix(fd, &address);
	umask(mask);
	if (is_bound && !listen(fd, BACKLOG) && !lstat(path, file))
		return fd;
	fail_with(text, errno);
	close(fd);
	return -1;
}

/* TCP */

/* HOST of HOST:PORT or [HOST]:PORT; to be freed. */
static char *host_of(const char *text)
{
	const size_t length = (size_t)(strrchr(text, ':') - text);

	if (!length || (length == 9 && !strncmp(text, "localhost", 9)))
		return xstrdup("127.0.0.1");
	if (*text == '[' && length > 1 && text[length - 1] == ']')
		return xstrndup(text + 1, length - 2);
	return xstrndup(text, length);
}

union tcp_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Its length; 0: it is none. */
static socklen_t parse_tcp(const char *host, const char *port, union tcp_address *address)
{
	const int number = strlen(port) > 5 ? 65536 : atoi(port);

	memset(address, 0, sizeof(*address));
	if (number > 65535)
		return 0;
	if (inet_pton(AF_INET, host, &address->v4.sin_addr) == 1) {
		address->v4.sin_family = AF_INET;
		address->v4.sin_port = htons((uint16_t)number);
		return sizeof(address->v4);
	}
	if (inet_pton(AF_INET6, host, &address->v6.sin6_addr) != 1)
		return 0;
	address->v6.sin6_family = AF_INET6;
	address->v6.sin6_port = htons((uint16_t)number);
	return sizeof(address->v6);
}

static int listen_tcp(const union tcp_address *address, socklen_t length)
{
	const int on = 1;
	int fd = socket(address->any.sa_family, SOCKET_FLAGS, 0), error;

	if (fd < 0)
		return -1;
	if (!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) &&
	    !bind(fd, &address->any, length) && !listen(fd, BACKLOG))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

static int open_tcp(const char *text)
{
	AUTO_FREE char *host = host_of(text);
	union tcp_address address;
	const socklen_t length = parse_tcp(host, strrchr(text, ':') + 1, &address);
	int fd;

	if (!length)
		return fail(text, "it is no address; write it as 127.0.0.1:9464, [::1]:9464 or "
			    "unix:/PATH");
	fd = listen_tcp(&address, length);
	return fd < 0 ? fail_with(text, errno) : fd;
}

int listen_address_open(const char *text, struct stat *file)
{
	const char *path = unix_path(text);

	return path ? open_unix(text, path, file) : open_tcp(text);
}

void listen_address_close(const char *text, int fd, const struct stat *file)
{
	const char *path = unix_path(text);
	struct stat now;

	if (path && !lstat(path, &now) && now.st_dev == file->st_dev &&
	    now.st_ino == file->st_ino)
		unlink(path);
	close(fd);
}
