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

// An Event is a classic event. It is unregistered by Close, with its session, or when the
// garbage collector frees it. A nil one, and one that no function here made, is disabled.
type Event struct {
	session *Session
	raw     *C.struct_ue_event
	word    *uint32
	layout  layout
}

// Event registers a classic event, "name type field; type field".
//
// An error of a malformed definition comes with nil. Any other comes with an event that is
// disabled.
func (s *Session) Event(definition string) (*Event, error) {
	if strings.IndexByte(definition, 0) >= 0 {
		return nil, malformed("the definition %q has a NUL", definition)
	}
	text := C.CString(definition)
	defer C.free(unsafe.Pointer(text))
	var fault C.struct_ue_definition_error
	if C.ue_definition_check(text, 0, &fault) < 0 {
		return nil, malformed("the definition %q, byte %d: %s", definition, fault.offset,
			C.GoString(fault.reason))
	}
	event := &Event{session: s, layout: layoutOf(definition)}
	if result := C.ue_event_new(text, 0, &event.raw); result < 0 {
		return nil, failure(C.UE_CALL_REGISTER, result)
	}
	event.word = (*uint32)(unsafe.Pointer(C.calls_word_of(event.raw)))
	runtime.SetFinalizer(event, func(event *Event) { C.ue_event_free(event.raw) })
	return event, s.register(event.raw)
}

// Enabled reports whether any tool listens, to skip work that only the trace needs.
func (e *Event) Enabled() bool {
	listened := e != nil && enabled(e.word, e.raw)
	runtime.KeepAlive(e)
	return listened
}

// enabled is a load. Only where a kernel before 6.4 keeps the state elsewhere, it calls C.
func enabled(word *uint32, event *C.struct_ue_event) bool {
	if word == nil {
		return false
	}
	value := atomic.LoadUint32(word)
	return value != 0 && (value < C.UE__WORD_ASK || C.ue_enabled(event) != 0)
}

// Write writes the event: a value for each field, in any order. Integers of any size take
// Int() and Uint(), char texts String(), everything else the bytes of the field.
//
// After an error, the event is lost and counted. The errors are those of a write, EMSGSIZE if the
// values are too long for any listener; and those of values: ENOENT no such field, EEXIST it has its
// value already, EINVAL it is of another type, ERANGE the number does not fit, or the bytes do not
// fit a char[N], ENODATA a field has no value. A disabled event ignores its values.
func (e *Event) Write(values ...Field) error {
	if !e.Enabled() {
		return nil
	}
	return e.write(values)
}

func (e *Event) write(values []Field) error {
	p := newPacker()
	var err error
	if errno := p.addClassic(&e.layout, values); errno != 0 {
		err = lost(e.session, e.raw, errno)
	} else {
		err = p.send(e.session, e.raw)
	}
	p.release()
	runtime.KeepAlive(e)
	return err
}

// Losses counts the lost events, by reason.
func (e *Event) Losses() map[string]uint64 {
	if e == nil {
		return map[string]uint64{}
	}
	defer runtime.KeepAlive(e)
	return lossesOf(e.raw)
}

func lossesOf(event *C.struct_ue_event) map[string]uint64 {
	return losses(func(reason C.enum_ue_loss) uint64 {
		if event == nil {
			return 0
		}
		return uint64(C.ue_event_losses(event, reason))
	})
}

// Close unregisters the event, which remains usable, but disabled.
func (e *Event) Close() error {
	if e == nil {
		return nil
	}
	defer runtime.KeepAlive(e)
	return unregister(e.raw)
}

func unregister(event *C.struct_ue_event) error {
	if event == nil {
		return nil
	}
	result := C.ue_unregister(event)
	if result == -C.int(syscall.ENOENT) {
		return nil
	}
	return failure(C.UE_CALL_UNREGISTER, result)
}
