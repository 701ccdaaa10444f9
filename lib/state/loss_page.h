/* SPDX-License-Identifier: MIT */
/* Counts of losses that outlive the process (abi/process_note.h). */
#ifndef UE__STATE_LOSS_PAGE_H
#define UE__STATE_LOSS_PAGE_H

#include <userevents/loss.h>

/* Map the page that the environment names, if there is one. Under the lock. */
void ue__loss_page_open(void);
/* Count a loss there. Any thread, signal handlers too. */
void ue__loss_page_count(enum ue_loss reason);

#endif
