/* SPDX-License-Identifier: MIT */
/*
 * Pack and write the items of UE_LOG().
 */
#include <errno.h>
#include <string.h>

#include <userevents/eventheader.h>
#include <userevents/log_event.h>

static char *put_item(char *at, struct ue__room *room, const struct ue__item *item)
{
	switch (item->kind) {
	case UE__ITEM_BYTES:
		if (!item->data) {
			room->error = -EFAULT;
			room->missing = 1;
			return at;
		}
		return ue__put_bytes(at, room, item->data, item->length);
	case UE__ITEM_STRING:
		return item->length == UE__NO_MAX ?
			       ue__put_string(at, room, item->data) :
			       ue__put_string_max(at, room, item->data, item->length);
	case UE__ITEM_WIDE:
		return ue__put_wide(at, room, item->data, item->unit);
	case UE__ITEM_COUNTED:
		return ue__put_counted(at, room, item->data, item->length, item->unit);
	case UE__ITEM_STRINGS:
		return ue__put_strings(at, room, item->data, item->length, item->unit);
	case UE__ITEM_COUNTED_STRINGS:
		return ue__put_counted_strings(at, room, item->data, item->length,
					       item->unit);
	case UE__ITEM_SPANS:
		return ue__put_spans(at, room, item->data, item->length, item->unit);
	default:
		return ue__put_counted_spans(at, room, item->data, item->length,
					     item->unit);
	}
}

/* Index, header, activity, description, values. */
static char *put_event(char *at, struct ue__room *room, const char *described, size_t size,
		       const struct ue_activity *activity,
		       const struct ue_activity *related, const struct ue__item *items)
{
	char head[sizeof(struct ue_eventheader) + UE__ACTIVITY_MAX];
	char *end = head + sizeof(struct ue_eventheader);

	memcpy(head, described, sizeof(struct ue_eventheader));
	end = ue__put_activity(end, activity, related);
	at = ue__put_bytes(at + sizeof(uint32_t), room, head, (size_t)(end - head));
	at = ue__put_bytes(at, room, described + sizeof(struct ue_eventheader),
			   size - sizeof(struct ue_eventheader));
	for (; items->kind != UE__ITEM_END; items++)
		at = put_item(at, room, items);
	return at;
}

/* The same once more, with room for what it needs. */
static __attribute__((cold, noinline)) int
log_large(int fd, const struct ue_event *event, size_t room_size, const void *described,
	  size_t size, const struct ue_activity *activity,
	  const struct ue_activity *related, const struct ue__item *items)
{
	char record[UE_PAYLOAD_MAX_PERF + sizeof(uint32_t)];
	struct ue__room room = { record + room_size, 0, 0 };
	char *end;

	if (room_size > sizeof(record))
		return -EMSGSIZE;
	end = put_event(record, &room, described, size, activity, related, items);
	/* A string may have grown since it was measured. */
	if (room.missing)
		return room.error < 0 ? room.error : -EMSGSIZE;
	return ue__send_log(fd, event, record, end);
}

UE_API int ue__log(int fd, const struct ue_event *event, const void *described, size_t size,
		   const struct ue_activity *activity, const struct ue_activity *related,
		   const struct ue__item *items)
{
	char record[UE__RECORD];
	struct ue__room room = { record + UE__RECORD, 0, 0 };
	char *end;
	long whole;

	if (related && !activity)
		return -EINVAL;
	end = put_event(record, &room, described, size, activity, related, items);
	if (!room.missing)
		return ue__send_log(fd, event, record, end);
	whole = ue__make_room(&room, event, end - record);
	if (whole < 0)
		return (int)whole;
	return log_large(fd, event, (size_t)whole, described, size, activity, related,
			 items);
}
