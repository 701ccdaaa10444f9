/* SPDX-License-Identifier: MIT */
/* An event of a name that another file of the program has, with another field. */
#include <userevents/userevents.h>

#include "mistakes.h"

UE_EVENT(step, UE_U64(other));

void write_other_step(int session)
{
	UE_WRITE(session, step, 1);
}
