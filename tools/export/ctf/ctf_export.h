/* SPDX-License-Identifier: MIT */
/* The format "ctf": a directory with a trace of CTF 1.8. */
#ifndef UE__TOOLS_EXPORT_CTF_CTF_EXPORT_H
#define UE__TOOLS_EXPORT_CTF_CTF_EXPORT_H

#include "export/tree/exported_event.h"

exporter_open ctf_export_open;

#endif
