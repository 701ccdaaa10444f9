// SPDX-License-Identifier: MIT

package userevents

// #include "calls.h"
import "C"

import (
	"encoding/binary"
	"math"
	"net/netip"
	"syscall"
	"time"
	"unsafe"
)

// A Field is a field of an event with its value. The functions below make fields.
type Field struct {
	name             string
	text             string     // text or bytes, those of an array, too
	number           uint64     // of a fixed size, its bytes
	nested           *[][]Field // of structs
	elements         int32      // of an array; -1: the field is none
	tag              uint16
	kind             uint8 // of a classic event: how its value is passed
	encoding, format uint8
	size             uint8 // of number
}

// Kinds of values of classic events.
const (
	none = iota // classic events do not have it
	unsignedNumber
	signedNumber
	textValue
	bytesValue
)

func fixed(name string, kind, encoding, format uint8, number uint64) Field {
	return Field{name: name, kind: kind, encoding: encoding, format: format,
		size: 1 << (encoding - C.UE_ENCODING_VALUE8), number: number}
}

func unsigned(name string, encoding uint8, value uint64) Field {
	return fixed(name, unsignedNumber, encoding, C.UE_FORMAT_UNSIGNED_INT, value)
}

func signed(name string, encoding uint8, value int64) Field {
	return fixed(name, signedNumber, encoding, C.UE_FORMAT_SIGNED_INT, uint64(value))
}

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
	return fixed(name, unsignedNumber, C.UE_ENCODING_VALUE64, C.UE_FORMAT_HEX_INT, value)
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
	return fixed(name, unsignedNumber, C.UE_ENCODING_VALUE8, C.UE_FORMAT_BOOLEAN, number)
}

// Errno is an error number, shown by its name.
func Errno(name string, value syscall.Errno) Field {
	return fixed(name, signedNumber, C.UE_ENCODING_VALUE32, C.UE_FORMAT_ERRNO, uint64(value))
}

// Pid is a process id.
func Pid(name string, value int) Field {
	return fixed(name, signedNumber, C.UE_ENCODING_VALUE32, C.UE_FORMAT_PID, uint64(value))
}

// Time is a time, in whole seconds.
func Time(name string, value time.Time) Field {
	return fixed(name, signedNumber, C.UE_ENCODING_VALUE64, C.UE_FORMAT_TIME,
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

func data(name string, kind, encoding, format uint8, text string) Field {
	return Field{name: name, kind: kind, encoding: encoding, format: format, text: text, elements: -1}
}

// stringOf is the bytes without a copy: they do not change until the event is written.
func stringOf(bytes []byte) string { return *(*string)(unsafe.Pointer(&bytes)) }

// String is text. In a classic event, a NUL in it becomes "?".
func String(name, value string) Field {
	return data(name, textValue, C.UE_ENCODING_STRING_LENGTH16_CHAR8, 0, value)
}

// JSON is text that is JSON.
func JSON(name, value string) Field {
	return data(name, textValue, C.UE_ENCODING_STRING_LENGTH16_CHAR8, C.UE_FORMAT_STRING_JSON,
		value)
}

// Bytes are any bytes. The slice must not change until the event is written.
func Bytes(name string, value []byte) Field {
	return data(name, bytesValue, C.UE_ENCODING_BINARY_LENGTH16_CHAR8, 0, stringOf(value))
}

// UUID is a UUID, in the order of RFC 4122.
func UUID(name string, value [16]byte) Field {
	return data(name, none, C.UE_ENCODING_VALUE128, C.UE_FORMAT_UUID, string(value[:]))
}

// IP is an address; null if it is not valid.
func IP(name string, value netip.Addr) Field {
	switch {
	case !value.IsValid():
		return Null(name)
	case value.Is4():
		return data(name, none, C.UE_ENCODING_VALUE32, C.UE_FORMAT_IP_ADDRESS, stringOf(value.AsSlice()))
	}
	return data(name, none, C.UE_ENCODING_VALUE128, C.UE_FORMAT_IP_ADDRESS, stringOf(value.AsSlice()))
}

// Null is a value that is missing.
func Null(name string) Field {
	return data(name, none, C.UE_ENCODING_BINARY_LENGTH16_CHAR8, C.UE_FORMAT_UNSIGNED_INT, "")
}

// A Number can be an element of an array.
type Number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | bool
}

// Array is an array of numbers or booleans. The slice must not change until the event is
// written.
func Array[T Number](name string, values []T) Field {
	var one T
	field := data(name, none, 0, 0, "")
	field.elements = countOf(len(values))
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
		field.text = stringOf(unsafe.Slice((*byte)(unsafe.Pointer(&values[0])),
			len(values)*int(unsafe.Sizeof(one))))
	}
	return field
}

// Strings is an array of texts.
func Strings(name string, values []string) Field {
	field := data(name, none, C.UE_ENCODING_STRING_LENGTH16_CHAR8|C.UE_ENCODING_VARRAY, 0, "")
	field.elements = countOf(len(values))
	var bytes []byte
	for _, value := range values {
		if len(bytes) > recordMax || len(value) > recordMax {
			field.elements = recordMax + 1
			break
		}
		length := bytesOf(uint16(len(value)))
		bytes = append(append(bytes, length[:]...), value...)
	}
	field.text = stringOf(bytes)
	return field
}

// countOf is the number of elements, or one that is too large for any listener.
func countOf(length int) int32 {
	if length > recordMax {
		return recordMax + 1
	}
	return int32(length)
}

// Struct is a struct of fields, 1 to 127 of them.
func Struct(name string, fields ...Field) Field {
	return Field{name: name, encoding: C.UE_ENCODING_STRUCT, nested: &[][]Field{fields}}
}

// Structs is an array of structs, which all have the same names and types.
func Structs(name string, items ...[]Field) Field {
	if len(items) == 0 {
		return Array(name, []uint8(nil))
	}
	return Field{name: name, encoding: C.UE_ENCODING_STRUCT | C.UE_ENCODING_VARRAY, nested: &items}
}

// Tagged is the field with a number of the provider's own.
func Tagged(tag uint16, field Field) Field {
	field.tag = tag
	return field
}
