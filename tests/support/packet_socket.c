/* SPDX-License-Identifier: MIT */
#include "packet_socket.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include <userevents/abi/event_state.h>

#include "state/binding.h"

static const uint32_t write_index = 7;

int ends[2];
unsigned char got[16384];

int open_socket(void)
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends);
}

int close_socket(void **state)
{
	(void)state;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

void listen_to(struct ue_event *event, uint32_t payload_max)
{
	event->ue__binding = ue__binding(ends[0], write_index);
	event->ue__payload_max = payload_max;
	event->ue__direct_max = payload_max;
	event->ue__write_call = SYS_write;
	*event->word = UE__WORD_LISTENED;
}

size_t receive(void)
{
	ssize_t length = recv(ends[1], got, sizeof(got), MSG_DONTWAIT);

	assert_true(length >= (ssize_t)sizeof(write_index));
	assert_memory_equal(got, &write_index, sizeof(write_index));
	return (size_t)length - sizeof(write_index);
}

void nothing_arrived(void)
{
	assert_int_equal(recv(ends[1], got, sizeof(got), MSG_DONTWAIT), -1);
}
