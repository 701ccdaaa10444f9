/* SPDX-License-Identifier: MIT */
/* What the two ways to write share: ready payloads and typed ones. */
#ifndef UE__WRITE_H
#define UE__WRITE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <userevents/event_state.h>

/* The write index, before the payload. */
#define INDEX_SIZE sizeof(uint32_t)

/* 0 or -errno for a binding that is not one to fd. */
int ue__not_written(int fd, uint64_t binding);
/* What an error of write(2) means. */
int ue__write_failed(int fd, long error);

static inline int ue__write_result(int fd, long result)
{
	return __builtin_expect(result >= 0, 1) ? 0 : ue__write_failed(fd, result);
}

/* Write a payload of length bytes in pieces, known to be listened to and to fit. */
int ue__write_gathered(int fd, const struct ue_event *event, uint32_t index,
		       const struct iovec *iov, int count, size_t length);

#endif
