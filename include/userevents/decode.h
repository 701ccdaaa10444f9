/* SPDX-License-Identifier: MIT */
/*
 * libuserevents-decode: read events, and show them as text and as JSON. A program that
 * includes this links with -luserevents-decode -luserevents, which
 * "pkg-config --libs libuserevents-decode" prints. So does one that links with the archive
 * libuserevents-decode.a, which needs functions of libuserevents.a; add --static then.
 *
 * Results go to structs that the program allocates, and later versions append members to
 * them. So that a program runs with a library of another version, a function that sets
 * such a struct is inline and passes the struct's size to NAME_sized(), which other
 * languages call. The library sets the members that both know, and clears those that it
 * does not know. Where the struct begins with size, that is how much the library set.
 *
 * Structs that stand in arrays or in other structs do not grow: ue_value,
 * ue_record_field, ue_definition_error, ue_eventheader_error and ue_eventheader_name
 * (tests/unit/layout.c has their sizes). A struct ue_reader has
 * the same size in all versions. Structs that functions return a pointer to may grow.
 */
#ifndef USEREVENTS_DECODE_H
#define USEREVENTS_DECODE_H

#include <userevents/abi/eventheader.h>
#include <userevents/decode/reader.h>
#include <userevents/decode/record.h>
#include <userevents/decode/render.h>
#include <userevents/decode/status.h>
#include <userevents/eventheader_fault.h>
#include <userevents/eventheader_name.h>

#endif
