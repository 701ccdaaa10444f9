/* SPDX-License-Identifier: MIT */
/* EXPECT: the definition of the event request is longer than the kernel takes */
#include <userevents/userevents.h>

#define FOUR(x) UE_U64(x##_is_a_name_of_a_length_that_is_beyond_all_reason_1),  \
		UE_U64(x##_is_a_name_of_a_length_that_is_beyond_all_reason_2),  \
		UE_U64(x##_is_a_name_of_a_length_that_is_beyond_all_reason_3),  \
		UE_U64(x##_is_a_name_of_a_length_that_is_beyond_all_reason_4)
#define EVENT(...) UE_EVENT(__VA_ARGS__)

#ifdef GOOD
EVENT(request, FOUR(a));
#else
EVENT(request, FOUR(a), FOUR(b), FOUR(c));
#endif
