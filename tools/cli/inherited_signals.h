/* SPDX-License-Identifier: MIT */
/* Signals that the tool ignores, and that the programs it starts must not. */
#ifndef UE__TOOLS_CLI_INHERITED_SIGNALS_H
#define UE__TOOLS_CLI_INHERITED_SIGNALS_H

/* From here on a closed pipe or a file size limit is the error of a write. */
void signals_ignore(void);
/* In a child that is about to exec: the dispositions are again those that we inherited. */
void signals_restore(void);

#endif
