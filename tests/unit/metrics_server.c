/* SPDX-License-Identifier: MIT */
/* The server of metrics, and clients that ask and do not read. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "collect/serve/metrics_server.h"
#include "test.h"

#define PAGE (3u << 20)

static char folder[] = "/tmp/ue-metrics-XXXXXX";
static struct metrics_server *server;
static struct sockaddr_un address = { .sun_family = AF_UNIX };

static void add_page(void *context, struct bytes *text)
{
	(void)context;
	memset(bytes_room(text, PAGE), 'x', PAGE);
	text->length += PAGE;
}

static int begin(void **state)
{
	char *word;
	const char *words[1];
	const struct words addresses = { .items = words, .count = 1 };

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	word = xprintf("unix:%s/socket", folder);
	strcpy(address.sun_path, word + 5);
	words[0] = word;
	server = metrics_server_new(add_page, NULL);
	if (metrics_server_listen(server, &addresses))
		return -1;
	free(word);
	return 0;
}

static int end(void **state)
{
	(void)state;
	metrics_server_free(server);
	return rmdir(folder);
}

static int ask(void)
{
	static const char request[] = "GET /metrics HTTP/1.1\r\n\r\n";
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(write(fd, request, sizeof(request) - 1), sizeof(request) - 1);
	for (int i = 0; i < 4; i++)
		metrics_server_serve(server);
	return fd;
}

/* How much arrives until the server ends the connection. */
static size_t read_all(int fd)
{
	static char bytes[65536];
	size_t sum = 0;
	ssize_t count;

	while ((count = recv(fd, bytes, sizeof(bytes), 0)) > 0) {
		sum += (size_t)count;
		metrics_server_serve(server);
	}
	close(fd);
	return sum;
}

static void answers_that_are_not_read_are_few(void **state)
{
	int clients[SERVE_CLIENTS];
	size_t whole = 0;

	(void)state;
	for (size_t i = 0; i < SERVE_CLIENTS; i++)
		clients[i] = ask();
	for (size_t i = 0; i < SERVE_CLIENTS; i++)
		whole += read_all(clients[i]) > PAGE;
	assert_uint_in_range(whole, 1, SERVE_ANSWER_BYTES / PAGE + 1);
}

static void a_client_that_reads_has_the_whole_answer(void **state)
{
	(void)state;
	for (size_t i = 0; i < SERVE_CLIENTS; i++)
		assert_true(read_all(ask()) > PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_that_are_not_read_are_few),
		cmocka_unit_test(a_client_that_reads_has_the_whole_answer),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
