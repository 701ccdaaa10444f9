/* SPDX-License-Identifier: MIT */
/* The group of the probes of this tool: the system of their events. */
#ifndef UE__TOOLS_PROBE_PROBE_GROUP_H
#define UE__TOOLS_PROBE_PROBE_GROUP_H

#define PROBE_GROUP "ue_probes"

#endif
