/* SPDX-License-Identifier: MIT */
/* The format "ctf": a directory with a trace of CTF 1.8. */
#ifndef UE__TOOLS_EXPORT_CTF_EXPORT_H
#define UE__TOOLS_EXPORT_CTF_EXPORT_H

#include "export/tree/exporter.h"

exporter_open ctf_export_open;

#endif
