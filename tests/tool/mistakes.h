/* SPDX-License-Identifier: MIT */
/* Another file of the program has an event called step, too. */
#ifndef MISTAKES_H
#define MISTAKES_H

void write_other_step(int session);

#endif
