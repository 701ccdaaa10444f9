/* SPDX-License-Identifier: MIT */
/*
 * libuserevents-decode: read events, and show them as text and as JSON. A program that
 * includes this links with -luserevents-decode -luserevents, which
 * "pkg-config --libs libuserevents-decode" prints.
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
