// SPDX-License-Identifier: MIT

// Package userevents writes trace events through Linux user_events, or into a ring without
// them. It is a binding of libuserevents.
//
//	session, err := userevents.Open()
//	if err != nil {
//		log.Print("no events: ", err) // the program goes on, and writes nothing
//	}
//	request, err := session.Event("shop_request u32 status; __rel_loc char[] path")
//	orders, err := session.Tracepoint("MyCompany_Shop", userevents.Information, 0x1)
//
//	request.Write(userevents.Uint("status", 200), userevents.String("path", "/index.html"))
//	if orders.Enabled() {
//		orders.Write("OrderPlaced", userevents.Uint64("order", 17), userevents.Float64("total", 99.5))
//	}
//
// Any goroutine may use anything here at any time.
package userevents

// #cgo pkg-config: libuserevents
// #include <stdlib.h>
// #include "calls.h"
import "C"

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// A Session is a connection to user_events, or to what is in its place. A nil one, and one that no
// function here made, writes nothing.
type Session struct {
	next int32 // the descriptor and 1, so that the zero Session has none
}

// Open opens what ue_open(NULL) finds: USEREVENTS_FD, USEREVENTS_RING, USEREVENTS_SOCKET, or
// the kernel's file. It waits for the collector of USEREVENTS_SOCKET for at most one second.
//
// The session is never nil. With an error it writes nothing, and its events are disabled.
func Open() (*Session, error) {
	return opened(C.ue_open(nil))
}

// OpenPath opens a user_events_data file or a ring. As with Open, the session is never nil.
func OpenPath(path string) (*Session, error) {
	if strings.IndexByte(path, 0) >= 0 {
		return &Session{}, malformed("the path %q has a NUL", path)
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	return opened(C.calls_open_path(name))
}

// OpenFd opens a duplicate of a descriptor of user_events_data, a ring or a capture. As with
// Open, the session is never nil.
func OpenFd(fd uintptr) (*Session, error) {
	if fd > math.MaxInt32 {
		return opened(noSession)
	}
	return opened(C.calls_open_fd(C.int(fd)))
}

const noSession = -C.int(syscall.EBADF)

func opened(fd C.int) (*Session, error) {
	if fd < 0 {
		return &Session{}, failure(C.UE_CALL_OPEN, fd)
	}
	session := &Session{next: int32(fd) + 1}
	runtime.SetFinalizer(session, (*Session).Close)
	return session, nil
}

// Close unregisters all events of the session, which remain usable, but disabled.
func (s *Session) Close() error {
	if s == nil {
		return nil
	}
	next := atomic.SwapInt32(&s.next, 0)
	if next == 0 {
		return nil
	}
	return failure(C.UE_CALL_CLOSE, C.ue_close(C.int(next-1)))
}

// Losses counts the lost events of the session, by reason.
func (s *Session) Losses() map[string]uint64 {
	defer runtime.KeepAlive(s)
	return losses(func(reason C.enum_ue_loss) uint64 {
		count := C.ue_session_losses(s.number(), reason)
		if count < 0 {
			return 0
		}
		return uint64(count)
	})
}

func losses(count func(C.enum_ue_loss) uint64) map[string]uint64 {
	found := map[string]uint64{}
	for reason := C.enum_ue_loss(0); reason < C.UE_LOSS_REASONS; reason++ {
		if number := count(reason); number > 0 {
			found[C.GoString(C.ue_name(C.UE_NAME_LOSS, C.uint32_t(reason)))] = number
		}
	}
	return found
}

func (s *Session) number() C.int {
	if s == nil {
		return noSession
	}
	if next := atomic.LoadInt32(&s.next); next > 0 {
		return C.int(next - 1)
	}
	return noSession
}

// payloadMax is the size of the largest record that every listener receives.
func (s *Session) payloadMax() int {
	if most := C.ue_payload_max(s.number()); most > 0 {
		return int(most)
	}
	return 4064
}

func (s *Session) register(event *C.struct_ue_event) error {
	if s.number() < 0 {
		return nil
	}
	return failure(C.UE_CALL_REGISTER, C.ue_register(s.number(), event))
}

// An Error is an error of libuserevents. Its text names the cause and the fix; errors.Is()
// compares it with a syscall.Errno.
type Error struct {
	Errno syscall.Errno
	text  string
}

func (e *Error) Error() string { return e.text }

// Unwrap returns the number.
func (e *Error) Unwrap() error { return e.Errno }

func failure(call C.enum_ue_call, result C.int) error {
	if result >= 0 {
		return nil
	}
	return &Error{syscall.Errno(-result), C.GoString(C.ue_explain(call, result))}
}

func malformed(format string, arguments ...any) error {
	return &Error{syscall.EINVAL, fmt.Sprintf(format, arguments...)}
}

// Version is that of libuserevents: major, minor, patch.
func Version() (int, int, int) {
	number := int(C.ue_version())
	return number >> 16, number >> 8 & 0xff, number & 0xff
}
