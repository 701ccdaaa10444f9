/* SPDX-License-Identifier: MIT */
/* Describes processes, threads and lanes as tracks. */
#include "perfetto_tracks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "export/tree/exported_event.h"
#include "export/tree/protobuf.h"

/* Keeps the tracks of the latest events in bounded memory. */

#define SLOTS_LEAST 64u
#define SLOTS_MOST (2 * TRACKS_MAX)

static int is_of(const struct perfetto_track *track, const struct perfetto_track *like)
{
	return track->kind == like->kind &&
	       track->key[0] == like->key[0] && track->key[1] == like->key[1];
}

/* The track's slot, or a free one; NULL if the table is empty. */
static struct perfetto_track *slot_of(const struct perfetto_slots *slots,
				      const struct perfetto_track *like)
{
	size_t at;

	if (!slots->count)
		return NULL;
	at = (hash_number(like->key[0] ^ like->kind) + hash_number(like->key[1])) &
	     (slots->count - 1);
	while (slots->at[at].uuid && !is_of(&slots->at[at], like))
		at = (at + 1) & (slots->count - 1);
	return &slots->at[at];
}

static struct perfetto_track *found_in(const struct perfetto_slots *slots,
				       const struct perfetto_track *like)
{
	struct perfetto_track *slot = slot_of(slots, like);

	return slot && slot->uuid ? slot : NULL;
}

static void grow(struct perfetto_slots *slots)
{
	const struct perfetto_slots old = *slots;

	slots->count = old.count ? 2 * old.count : SLOTS_LEAST;
	slots->at = xcalloc(slots->count, sizeof(*slots->at));
	for (uint32_t i = 0; i < old.count; i++)
		if (old.at[i].uuid)
			*slot_of(slots, &old.at[i]) = old.at[i];
	free(old.at);
}

/* Half of the slots stay free. */
static void make_room(struct perfetto_table *table)
{
	struct perfetto_slots *young = &table->young;

	if (young->used < young->count / 2)
		return;
	if (young->count == SLOTS_MOST) {
		free(table->old.at);
		table->old = *young;
		*young = (struct perfetto_slots){ .at = NULL };
	}
	grow(young);
}

/* Add a track that was not found. Valid until the next call. */
static struct perfetto_track *perfetto_table_add(struct perfetto_table *table,
						 const struct perfetto_track *track)
{
	const struct perfetto_track added = *track; /* it may be in the old table */
	struct perfetto_track *slot;

	make_room(table);
	slot = slot_of(&table->young, &added);
	*slot = added;
	table->young.used++;
	return slot;
}

/* The track of this kind and key. NULL: it is new, or was forgotten. Valid until the next call. */
static struct perfetto_track *perfetto_table_find(struct perfetto_table *table,
						  const struct perfetto_track *like)
{
	struct perfetto_track *found = found_in(&table->young, like);

	if (found)
		return found;
	found = found_in(&table->old, like);
	return found ? perfetto_table_add(table, found) : NULL;
}

/* A track of the old table may be in the young one, too: then it is out of date. */
static void perfetto_table_each(struct perfetto_table *table,
				void (*call)(struct perfetto_track *track,
				void *argument), void *argument)
{
	for (uint32_t i = 0; i < table->young.count; i++)
		if (table->young.at[i].uuid)
			call(&table->young.at[i], argument);
	for (uint32_t i = 0; i < table->old.count; i++)
		if (table->old.at[i].uuid && !found_in(&table->young, &table->old.at[i]))
			call(&table->old.at[i], argument);
}

static void perfetto_table_free(struct perfetto_table *table)
{
	free(table->young.at);
	free(table->old.at);
	*table = (struct perfetto_table){ .young.at = NULL };
}

/*
 * The uuid of a thread, a process or a lane is made of its ids, so that it is described
 * as the same one after it was forgotten.
 */
enum {
	UUID_FIXED,
	UUID_PROCESS,
	UUID_THREAD,
	UUID_LONE_THREAD, /* its process is not known: another one than of process 0 */
	UUID_LANE,
	UUID_LONE_LANE,
	UUID_KINDS = 8,
};
enum { UUID_OTHER = UUID_KINDS, UUID_LOST = 2 * UUID_KINDS };

/* The kernel's ids have 22 bits, so none is lost. */
static uint64_t uuid_of(uint32_t kind, uint32_t pid, uint32_t tid)
{
	return ((uint64_t)pid << 32 | tid) * UUID_KINDS + kind;
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
	AUTO_FREE char *label = NULL;

	if (!*value)
		return;
	label = xprintf("%s=%s", name, value);
	protobuf_text(trace, PROCESS_LABELS, label);
}

/* The name is left out if it is not known. */
static void put_process(struct bytes *trace, const struct perfetto_track *track,
			const char *name, const struct origin *origin)
{
	const struct description description = begin_track(trace, track->uuid, 0);
	const size_t process = protobuf_begin(trace, TRACK_PROCESS);

	protobuf_int(trace, PROCESS_PID, (int32_t)track->key[0]);
	if (*name)
		protobuf_text(trace, PROCESS_NAME, name);
	if (origin) {
		put_label(trace, "container.id", origin->container_id);
		put_label(trace, "k8s.pod.uid", origin->pod_uid);
	}
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
	AUTO_FREE char *name = xprintf("%.*s%s%u", (int)comm.length, comm.at,
				       comm.length ? " " : "", tid);

	put_track(trace, track->uuid, 0, (struct clean_text){ name, strlen(name) });
}

/* Threads */

/* The kernel's names have 15 bytes, of which each may become two here. */
static void set_name(struct perfetto_track *track, const char *name)
{
	const size_t length = clean_text_length((struct clean_text){ name, strlen(name) },
						sizeof(track->name) - 1);

	memcpy(track->name, name, length);
	track->name[length] = '\0';
}

/* A name that is of the process, and not of another thread of it. */
static int is_own_name(const struct exported_event *event)
{
	return !event->has_tid || event->tid == event->origin->pid;
}

static uint64_t hash_of(const char *text)
{
	return hash_bytes(text, strlen(text));
}

/* A container is in one pod only. */
static uint64_t label_hash(const struct origin *origin)
{
	return hash_of(*origin->container_id ? origin->container_id : origin->pod_uid);
}

static uint64_t process_track(struct perfetto_tracks *tracks,
			      const struct exported_event *event, struct bytes *trace)
{
	const struct origin *origin = event->origin;
	const int is_own = is_own_name(event);
	const uint64_t hash = is_own ? hash_of(origin->comm) : 0;
	const uint64_t labels = label_hash(origin);
	struct perfetto_track track = {
		.kind = TRACK_OF_PROCESS,
		.key = { origin->pid },
		.uuid = uuid_of(UUID_PROCESS, origin->pid, 0),
	};
	struct perfetto_track *found = perfetto_table_find(&tracks->threads, &track);

	if (found && found->label_hash == labels && (!is_own || found->name_hash == hash))
		return track.uuid;
	if (!found)
		found = perfetto_table_add(&tracks->threads, &track);
	found->name_hash = hash;
	found->label_hash = labels;
	set_name(found, is_own ? "" : origin->comm);
	put_process(trace, &track, is_own ? origin->comm : "", origin);
	return track.uuid;
}

static void name_process(struct perfetto_track *track, void *argument)
{
	if (*track->name)
		put_process(argument, track, track->name, NULL);
	*track->name = '\0';
}

void perfetto_name_processes(struct perfetto_tracks *tracks, struct bytes *trace)
{
	perfetto_table_each(&tracks->threads, name_process, trace);
}

/* Whether it is new, or has another name. */
static int renew(struct perfetto_tracks *tracks, const struct perfetto_track *track)
{
	struct perfetto_track *found = perfetto_table_find(&tracks->threads, track);

	if (found && found->name_hash == track->name_hash)
		return 0;
	if (!found)
		found = perfetto_table_add(&tracks->threads, track);
	found->name_hash = track->name_hash;
	return 1;
}

static uint64_t thread_track(struct perfetto_tracks *tracks,
			     const struct exported_event *event, const char *comm,
			     struct bytes *trace)
{
	const struct origin *origin = event->origin;
	struct clean_text name = clean_text(&tracks->comms, comm, strlen(comm));
	struct perfetto_track track = {
		.kind = TRACK_OF_THREAD,
		.key = { (uint64_t)origin->pid << 32 | event->tid, !origin->has_pid },
		.uuid = uuid_of(origin->has_pid ? UUID_THREAD : UUID_LONE_THREAD, origin->pid,
				event->tid),
		.name_hash = hash_bytes(name.at, name.length),
	};

	if (origin->has_pid)
		track.parent = process_track(tracks, event, trace);
	if (!renew(tracks, &track))
		return track.uuid;
	if (origin->has_pid)
		put_thread(trace, &track, origin->pid, event->tid, name);
	else
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
		return event->origin->has_pid ? process_track(tracks, event, trace) :
			fixed_track(&tracks->is_other_known, UUID_OTHER, "events", trace);
	if (tracks->last_origin == event->origin->serial && tracks->last_tid == event->tid &&
	    tracks->last_comm[0] == *comm && (!*comm || !strcmp(tracks->last_comm, comm)))
		return tracks->last_thread;
	uuid = thread_track(tracks, event, comm, trace);
	remember(tracks, event, comm, uuid);
	return uuid;
}

uint64_t perfetto_lost_track(struct perfetto_tracks *tracks, struct bytes *trace)
{
	return fixed_track(&tracks->is_lost_known, UUID_LOST, "Lost events", trace);
}

/* Lanes */

uint64_t perfetto_process_uuid(const struct origin *origin)
{
	return origin->has_pid ? uuid_of(UUID_PROCESS, origin->pid, 0) : 0;
}

uint64_t perfetto_lane_uuid(int has_pid, uint32_t pid, uint32_t lane)
{
	return uuid_of(has_pid ? UUID_LANE : UUID_LONE_LANE, pid, lane);
}

void perfetto_describe_lane(struct bytes *trace, uint64_t uuid, uint64_t process)
{
	put_track(trace, uuid, process, (struct clean_text)LITERAL("Requests"));
}

void perfetto_tracks_free(struct perfetto_tracks *tracks)
{
	perfetto_table_free(&tracks->threads);
	clean_texts_free(&tracks->comms);
}
