// SPDX-License-Identifier: MIT

package userevents

// #include <stdlib.h>
// #include "calls.h"
import "C"

import (
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// A Level is the severity of a tracepoint's events: 1 to 255.
type Level uint8

// The levels that have names.
const (
	Critical    Level = 1
	ErrorLevel  Level = 2
	Warning     Level = 3
	Information Level = 4
	Verbose     Level = 5
)

// An Opcode is what an event is in its activity.
type Opcode uint8

// The opcodes that most programs need.
const (
	Info          Opcode = 0
	ActivityStart Opcode = 1
	ActivityStop  Opcode = 2
)

// An Activity is an id that the events of one piece of work share.
type Activity [16]byte

// NewActivity makes an id. An error is that of getrandom(2).
func NewActivity() (Activity, error) {
	var made C.struct_ue_activity
	err := failure(C.UE_CALL_WRITE, C.ue_activity_create(&made))
	return *(*Activity)(unsafe.Pointer(&made)), err
}

// A Tracepoint has the EventHeader events of a provider, a level and a keyword. A nil one, and one
// that no function here made, is disabled.
type Tracepoint struct {
	session *Session
	level   Level
	raw     *C.struct_ue_tracepoint
	event   *C.struct_ue_event
	word    *uint32
	altered atomic.Uint64 // by NewWriter
}

// Tracepoint registers a tracepoint. provider: [A-Za-z_][A-Za-z0-9_]* is best. keyword: bits that
// the provider defines.
//
// An error of a malformed name comes with nil. Any other comes with a tracepoint that is
// disabled.
func (s *Session) Tracepoint(provider string, level Level, keyword uint64) (*Tracepoint, error) {
	return s.TracepointInGroup(provider, "", level, keyword)
}

// TracepointInGroup is the same in a group, of lower-case letters and digits.
func (s *Session) TracepointInGroup(provider, group string, level Level, keyword uint64) (*Tracepoint, error) {
	if strings.IndexByte(provider+group, 0) >= 0 {
		return nil, malformed("the provider %q or group %q has a NUL", provider, group)
	}
	first, second := C.CString(provider), C.CString(group)
	defer C.free(unsafe.Pointer(first))
	defer C.free(unsafe.Pointer(second))
	made := &Tracepoint{session: s, level: level}
	result := C.ue_tracepoint_new(first, second, C.uint32_t(level), C.uint64_t(keyword), 0, &made.raw)
	if result < 0 {
		return nil, failure(C.UE_CALL_REGISTER, result)
	}
	made.event = C.ue_tracepoint_event(made.raw)
	made.word = (*uint32)(unsafe.Pointer(C.calls_word_of(made.event)))
	runtime.SetFinalizer(made, func(made *Tracepoint) { C.ue_event_free(made.event) })
	return made, s.register(made.event)
}

// Enabled reports whether any tool listens, to skip work that only the trace needs.
func (t *Tracepoint) Enabled() bool {
	listened := t != nil && enabled(t.word, t.event)
	runtime.KeepAlive(t)
	return listened
}

// Write writes an event with a name and any fields.
//
// After an error, the event is lost and counted. The errors are those of a write, and of fields:
// EINVAL a NUL in a name, elements of an array of structs that differ; E2BIG structs nested deeper
// than 8, or with more than 127 members. A disabled tracepoint ignores its fields.
func (t *Tracepoint) Write(name string, fields ...Field) error {
	if !t.Enabled() {
		return nil
	}
	return t.write(name, 0, nil, nil, fields)
}

// Losses counts the lost events, by reason.
func (t *Tracepoint) Losses() map[string]uint64 {
	if t == nil {
		return map[string]uint64{}
	}
	defer runtime.KeepAlive(t)
	return lossesOf(t.event)
}

// Close unregisters the tracepoint, which remains usable, but disabled.
func (t *Tracepoint) Close() error {
	if t == nil {
		return nil
	}
	defer runtime.KeepAlive(t)
	return unregister(t.event)
}

// A Record is an event of a tracepoint with more than a name and fields.
type Record struct {
	tracepoint *Tracepoint
	name       string
	options    uint64
	ids        [2]Activity
	hasID      [2]bool
}

// Record begins an event, which its Write writes.
func (t *Tracepoint) Record(name string) Record {
	return Record{tracepoint: t, name: name}
}

// ID sets a lasting number of the event, and the version of its fields.
func (r Record) ID(id uint16, version uint8) Record {
	r.options = r.options&^0xffffff00 | uint64(id)<<16 | uint64(version)<<8
	return r
}

// Opcode sets what the event is in its activity.
func (r Record) Opcode(opcode Opcode) Record {
	r.options = r.options&^(0xff<<48) | uint64(opcode)<<48
	return r
}

// Tag sets a number of the provider's own.
func (r Record) Tag(tag uint16) Record {
	r.options = r.options&^(0xffff<<32) | uint64(tag)<<32
	return r
}

// Activity sets the activity that the event is part of.
func (r Record) Activity(id Activity) Record {
	r.ids[0], r.hasID[0] = id, true
	return r
}

// Related sets, of the event that starts an activity, the one that the activity is part of.
func (r Record) Related(id Activity) Record {
	r.ids[1], r.hasID[1] = id, true
	return r
}

// Write is as Tracepoint.Write.
func (r Record) Write(fields ...Field) error {
	if !r.tracepoint.Enabled() {
		return nil
	}
	var ids [2]*Activity
	for i := range ids {
		if r.hasID[i] {
			ids[i] = &r.ids[i]
		}
	}
	if ids[1] != nil && ids[0] == nil {
		return lost(r.tracepoint.session, r.tracepoint.event, syscall.EINVAL)
	}
	return r.tracepoint.write(r.name, r.options, ids[0], ids[1], fields)
}
