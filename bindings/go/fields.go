// SPDX-License-Identifier: MIT

package userevents

// #include "pack.h"
import "C"

import (
	"encoding/binary"
	"math"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// A Field is a field of an event with its value. The functions below make fields.
type Field struct {
	name             string
	kind             uint8 // of a classic event: how its value is passed
	op               uint8
	encoding, format uint8
	tag              uint16
	size             uint8  // of number
	number           uint64 // of a fixed size, its bytes
	text             string
	bytes            []byte
	elements         int // of an array; -1: the field is none
	fields           []Field
	items            [][]Field
}

func fixed(name string, kind, encoding, format uint8, number uint64) Field {
	return Field{name: name, kind: kind, op: C.PACK_FIELD, encoding: encoding, format: format,
		size: 1 << (encoding - C.UE_ENCODING_VALUE8), number: number, elements: -1}
}

func unsigned(name string, encoding uint8, value uint64) Field {
	return fixed(name, C.PACK_UNSIGNED, encoding, C.UE_FORMAT_UNSIGNED_INT, value)
}

func signed(name string, encoding uint8, value int64) Field {
	return fixed(name, C.PACK_SIGNED, encoding, C.UE_FORMAT_SIGNED_INT, uint64(value))
}

// none is the kind of a field that classic events do not have.
const none = 0xff

// Uint8 is a number of 8 bits.
func Uint8(name string, value uint8) Field {
	return unsigned(name, C.UE_ENCODING_VALUE8, uint64(value))
}

// Uint16 is a number of 16 bits.
func Uint16(name string, value uint16) Field {
	return unsigned(name, C.UE_ENCODING_VALUE16, uint64(value))
}

// Uint32 is a number of 32 bits.
func Uint32(name string, value uint32) Field {
	return unsigned(name, C.UE_ENCODING_VALUE32, uint64(value))
}

// Uint64 is a number of 64 bits.
func Uint64(name string, value uint64) Field {
	return unsigned(name, C.UE_ENCODING_VALUE64, value)
}

// Uint is a number of 64 bits, or of a classic event's field of any size.
func Uint(name string, value uint) Field { return Uint64(name, uint64(value)) }

// Int8 is a number of 8 bits with a sign.
func Int8(name string, value int8) Field { return signed(name, C.UE_ENCODING_VALUE8, int64(value)) }

// Int16 is a number of 16 bits with a sign.
func Int16(name string, value int16) Field {
	return signed(name, C.UE_ENCODING_VALUE16, int64(value))
}

// Int32 is a number of 32 bits with a sign.
func Int32(name string, value int32) Field {
	return signed(name, C.UE_ENCODING_VALUE32, int64(value))
}

// Int64 is a number of 64 bits with a sign.
func Int64(name string, value int64) Field { return signed(name, C.UE_ENCODING_VALUE64, value) }

// Int is a number of 64 bits with a sign, or of a classic event's field of any size.
func Int(name string, value int) Field { return Int64(name, int64(value)) }

// Hex is a number that is shown in hexadecimal.
func Hex(name string, value uint64) Field {
	return fixed(name, C.PACK_UNSIGNED, C.UE_ENCODING_VALUE64, C.UE_FORMAT_HEX_INT, value)
}

// Float32 is a floating-point number of 32 bits.
func Float32(name string, value float32) Field {
	return fixed(name, none, C.UE_ENCODING_VALUE32, C.UE_FORMAT_FLOAT,
		uint64(math.Float32bits(value)))
}

// Float64 is a floating-point number of 64 bits.
func Float64(name string, value float64) Field {
	return fixed(name, none, C.UE_ENCODING_VALUE64, C.UE_FORMAT_FLOAT, math.Float64bits(value))
}

// Bool is a boolean.
func Bool(name string, value bool) Field {
	number := uint64(0)
	if value {
		number = 1
	}
	return fixed(name, C.PACK_UNSIGNED, C.UE_ENCODING_VALUE8, C.UE_FORMAT_BOOLEAN, number)
}

// Errno is an error number, shown by its name.
func Errno(name string, value syscall.Errno) Field {
	return fixed(name, C.PACK_SIGNED, C.UE_ENCODING_VALUE32, C.UE_FORMAT_ERRNO, uint64(value))
}

// Pid is a process id.
func Pid(name string, value int) Field {
	return fixed(name, C.PACK_SIGNED, C.UE_ENCODING_VALUE32, C.UE_FORMAT_PID, uint64(value))
}

// Time is a time, in whole seconds.
func Time(name string, value time.Time) Field {
	return fixed(name, C.PACK_SIGNED, C.UE_ENCODING_VALUE64, C.UE_FORMAT_TIME,
		uint64(value.Unix()))
}

// Duration is a number of nanoseconds.
func Duration(name string, value time.Duration) Field { return Int64(name, int64(value)) }

// Port is a port.
func Port(name string, value uint16) Field {
	var bytes [2]byte
	binary.BigEndian.PutUint16(bytes[:], value)
	return fixed(name, none, C.UE_ENCODING_VALUE16, C.UE_FORMAT_PORT,
		uint64(*(*uint16)(unsafe.Pointer(&bytes))))
}

func data(name string, kind, encoding, format uint8, bytes []byte, text string) Field {
	return Field{name: name, kind: kind, op: C.PACK_FIELD, encoding: encoding, format: format,
		bytes: bytes, text: text, elements: -1}
}

// String is text. In a classic event, a NUL in it becomes "?".
func String(name, value string) Field {
	return data(name, C.PACK_TEXT, C.UE_ENCODING_STRING_LENGTH16_CHAR8, 0, nil, value)
}

// JSON is text that is JSON.
func JSON(name, value string) Field {
	return data(name, C.PACK_TEXT, C.UE_ENCODING_STRING_LENGTH16_CHAR8, C.UE_FORMAT_STRING_JSON,
		nil, value)
}

// Bytes are any bytes. The slice must not change until the event is written.
func Bytes(name string, value []byte) Field {
	return data(name, C.PACK_BYTES, C.UE_ENCODING_BINARY_LENGTH16_CHAR8, 0, value, "")
}

// UUID is a UUID, in the order of RFC 4122.
func UUID(name string, value [16]byte) Field {
	return data(name, none, C.UE_ENCODING_VALUE128, C.UE_FORMAT_UUID, value[:], "")
}

// IP is an address; null if it is not valid.
func IP(name string, value netip.Addr) Field {
	switch {
	case !value.IsValid():
		return Null(name)
	case value.Is4():
		return data(name, none, C.UE_ENCODING_VALUE32, C.UE_FORMAT_IP_ADDRESS, value.AsSlice(), "")
	}
	return data(name, none, C.UE_ENCODING_VALUE128, C.UE_FORMAT_IP_ADDRESS, value.AsSlice(), "")
}

// Null is a value that is missing.
func Null(name string) Field {
	return data(name, none, C.UE_ENCODING_BINARY_LENGTH16_CHAR8, C.UE_FORMAT_UNSIGNED_INT, nil, "")
}

// A Number can be an element of an array.
type Number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | bool
}

// Array is an array of numbers or booleans. The slice must not change until the event is
// written.
func Array[T Number](name string, values []T) Field {
	var one T
	field := data(name, none, 0, 0, nil, "")
	field.elements = len(values)
	field.encoding = C.UE_ENCODING_VALUE8
	for size := unsafe.Sizeof(one); size > 1; size /= 2 {
		field.encoding++
	}
	field.encoding |= C.UE_ENCODING_VARRAY
	switch any(one).(type) {
	case bool:
		field.format = C.UE_FORMAT_BOOLEAN
	case float32, float64:
		field.format = C.UE_FORMAT_FLOAT
	case int8, int16, int32, int64:
		field.format = C.UE_FORMAT_SIGNED_INT
	default:
		field.format = C.UE_FORMAT_UNSIGNED_INT
	}
	if len(values) > 0 {
		field.bytes = unsafe.Slice((*byte)(unsafe.Pointer(&values[0])),
			len(values)*int(unsafe.Sizeof(one)))
	}
	return field
}

// Strings is an array of texts.
func Strings(name string, values []string) Field {
	field := data(name, none, C.UE_ENCODING_STRING_LENGTH16_CHAR8|C.UE_ENCODING_VARRAY, 0, nil, "")
	field.elements = len(values)
	for _, value := range values {
		if len(field.bytes) > sizeMax {
			break
		}
		value = value[:atMost(len(value))]
		field.bytes = appendUint16(field.bytes, len(value))
		field.bytes = append(field.bytes, value...)
	}
	return field
}

// Struct is a struct of fields, 1 to 127 of them.
func Struct(name string, fields ...Field) Field {
	return Field{name: name, kind: none, op: C.PACK_STRUCT_BEGIN, fields: fields}
}

// Structs is an array of structs, which all have the same names and types.
func Structs(name string, items ...[]Field) Field {
	if len(items) == 0 {
		return Array(name, []uint8(nil))
	}
	return Field{name: name, kind: none, op: C.PACK_STRUCTS_BEGIN, items: items}
}

// Tagged is the field with a number of the provider's own.
func Tagged(tag uint16, field Field) Field {
	field.tag = tag
	return field
}

// A list of fields for pack.c.
type list struct {
	bytes []byte
}

var lists = sync.Pool{New: func() any { return &list{} }}

func newList() *list {
	made := lists.Get().(*list)
	made.bytes = made.bytes[:0]
	return made
}

func (l *list) release() { lists.Put(l) }

func (l *list) start() unsafe.Pointer { return l.at(0) }

// at is valid until the list grows; nil at its end.
func (l *list) at(index int) unsafe.Pointer {
	if index == len(l.bytes) {
		return nil
	}
	return unsafe.Pointer(&l.bytes[index])
}

func (l *list) size() C.size_t { return C.size_t(len(l.bytes)) }

// addText adds a C string.
func (l *list) addText(text string) {
	l.bytes = append(append(l.bytes, text...), 0)
}

// sizeMax is more than any event has: what is longer is cut to it, and lost all the same. So
// sizes fit the 32 bits that they have in a list.
const sizeMax = 1 << 20

func within[T string | []byte](long T) T {
	if len(long) > sizeMax {
		return long[:sizeMax]
	}
	return long
}

// add adds a field whose value of so many bytes, at most sizeMax and 2, follows.
func (l *list) add(op uint8, field *Field, size int) error {
	if strings.IndexByte(field.name, 0) >= 0 {
		return malformed("the name of the field %q has a NUL", field.name)
	}
	name := within(field.name)
	head := C.struct_pack_head{op: C.uint8_t(op), encoding: C.uint8_t(field.encoding),
		format: C.uint8_t(field.format), tag: C.uint16_t(field.tag),
		name: C.uint32_t(len(name)), value: C.uint32_t(size)}
	l.bytes = append(l.bytes, (*[C.sizeof_struct_pack_head]byte)(unsafe.Pointer(&head))[:]...)
	l.addText(name)
	return nil
}

func (l *list) addFields(fields []Field) error {
	for i := range fields {
		if err := l.addField(&fields[i]); err != nil {
			return err
		}
	}
	return nil
}

func (l *list) addField(field *Field) error {
	switch {
	case field.op == C.PACK_STRUCT_BEGIN:
		return l.addStruct(field)
	case field.op == C.PACK_STRUCTS_BEGIN:
		return l.addStructs(field)
	case field.size > 0:
		if err := l.add(field.op, field, int(field.size)); err != nil {
			return err
		}
		l.addNumber(field.number, int(field.size))
		return nil
	}
	return l.addData(field)
}

// addData adds text, bytes and arrays. Those longer than their count can say are too large for
// any listener, and lost.
func (l *list) addData(field *Field) error {
	length := atMost(len(field.bytes) + len(field.text))
	count, counted := length, field.encoding >= C.UE_ENCODING_STRING_LENGTH16_CHAR8
	if field.elements >= 0 {
		length, count, counted = len(within(field.bytes)), atMost(field.elements), true
	}
	size := length
	if counted {
		size += 2
	}
	if err := l.add(field.op, field, size); err != nil {
		return err
	}
	if counted {
		l.bytes = appendUint16(l.bytes, count)
	}
	if len(field.text) > 0 {
		l.bytes = append(l.bytes, field.text[:length]...)
	} else {
		l.bytes = append(l.bytes, field.bytes[:length]...)
	}
	return nil
}

func (l *list) addStruct(field *Field) error {
	if err := l.add(field.op, field, 0); err != nil {
		return err
	}
	if err := l.addFields(field.fields); err != nil {
		return err
	}
	return l.add(C.PACK_STRUCT_END, &Field{}, 0)
}

func (l *list) addStructs(field *Field) error {
	if err := l.add(field.op, field, 0); err != nil {
		return err
	}
	for _, item := range field.items {
		if err := l.add(C.PACK_STRUCT_NEXT, &Field{}, 0); err != nil {
			return err
		}
		if err := l.addFields(item); err != nil {
			return err
		}
	}
	return l.add(C.PACK_STRUCT_END, &Field{}, 0)
}

// addValue adds a field of a classic event.
func (l *list) addValue(field *Field) error {
	switch field.kind {
	case C.PACK_UNSIGNED, C.PACK_SIGNED:
		if err := l.add(field.kind, field, 8); err != nil {
			return err
		}
		l.addNumber(field.number, 8)
		return nil
	case C.PACK_TEXT:
		text := strings.ReplaceAll(within(field.text), "\x00", "?")
		if err := l.add(field.kind, field, len(text)+1); err != nil {
			return err
		}
		l.addText(text)
		return nil
	case C.PACK_BYTES:
		bytes := within(field.bytes)
		if err := l.add(field.kind, field, len(bytes)); err != nil {
			return err
		}
		l.bytes = append(l.bytes, bytes...)
		return nil
	}
	return malformed("the field %q is for tracepoints only", field.name)
}

// addNumber adds the low bytes of a number in the machine's order.
func (l *list) addNumber(number uint64, size int) {
	bytes := (*[8]byte)(unsafe.Pointer(&number))[:]
	if bigEndian {
		bytes = bytes[8-size:]
	}
	l.bytes = append(l.bytes, bytes[:size]...)
}

var bigEndian = func() bool {
	one := uint16(1)
	return *(*byte)(unsafe.Pointer(&one)) == 0
}()

func appendUint16(to []byte, number int) []byte {
	value := uint16(number)
	return append(to, (*[2]byte)(unsafe.Pointer(&value))[:]...)
}

func atMost(length int) int {
	if length > math.MaxUint16 {
		return math.MaxUint16
	}
	return length
}
