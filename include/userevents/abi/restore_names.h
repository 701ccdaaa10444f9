/* SPDX-License-Identifier: MIT */
/* Ends what hide_names.h began: the macros of the program are what they were. */
#ifndef UE__NAMES_OF_ALL
#ifdef UE__NAMES_ARE_HIDDEN
#undef UE__NAMES_ARE_HIDDEN
#include <userevents/abi/restored_names.h>
#endif
#endif
