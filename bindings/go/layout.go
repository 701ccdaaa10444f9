// SPDX-License-Identifier: MIT

package userevents

import (
	"bytes"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// A layout has the fields of a classic event's definition.
type layout struct {
	fields []place
	size   int // of the fixed part
}

// A place is where a field is in the fixed part.
type place struct {
	name         string
	kind         uint8
	isText       bool // char[N], or a location of char
	offset, size int
	base         int // a location counts from here
}

const (
	placeUnsigned = iota
	placeSigned
	placeChar // signed or not
	placeBytes
	placeLocated
)

// The kernel has so many bytes before the record, which __data_loc counts, too.
const commonSize = 8

var scalars = map[string]place{
	"u8": {size: 1}, "unsigned char": {size: 1}, "u16": {size: 2}, "unsigned short": {size: 2},
	"u32": {size: 4}, "unsigned int": {size: 4}, "u64": {size: 8},
	"s8": {kind: placeSigned, size: 1}, "s16": {kind: placeSigned, size: 2},
	"short": {kind: placeSigned, size: 2}, "s32": {kind: placeSigned, size: 4},
	"int": {kind: placeSigned, size: 4}, "s64": {kind: placeSigned, size: 8},
	"char": {kind: placeChar, size: 1},
}

// layoutOf reads a definition that the library has checked.
func layoutOf(definition string) layout {
	var made layout
	_, fields, _ := strings.Cut(definition, " ")
	for _, part := range strings.Split(fields, ";") {
		part = strings.Trim(part, " ")
		if part == "" {
			continue
		}
		field := placeOf(part, made.size)
		made.fields = append(made.fields, field)
		made.size += field.size
	}
	return made
}

func placeOf(part string, offset int) place {
	blank := strings.LastIndexByte(part, ' ')
	kind, name := part[:blank], part[blank+1:]
	if field, is := scalars[kind]; is {
		field.name, field.offset = name, offset
		return field
	}
	if words := strings.Split(part, " "); words[0] == "struct" {
		size, _ := strconv.Atoi(words[3])
		return place{name: words[2], kind: placeBytes, offset: offset, size: size}
	}
	if strings.HasPrefix(kind, "__") {
		field := place{name: name, kind: placeLocated, offset: offset, size: 4, base: -commonSize,
			isText: strings.HasSuffix(kind, "_loc char[]")}
		if strings.HasPrefix(kind, "__rel_loc") {
			field.base = offset + field.size
		}
		return field
	}
	size, _ := strconv.Atoi(kind[strings.IndexByte(kind, '[')+1 : len(kind)-1])
	return place{name: name, kind: placeBytes, offset: offset, size: size,
		isText: strings.HasPrefix(kind, "char")}
}

// find returns the field of this name; most values come in the order of the fields.
func (l *layout) find(guess int, name string) int {
	if guess < len(l.fields) && l.fields[guess].name == name {
		return guess
	}
	for i := range l.fields {
		if l.fields[i].name == name {
			return i
		}
	}
	return -1
}

// addClassic makes a record of a value for each field. 0 or why it cannot.
func (p *packer) addClassic(l *layout, values []Field) syscall.Errno {
	if l.size > recordMax {
		return syscall.EMSGSIZE
	}
	p.bytes = append(p.bytes, zeros[:min(l.size, len(zeros))]...)
	for len(p.bytes) < l.size {
		p.bytes = append(p.bytes, 0)
	}
	p.isSet = p.isSet[:0]
	for range l.fields {
		p.isSet = append(p.isSet, false)
	}
	for i := range values {
		at := l.find(i, values[i].name)
		if at < 0 && strings.IndexByte(values[i].name, 0) >= 0 {
			return syscall.EINVAL
		}
		if at < 0 {
			return syscall.ENOENT
		}
		if p.isSet[at] {
			return syscall.EEXIST
		}
		p.isSet[at] = true
		if errno := p.setValue(&l.fields[at], &values[i]); errno != 0 {
			return errno
		}
	}
	if len(values) < len(l.fields) {
		return syscall.ENODATA
	}
	return 0
}

var zeros [256]byte

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func (p *packer) setValue(to *place, value *Field) syscall.Errno {
	switch value.kind {
	case unsignedNumber, signedNumber:
		return p.setNumber(to, value)
	case textValue:
		if to.kind == placeLocated && to.isText {
			return p.locate(to, value.text, true)
		}
		if to.kind != placeBytes || !to.isText {
			return syscall.EINVAL
		}
	case bytesValue:
		if to.kind == placeLocated {
			return p.locate(to, value.text, false)
		}
		if to.kind < placeBytes && len(value.text) != to.size {
			return syscall.EINVAL
		}
	default:
		return syscall.EINVAL // for tracepoints only
	}
	if len(value.text) > to.size {
		return syscall.ERANGE
	}
	copy(p.bytes[to.offset:], value.text)
	if value.kind == textValue {
		replaceNULs(p.bytes[to.offset : to.offset+len(value.text)])
	}
	return 0
}

// replaceNULs: a NUL ends a text, so what follows it would be missing.
func replaceNULs(text []byte) {
	for {
		at := bytes.IndexByte(text, 0)
		if at < 0 {
			return
		}
		text[at] = '?'
	}
}

func (p *packer) setNumber(to *place, value *Field) syscall.Errno {
	if to.kind > placeChar {
		return syscall.EINVAL
	}
	most := ^uint64(0) >> (64 - 8*uint(to.size))
	if value.kind == signedNumber && int64(value.number) < 0 {
		if to.kind == placeUnsigned || ^value.number > most>>1 {
			return syscall.ERANGE
		}
	} else if to.kind == placeSigned && value.number > most>>1 || value.number > most {
		return syscall.ERANGE
	}
	number := value.number
	if bigEndian {
		number <<= 64 - 8*uint(to.size)
	}
	copy(p.bytes[to.offset:to.offset+to.size], (*[8]byte)(unsafe.Pointer(&number))[:])
	return 0
}

func (p *packer) locate(to *place, value string, isText bool) syscall.Errno {
	at, length := len(p.bytes), len(value)
	if isText {
		length++
	}
	if length > recordMax-at || at-to.base > recordMax {
		return syscall.EMSGSIZE
	}
	p.bytes = append(p.bytes, value...)
	if isText {
		replaceNULs(p.bytes[at:])
		p.bytes = append(p.bytes, 0)
	}
	location := uint32(length)<<16 | uint32(at-to.base)
	*(*[4]byte)(p.bytes[to.offset:]) = *(*[4]byte)(unsafe.Pointer(&location))
	return 0
}
