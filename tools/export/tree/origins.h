/* SPDX-License-Identifier: MIT */
/* The processes that events come from, each with a number, and the containers they are in. */
#ifndef UE__TOOLS_EXPORT_TREE_ORIGINS_H
#define UE__TOOLS_EXPORT_TREE_ORIGINS_H

#include <stdint.h>

#include <userevents/decode/render.h>

#include "common/cli/key_table.h"

/* Texts are valid UTF-8, and "" if not known. */
struct origin {
	uint64_t serial; /* of no other origin, also after it is freed */
	int has_pid;
	uint32_t pid;
	const char *comm; /* the process's name; until its first thread writes, the writer's */
	const char *cgroup; /* the path */
	/* From the path of the control group: */
	const char *container_id; /* 64 hexadecimal digits */
	const char *pod_uid;	  /* "8dbc5577-d0e2-4706-8787-57d52c03ddf2" */
};

/* Memory stays bounded although pids and names change for years: then all are forgotten. */
#define ORIGINS_MAX 16384u

/* Zero it before the first use. */
struct origins {
	struct kept_origin **items;
	uint32_t count;
	struct key_table table; /* of items */
	uint64_t serials;
	struct kept_origin *last; /* most events come from the process of the one before */
};

/* The process of a sample, which is new or was found before; valid until the next call. */
const struct origin *origin_find(struct origins *origins, const struct ue_sample *sample);
void origins_free(struct origins *origins);

#endif
