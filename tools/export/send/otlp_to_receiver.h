/* SPDX-License-Identifier: MIT */
/* Events that are sent to an OpenTelemetry receiver: "userevents export --to otlp". */
#ifndef UE__TOOLS_EXPORT_SEND_OTLP_TO_RECEIVER_H
#define UE__TOOLS_EXPORT_SEND_OTLP_TO_RECEIVER_H

#include "export/tree/exported_event.h"

/* Milliseconds after Ctrl-C for what is queued, where the caller does not wait for room. */
#define OTLP_SEND_END 5000

/* Its end reports deliveries, and is -1 if anything was lost. */
exporter_open otlp_send_open;

#endif
