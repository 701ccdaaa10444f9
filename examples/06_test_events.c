/* SPDX-License-Identifier: MIT */
/*
 * cc 06_test_events.c $(pkg-config --cflags --libs libuserevents-decode) -o test_events
 *
 * A unit test of code that writes events. It runs anywhere, without root and without
 * kernel support, and prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <userevents/capture.h>
#include <userevents/userevents.h>

/* The code under test. */

UE_EVENT(request_done, UE_U32(status), UE_STRING(path));
UE_EVENT(cache_miss, UE_STRING(key));

UE_PROVIDER(shop, "MyCompany_Shop");
UE_TRACEPOINT(orders, shop, UE_LEVEL_INFORMATION, 0x1);
UE_EVENTHEADER(orders, order_placed, UE_U64(order), UE_F64(total));

static int serve(int events, const char *path)
{
	int status = path[0] == '/' ? 200 : 400;

	if (status == 200)
		UE_WRITE(events, cache_miss, path + 1);
	UE_WRITE(events, request_done, (uint32_t)status, path);
	return status;
}

static void place_order(int events, uint64_t order)
{
	UE_WRITE(events, order_placed, order, 99.5);
}

/* The tests. */

static struct ue_capture *capture;
static int number;

static void check(int is_right, const char *what)
{
	printf("%s %d - %s\n", is_right ? "ok" : "not ok", ++number, what);
}

/* Compares the next event as text: the shortest form of an expectation. */
static void next_is(const char *expected)
{
	const char *line = ue_capture_line(capture);

	check(!strcmp(line, expected), *expected ? expected : "no more events");
	if (strcmp(line, expected))
		printf("# got: %s\n", line);
}

static void a_request_writes_its_events(int events)
{
	serve(events, "/index.html");
	next_is("user_events:cache_miss key=\"index.html\"");
	next_is("user_events:request_done status=200 path=\"/index.html\"");
	next_is("");
}

static void an_order_writes_its_event(int events)
{
	place_order(events, 17);
	next_is("MyCompany_Shop:order_placed order=17 total=99.5");
	next_is("");
}

/* A test can also check a single field. */
static void a_bad_request_has_status_400(int events)
{
	struct ue_captured event;
	struct ue_item item;
	uint64_t status = 0;

	serve(events, "index.html");
	if (ue_capture_next(capture, &event) == 1 &&
	    ue_captured_field(&event, "status", &item) == UE_ITEM_VALUE)
		ue_value_u64(&item.value, &status);
	check(status == 400, "a bad request has status 400");
}

static void a_disabled_event_is_not_written(int events)
{
	ue_capture_disable(capture, "cache_*");
	serve(events, "/");
	next_is("user_events:request_done status=200 path=\"/\"");
	next_is("");
	ue_capture_enable(capture, "cache_*");
}

int main(void)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };
	int error = ue_capture_open(NULL, &capture);
	int events;

	if (error) {
		printf("1..0 # no capture: %s\n", strerror(-error));
		return 1;
	}
	opts.fd = ue_capture_writer_fd(capture);
	events = ue_open(&opts);
	ue_register_all(events);

	a_request_writes_its_events(events);
	an_order_writes_its_event(events);
	a_bad_request_has_status_400(events);
	a_disabled_event_is_not_written(events);

	ue_close(events);
	ue_capture_close(capture);
	printf("1..%d\n", number);
	return 0;
}
