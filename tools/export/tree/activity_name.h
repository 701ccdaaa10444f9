/* SPDX-License-Identifier: MIT */
/* The name of an activity, made of that of the event that starts it. */
#ifndef UE__TOOLS_EXPORT_TREE_ACTIVITY_NAME_H
#define UE__TOOLS_EXPORT_TREE_ACTIVITY_NAME_H

#include "clean_text.h"

/* "Order" of "OrderStart", "order" of "order_begin"; other names as they are. */
struct clean_text activity_name(struct clean_text start);

#endif
