// SPDX-License-Identifier: MIT

package userevents

// #include "calls.h"
import "C"

import (
	"runtime"
	"strings"
	"sync"
	"syscall"
	"unsafe"
)

// A packer makes the bytes of a record, which one call of C writes: a call from Go into C costs
// as much as the rest of a write. One write uses it at a time.
type packer struct {
	bytes []byte
	isSet []bool // fields of a classic event
}

var packers = sync.Pool{New: func() any { return &packer{bytes: make([]byte, 0, 512)} }}

func newPacker() *packer {
	made := packers.Get().(*packer)
	made.bytes = made.bytes[:0]
	return made
}

func (p *packer) release() { packers.Put(p) }

// recordMax is more than any event has: a record that is longer is lost.
const recordMax = 1<<16 - 1

// send writes the record.
func (p *packer) send(session *Session, event *C.struct_ue_event) error {
	if len(p.bytes) > recordMax {
		return lost(session, event, syscall.EMSGSIZE)
	}
	var start unsafe.Pointer
	if len(p.bytes) > 0 {
		start = unsafe.Pointer(&p.bytes[0])
	}
	result := C.ue_write(session.number(), event, start, C.size_t(len(p.bytes)))
	if result < 0 {
		return failure(C.UE_CALL_WRITE, result)
	}
	return nil
}

// lost counts an event that cannot be packed.
func lost(session *Session, event *C.struct_ue_event, errno syscall.Errno) error {
	return failure(C.UE_CALL_BUILD, C.ue_event_lost(session.number(), event, -C.int(errno)))
}

// EventHeader events

const headerSize, extensionSize = 8, 4

var headerFlags = func() byte {
	flags := byte(C.UE_HEADER_EXTENSION)
	if unsafe.Sizeof(uintptr(0)) == 8 {
		flags |= C.UE_HEADER_POINTER64
	}
	if !bigEndian {
		flags |= C.UE_HEADER_LITTLE_ENDIAN
	}
	return flags
}()

// begin adds the header and the extension with the activity.
func (p *packer) begin(level Level, options uint64, activity, related *Activity) {
	p.bytes = append(p.bytes, headerFlags, byte(options>>8))
	p.addUint16(uint16(options >> 16))
	p.addUint16(uint16(options >> 32))
	p.bytes = append(p.bytes, byte(options>>48), byte(level))
	if activity == nil {
		return
	}
	size := uint16(len(activity))
	if related != nil {
		size *= 2
	}
	p.addUint16(size)
	p.addUint16(C.UE_EXTENSION_ACTIVITY | C.UE_EXTENSION_CHAIN)
	p.bytes = append(p.bytes, activity[:]...)
	if related != nil {
		p.bytes = append(p.bytes, related[:]...)
	}
}

// addRecord adds the description of a name and fields, and the values. 0 or why it cannot.
func (p *packer) addRecord(name string, fields []Field) syscall.Errno {
	at := len(p.bytes)
	p.addUint16(0)
	p.addUint16(C.UE_EXTENSION_METADATA)
	if errno := p.addName(name); errno != 0 {
		return errno
	}
	for i := range fields {
		if errno := p.describe(&fields[i], 0); errno != 0 {
			return errno
		}
	}
	size := len(p.bytes) - at - extensionSize
	if size > recordMax {
		return syscall.EMSGSIZE
	}
	*(*[2]byte)(p.bytes[at:]) = bytesOf(uint16(size))
	return p.addValues(fields)
}

func (p *packer) addUint16(value uint16) {
	two := bytesOf(value)
	p.bytes = append(p.bytes, two[0], two[1])
}

func bytesOf(value uint16) [2]byte { return *(*[2]byte)(unsafe.Pointer(&value)) }

func (p *packer) addName(name string) syscall.Errno {
	if strings.IndexByte(name, 0) >= 0 {
		return syscall.EINVAL
	}
	if len(name) > recordMax || len(p.bytes) > 2*recordMax {
		return syscall.EMSGSIZE
	}
	p.bytes = append(append(p.bytes, name...), 0)
	return 0
}

func (p *packer) addType(field *Field, format uint8) {
	if format == 0 && field.tag == 0 {
		p.bytes = append(p.bytes, field.encoding)
		return
	}
	if field.tag == 0 {
		p.bytes = append(p.bytes, field.encoding|C.UE_ENCODING_CHAIN, format)
		return
	}
	p.bytes = append(p.bytes, field.encoding|C.UE_ENCODING_CHAIN, format|C.UE_FORMAT_CHAIN)
	p.addUint16(field.tag)
}

func (p *packer) describe(field *Field, depth int) syscall.Errno {
	if field.encoding == 0 {
		return syscall.EINVAL // the zero Field
	}
	if errno := p.addName(field.name); errno != 0 {
		return errno
	}
	if field.nested == nil {
		p.addType(field, field.format)
		return 0
	}
	return p.describeStruct(field, depth)
}

// describeStruct describes a struct, or the first of an array, which the others have to equal.
func (p *packer) describeStruct(field *Field, depth int) syscall.Errno {
	items := *field.nested
	if len(items[0]) == 0 {
		return syscall.EINVAL
	}
	if depth == C.UE_BUILDER_DEPTH_MAX {
		return syscall.E2BIG
	}
	p.addType(field, uint8(len(items[0])&C.UE_STRUCT_MEMBERS_MAX))
	begin := len(p.bytes)
	if errno := p.describeMembers(items[0], depth); errno != 0 {
		return errno
	}
	end := len(p.bytes)
	for _, item := range items[1:] {
		if len(item) != len(items[0]) {
			return syscall.EINVAL
		}
		if errno := p.describeMembers(item, depth); errno != 0 {
			return errno
		}
		if string(p.bytes[begin:end]) != string(p.bytes[end:]) {
			return syscall.EINVAL
		}
		p.bytes = p.bytes[:end]
	}
	return 0
}

func (p *packer) describeMembers(fields []Field, depth int) syscall.Errno {
	for i := range fields {
		if errno := p.describe(&fields[i], depth+1); errno != 0 {
			return errno
		}
		if i == C.UE_STRUCT_MEMBERS_MAX {
			return syscall.E2BIG
		}
	}
	return 0
}

func (p *packer) addValues(fields []Field) syscall.Errno {
	for i := range fields {
		field := &fields[i]
		switch {
		case field.size > 0:
			p.addNumber(field.number, int(field.size))
		case field.nested != nil:
			if errno := p.addNested(field); errno != 0 {
				return errno
			}
		case len(field.text) > recordMax || field.elements > recordMax:
			return syscall.EMSGSIZE
		default:
			p.addData(field)
		}
		if len(p.bytes) > recordMax {
			return syscall.EMSGSIZE
		}
	}
	return 0
}

func (p *packer) addNested(field *Field) syscall.Errno {
	if field.encoding&C.UE_ENCODING_VARRAY != 0 {
		if len(*field.nested) > recordMax {
			return syscall.EMSGSIZE
		}
		p.addUint16(uint16(len(*field.nested)))
	}
	for _, item := range *field.nested {
		if errno := p.addValues(item); errno != 0 {
			return errno
		}
	}
	return 0
}

// addData adds text, bytes and arrays.
func (p *packer) addData(field *Field) {
	if field.elements >= 0 {
		p.addUint16(uint16(field.elements))
	} else if field.encoding >= C.UE_ENCODING_STRING_LENGTH16_CHAR8 {
		p.addUint16(uint16(len(field.text)))
	}
	p.bytes = append(p.bytes, field.text...)
}

// addNumber adds the low bytes of a number in the machine's order.
func (p *packer) addNumber(number uint64, size int) {
	bytes := (*[8]byte)(unsafe.Pointer(&number))
	if bigEndian {
		number <<= 64 - 8*uint(size)
	}
	switch size {
	case 1:
		p.bytes = append(p.bytes, bytes[0])
	case 8:
		p.bytes = append(p.bytes, bytes[:]...)
	default:
		p.bytes = append(p.bytes, bytes[:size]...)
	}
}

var bigEndian = func() bool {
	one := uint16(1)
	return *(*byte)(unsafe.Pointer(&one)) == 0
}()

// write writes an event of a tracepoint.
func (t *Tracepoint) write(name string, options uint64, activity, related *Activity, fields []Field) error {
	p := newPacker()
	p.begin(t.level, options, activity, related)
	var err error
	if errno := p.addRecord(name, fields); errno != 0 {
		err = lost(t.session, t.event, errno)
	} else {
		err = p.send(t.session, t.event)
	}
	p.release()
	runtime.KeepAlive(t)
	return err
}
