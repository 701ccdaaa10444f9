/* SPDX-License-Identifier: MIT */
/* Describes processes, threads and activities as tracks. */
#include "perfetto_tracks.h"

#include <stdlib.h>

#include "cli/memory.h"
#include "export/protobuf/protobuf.h"
#include "export/tree/activity_name.h"
#include "perfetto_proto.h"

#define SLOTS (2 * TRACKS_MAX)

/*
 * The uuid of a thread, or a process, is made of its ids, so that it is described as the same
 * one after it was forgotten. Those of activities are counted: an activity that was forgotten
 * gets a new track, so no track can become its own ancestor.
 */
enum { UUID_FIXED, UUID_PROCESS, UUID_THREAD, UUID_ACTIVITY, UUID_KINDS };
enum { UUID_OTHER = UUID_KINDS, UUID_LOST = 2 * UUID_KINDS };

/* The table */

static uint64_t mixed(uint64_t hash)
{
	hash = (hash ^ hash >> 32) * 0x9fb21c651e98df25u;
	return hash ^ hash >> 28;
}

static struct perfetto_track *slot_of(struct perfetto_track *table,
				      const struct perfetto_track *like)
{
	size_t at = mixed(mixed(like->key[0] ^ like->kind) ^ like->key[1]) & (SLOTS - 1);

	while (table[at].uuid &&
	       (table[at].kind != like->kind ||
		memcmp(table[at].key, like->key, sizeof(like->key))))
		at = (at + 1) & (SLOTS - 1);
	return &table[at];
}

static struct perfetto_track *keep(struct perfetto_tracks *tracks,
				   const struct perfetto_track *track)
{
	struct perfetto_track *slot;

	if (!tracks->young || tracks->count == TRACKS_MAX) {
		free(tracks->old);
		tracks->old = tracks->young;
		tracks->young = xcalloc(SLOTS, sizeof(*tracks->young));
		tracks->count = 0;
	}
	slot = slot_of(tracks->young, track);
	*slot = *track;
	tracks->count++;
	return slot;
}

/* NULL: it is new, or was forgotten. */
static struct perfetto_track *find(struct perfetto_tracks *tracks,
				   const struct perfetto_track *like)
{
	struct perfetto_track *slot, found;

	if (!tracks->young)
		return NULL;
	slot = slot_of(tracks->young, like);
	if (slot->uuid)
		return slot;
	slot = tracks->old ? slot_of(tracks->old, like) : slot;
	if (!slot->uuid)
		return NULL;
	found = *slot;
	return keep(tracks, &found);
}

/* Descriptions */

struct description {
	size_t packet, track;
};

static struct description begin_track(struct bytes *trace, uint64_t uuid, uint64_t parent)
{
	struct description description = {
		.packet = protobuf_begin(trace, TRACE_PACKET),
		.track = protobuf_begin(trace, PACKET_TRACK_DESCRIPTOR),
	};

	protobuf_uint(trace, TRACK_UUID, uuid);
	if (parent)
		protobuf_uint(trace, TRACK_PARENT, parent);
	return description;
}

/* Perfetto takes descriptions of a sequence alone. */
static void end_track(struct bytes *trace, struct description description)
{
	protobuf_end(trace, description.track);
	protobuf_uint(trace, PACKET_SEQUENCE, PERFETTO_SEQUENCE);
	protobuf_end(trace, description.packet);
}

static void put_track(struct bytes *trace, uint64_t uuid, uint64_t parent,
		      struct clean_text name)
{
	const struct description description = begin_track(trace, uuid, parent);

	protobuf_bytes(trace, TRACK_NAME, name.at, name.length);
	end_track(trace, description);
}

static void put_label(struct bytes *trace, const char *name, const char *value)
{
	char *label;

	if (!*value)
		return;
	label = xprintf("%s=%s", name, value);
	protobuf_text(trace, PROCESS_LABELS, label);
	free(label);
}

static void put_process(struct bytes *trace, uint64_t uuid, const struct origin *origin)
{
	const struct description description = begin_track(trace, uuid, 0);
	const size_t process = protobuf_begin(trace, TRACK_PROCESS);

	protobuf_int(trace, PROCESS_PID, (int32_t)origin->pid);
	if (*origin->comm)
		protobuf_text(trace, PROCESS_NAME, origin->comm);
	put_label(trace, "container.id", origin->container_id);
	put_label(trace, "k8s.pod.uid", origin->pod_uid);
	protobuf_end(trace, process);
	end_track(trace, description);
}

static void put_thread(struct bytes *trace, const struct perfetto_track *track, uint32_t pid,
		       uint32_t tid, struct clean_text comm)
{
	const struct description description = begin_track(trace, track->uuid, track->parent);
	const size_t thread = protobuf_begin(trace, TRACK_THREAD);

	protobuf_int(trace, THREAD_PID, (int32_t)pid);
	protobuf_int(trace, THREAD_TID, (int32_t)tid);
	if (comm.length)
		protobuf_bytes(trace, THREAD_NAME, comm.at, comm.length);
	protobuf_end(trace, thread);
	end_track(trace, description);
}

/* Perfetto has no threads without a process. */
static void put_lone_thread(struct bytes *trace, const struct perfetto_track *track,
			    uint32_t tid, struct clean_text comm)
{
	char *name = xprintf("%.*s%s%u", (int)comm.length, comm.at, comm.length ? " " : "", tid);

	put_track(trace, track->uuid, 0, (struct clean_text){ name, strlen(name) });
	free(name);
}

/* Threads */

static uint32_t hash_of(const char *text, size_t length)
{
	uint32_t hash = 0x811c9dc5u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)text[i]) * 0x01000193u;
	return hash;
}

/* The track, and whether it is to be described, again if its name has changed. */
static struct perfetto_track *renew(struct perfetto_tracks *tracks,
				    const struct perfetto_track *track, int *is_new)
{
	struct perfetto_track *found = find(tracks, track);

	*is_new = !found || found->name_hash != track->name_hash;
	if (!found)
		return keep(tracks, track);
	found->name_hash = track->name_hash;
	return found;
}

static uint64_t process_track(struct perfetto_tracks *tracks, const struct origin *origin,
			      struct bytes *trace)
{
	struct perfetto_track track = {
		.kind = TRACK_OF_PROCESS,
		.key = { origin->pid },
		.uuid = (uint64_t)origin->pid * UUID_KINDS + UUID_PROCESS,
		.name_hash = hash_of(origin->comm, strlen(origin->comm)),
	};
	int is_new;

	renew(tracks, &track, &is_new);
	if (is_new)
		put_process(trace, track.uuid, origin);
	return track.uuid;
}

static uint64_t thread_track(struct perfetto_tracks *tracks,
			     const struct exported_event *event, const char *comm,
			     struct bytes *trace)
{
	const struct origin *origin = event->origin;
	const uint64_t ids = (uint64_t)origin->pid << 32 | event->tid;
	struct clean_text name = clean_text(&tracks->comms, comm, strlen(comm));
	struct perfetto_track track = {
		.kind = TRACK_OF_THREAD,
		.key = { ids },
		.uuid = ids * UUID_KINDS + UUID_THREAD,
		.name_hash = hash_of(name.at, name.length),
	};
	int is_new;

	if (origin->has_pid)
		track.parent = process_track(tracks, origin, trace);
	renew(tracks, &track, &is_new);
	if (is_new && origin->has_pid)
		put_thread(trace, &track, origin->pid, event->tid, name);
	else if (is_new)
		put_lone_thread(trace, &track, event->tid, name);
	return track.uuid;
}

static uint64_t fixed_track(int *is_known, uint64_t uuid, const char *name,
			    struct bytes *trace)
{
	if (!*is_known)
		put_track(trace, uuid, 0, (struct clean_text){ name, strlen(name) });
	*is_known = 1;
	return uuid;
}

static const char *comm_of(const struct exported_event *event)
{
	const struct ue_sample *sample = &event->event->record->sample;

	return sample->present & UE_META_COMM ? sample->comm : "";
}

static void remember(struct perfetto_tracks *tracks, const struct exported_event *event,
		     const char *comm, uint64_t uuid)
{
	const size_t length = strlen(comm);

	tracks->last_origin = length < sizeof(tracks->last_comm) ? event->origin->serial : 0;
	tracks->last_tid = event->tid;
	tracks->last_thread = uuid;
	if (tracks->last_origin)
		memcpy(tracks->last_comm, comm, length + 1);
}

uint64_t perfetto_thread_track(struct perfetto_tracks *tracks,
			       const struct exported_event *event, struct bytes *trace)
{
	const char *comm = comm_of(event);
	uint64_t uuid;

	if (!event->has_tid)
		return event->origin->has_pid ? process_track(tracks, event->origin, trace) :
			fixed_track(&tracks->is_other_known, UUID_OTHER, "events", trace);
	if (tracks->last_origin == event->origin->serial && tracks->last_tid == event->tid &&
	    !strcmp(tracks->last_comm, comm))
		return tracks->last_thread;
	uuid = thread_track(tracks, event, comm, trace);
	remember(tracks, event, comm, uuid);
	return uuid;
}

uint64_t perfetto_lost_track(struct perfetto_tracks *tracks, struct bytes *trace)
{
	return fixed_track(&tracks->is_lost_known, UUID_LOST, "Lost events", trace);
}

/* Activities */

static struct perfetto_track *find_activity(struct perfetto_tracks *tracks, const uint8_t *id)
{
	struct perfetto_track like = { .kind = TRACK_OF_ACTIVITY };

	memcpy(like.key, id, sizeof(like.key));
	return find(tracks, &like);
}

/* An activity cannot be within itself, or within one that is not known. */
static void place(struct perfetto_track *track, const struct perfetto_track *parent,
		  uint64_t thread)
{
	if (!parent) {
		track->parent = thread;
	} else if (parent->depth < ACTIVITY_DEPTH_MAX) {
		track->parent = parent->uuid;
		track->depth = parent->depth + 1;
	} else {
		track->parent = parent->parent;
		track->depth = parent->depth;
	}
}

struct perfetto_track *perfetto_activity_track(struct perfetto_tracks *tracks,
					       const struct exported_event *event,
					       uint64_t thread, struct bytes *trace)
{
	const struct ue_event_info *info = event->info;
	struct perfetto_track *found = find_activity(tracks, info->activity_id);
	struct perfetto_track track = { .kind = TRACK_OF_ACTIVITY };

	if (found)
		return found;
	memcpy(track.key, info->activity_id, sizeof(track.key));
	place(&track, info->related_id ? find_activity(tracks, info->related_id) : NULL, thread);
	track.uuid = ++tracks->activities * UUID_KINDS + UUID_ACTIVITY;
	put_track(trace, track.uuid, track.parent, activity_name(event->name));
	return keep(tracks, &track);
}

void perfetto_tracks_free(struct perfetto_tracks *tracks)
{
	free(tracks->young);
	free(tracks->old);
	clean_texts_free(&tracks->comms);
}
