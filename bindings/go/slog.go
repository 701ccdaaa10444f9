// SPDX-License-Identifier: MIT

//go:build go1.21

package userevents

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"time"
)

// A SlogHandler writes each record of log/slog as an event "Log" with the field message, and the
// attributes as fields of their types; groups are structs. The event belongs to the activity of the
// context.
//
//	slog.SetDefault(slog.New(userevents.NewSlogHandler(session, "MyCompany_Shop", slog.Default().Handler())))
//
// Each level is a tracepoint of the provider, from MyCompany_Shop_L2K1 (Error) to L5K1 (Debug and
// below).
//
// A record is written whatever its values are: a text is cut to 2048 bytes, and what is nested deeper
// than 8 groups, or after the 127th member of a group or the 1000th attribute, is left out. A value
// that has no text, as it contains itself or its method panics, is named by its type. A record that is
// too large nevertheless is lost, and counted.
type SlogHandler struct {
	tracepoints [4]*Tracepoint
	next        slog.Handler
	fields      [][]Field // of each open group, the outermost first
	groups      []string
}

// NewSlogHandler makes a handler. next gets the records, too, unless it is nil. A level whose
// tracepoint cannot be registered is written nowhere.
func NewSlogHandler(session *Session, provider string, next slog.Handler) *SlogHandler {
	made := &SlogHandler{next: next, fields: [][]Field{nil}}
	for i, level := range []Level{ErrorLevel, Warning, Information, Verbose} {
		made.tracepoints[i], _ = session.Tracepoint(provider, level, 1)
	}
	return made
}

func (h *SlogHandler) of(level slog.Level) *Tracepoint {
	switch {
	case level >= slog.LevelError:
		return h.tracepoints[0]
	case level >= slog.LevelWarn:
		return h.tracepoints[1]
	case level >= slog.LevelInfo:
		return h.tracepoints[2]
	}
	return h.tracepoints[3]
}

// Enabled reports whether a tool listens to the level, or the next handler wants it.
func (h *SlogHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.of(level).Enabled() || h.next != nil && h.next.Enabled(ctx, level)
}

// Handle writes the record. The error is that of the next handler: a lost event is counted.
func (h *SlogHandler) Handle(ctx context.Context, record slog.Record) error {
	if tracepoint := h.of(record.Level); tracepoint.Enabled() {
		fields := append([]Field(nil), h.fields[len(h.groups)]...)
		left := attrsMax
		record.Attrs(func(attr slog.Attr) bool {
			fields = addAttr(fields, attr, len(h.groups), &left)
			return true
		})
		for i := len(h.groups) - 1; i >= 0; i-- {
			fields = addGroup(append([]Field(nil), h.fields[i]...), h.groups[i], fields)
		}
		message := String("message", cut(record.Message))
		_ = tracepoint.WriteContext(ctx, "Log", append([]Field{message}, fields...)...)
	}
	if h.next != nil && h.next.Enabled(ctx, record.Level) {
		return h.next.Handle(ctx, record)
	}
	return nil
}

// WithAttrs is the handler with attributes that each record has.
func (h *SlogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	made := h.copy()
	last, left := len(made.groups), attrsMax
	for _, attr := range attrs {
		made.fields[last] = addAttr(made.fields[last], attr, last, &left)
	}
	if made.next != nil {
		made.next = made.next.WithAttrs(attrs)
	}
	return made
}

// WithGroup is the handler with a group for what follows.
func (h *SlogHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	made := h.copy()
	if len(made.groups) < depthMax {
		made.groups = append(made.groups, name)
		made.fields = append(made.fields, nil)
	}
	if made.next != nil {
		made.next = made.next.WithGroup(name)
	}
	return made
}

func (h *SlogHandler) copy() *SlogHandler {
	made := *h
	made.groups = append([]string(nil), h.groups...)
	made.fields = nil
	if len(h.fields) == 0 {
		made.fields = [][]Field{nil} // of the zero SlogHandler
	}
	for _, fields := range h.fields {
		made.fields = append(made.fields, append([]Field(nil), fields...))
	}
	return &made
}

// What is deeper, or follows so many members of a struct or attributes in all, is left out.
const depthMax, membersMax, attrsMax = 8, 127, 1000

func addGroup(fields []Field, name string, members []Field) []Field {
	switch {
	case len(members) == 0:
		return fields
	case name == "":
		return append(fields, members...)
	case len(members) > membersMax:
		members = members[:membersMax]
	}
	return append(fields, Struct(withoutNUL(cut(name)), members...))
}

// addAttr adds an attribute in a group of this depth, if there are any left.
func addAttr(fields []Field, attr slog.Attr, depth int, left *int) []Field {
	if *left <= 0 || attr.Equal(slog.Attr{}) {
		return fields
	}
	*left--
	name, value := withoutNUL(cut(attr.Key)), attr.Value.Resolve()
	switch value.Kind() {
	case slog.KindBool:
		return append(fields, Bool(name, value.Bool()))
	case slog.KindDuration:
		return append(fields, Duration(name, value.Duration()))
	case slog.KindFloat64:
		return append(fields, Float64(name, value.Float64()))
	case slog.KindInt64:
		return append(fields, Int64(name, value.Int64()))
	case slog.KindUint64:
		return append(fields, Uint64(name, value.Uint64()))
	case slog.KindTime:
		return append(fields, String(name, value.Time().Format(time.RFC3339Nano)))
	case slog.KindGroup:
		var members []Field
		for _, member := range value.Group() {
			if depth < depthMax {
				members = addAttr(members, member, depth+1, left)
			}
		}
		return addGroup(fields, attr.Key, members)
	case slog.KindString:
		return append(fields, String(name, cut(value.String())))
	}
	return append(fields, String(name, cut(shown(value.Any()))))
}

// shown is text of any value. A method of it may panic, and package fmt follows maps and slices that
// contain themselves until the stack overflows, which ends the program.
func shown(value any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T without text", value)
		}
	}()
	if err, is := value.(error); is {
		return err.Error()
	}
	if left := valuesMax; !isShort(reflect.ValueOf(value), 0, &left) {
		return fmt.Sprintf("%T that is too large", value)
	}
	return fmt.Sprint(value)
}

// valuesMax is more values than a text of MessageMax bytes has.
const valuesMax = 2 * MessageMax

// isShort reports whether the text of a value has few parts, which it takes from left.
func isShort(value reflect.Value, depth int, left *int) bool {
	*left--
	if *left < 0 || depth > 64 {
		return false
	}
	if value.IsValid() && value.CanInterface() {
		switch value.Interface().(type) {
		case error, fmt.Stringer, fmt.Formatter: // a method makes its text
			return true
		}
	}
	switch value.Kind() {
	case reflect.Interface:
		return isShort(value.Elem(), depth+1, left)
	case reflect.Pointer:
		return depth > 0 || isShort(value.Elem(), depth+1, left) // fmt follows the first one only
	case reflect.Map:
		for each := value.MapRange(); each.Next(); {
			if !isShort(each.Key(), depth+1, left) || !isShort(each.Value(), depth+1, left) {
				return false
			}
		}
	case reflect.Array, reflect.Slice:
		for i := 0; i < value.Len(); i++ {
			if !isShort(value.Index(i), depth+1, left) {
				return false
			}
		}
	case reflect.Struct:
		for i := 0; i < value.NumField(); i++ {
			if !isShort(value.Field(i), depth+1, left) {
				return false
			}
		}
	}
	return true
}

func withoutNUL(name string) string {
	bytes := []byte(name)
	replaceNULs(bytes)
	return string(bytes)
}
