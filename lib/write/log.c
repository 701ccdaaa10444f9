/* SPDX-License-Identifier: MIT */
/*
 * Pack and write the items of UE_WRITE_EVENTHEADER().
 */
#include <errno.h>
#include <string.h>

#include <userevents/abi/eventheader.h>
#include <userevents/eventheader_event.h>

static char *put_item(char *at, struct ue__room *room, const struct ue__item *item)
{
	switch (item->kind) {
	case UE__ITEM_BYTES:
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

UE__PUBLIC int ue__log(int fd, const struct ue_event *event, const void *described, size_t size,
		   const struct ue_activity *activity, const struct ue_activity *related,
		   const struct ue__item *items)
{
	char record[UE__RECORD], *start = record, *at;
	struct ue__room room = { record + sizeof(record), 0, 0 };

	if (related && !activity)
		return ue__refuse(fd, event, -EINVAL);
	do {
		at = put_event(start, &room, described, size, activity, related, items);
		if (!room.missing)
			return ue__send_room(&room, fd, event, start, at);
		start = ue__make_room(&room, fd, event, start, at, 0);
	} while (start);
	return room.error;
}
