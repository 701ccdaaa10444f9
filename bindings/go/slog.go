// SPDX-License-Identifier: MIT

//go:build go1.21

package userevents

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync/atomic"
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
// A record is written whatever its values are. A text is cut to 2048 bytes, or to what fits the largest
// record that every listener receives (4064 bytes). What is nested deeper than 8 groups, after the 127th
// member of a group or the 1000th attribute, or does not fit, is left out. A value that has no text, as
// it contains itself or its method panics, is named by its type. Altered counts all of these. A method
// that calls itself without an end still ends the program: Go cannot recover from its stack overflow.
type SlogHandler struct {
	tracepoints [4]*Tracepoint
	next        slog.Handler
	fields      [][]Field // of each open group, the outermost first
	groups      []string
	most        int            // bytes of a record that every listener receives
	altered     *atomic.Uint64 // by this handler and those that are made of it
}

// NewSlogHandler makes a handler. next gets the records, too, unless it is nil. A level whose
// tracepoint cannot be registered is written nowhere.
func NewSlogHandler(session *Session, provider string, next slog.Handler) *SlogHandler {
	made := &SlogHandler{next: next, fields: [][]Field{nil}, most: session.payloadMax(), altered: new(atomic.Uint64)}
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
		f := fitter{left: attrsMax, room: h.most - recordHead}
		fields := append([]Field(nil), h.fields[len(h.groups)]...)
		record.Attrs(func(attr slog.Attr) bool {
			fields = f.addAttr(fields, attr, len(h.groups))
			return true
		})
		for i := len(h.groups) - 1; i >= 0; i-- {
			fields = f.addGroup(append([]Field(nil), h.fields[i]...), h.groups[i], fields)
		}
		message := String("message", f.cut(record.Message))
		fields = f.fit(append([]Field{message}, fields...))
		h.count(&f)
		_ = tracepoint.WriteContext(ctx, "Log", fields...)
	}
	if h.next != nil && h.next.Enabled(ctx, record.Level) {
		return h.next.Handle(ctx, record)
	}
	return nil
}

// Altered counts values that were not written as they are: cut, named by their type, or left out.
func (h *SlogHandler) Altered() uint64 {
	if h == nil || h.altered == nil {
		return 0
	}
	return h.altered.Load()
}

func (h *SlogHandler) count(f *fitter) {
	if f.altered > 0 && h.altered != nil {
		h.altered.Add(f.altered)
	}
}

// WithAttrs is the handler with attributes that each record has.
func (h *SlogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	made := h.copy()
	f, last := fitter{left: attrsMax}, len(made.groups)
	for _, attr := range attrs {
		made.fields[last] = f.addAttr(made.fields[last], attr, last)
	}
	h.count(&f)
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

// recordHead is at least the size of what precedes the fields: headers, an activity, the name.
const recordHead = 64

// fieldHead is at least the size of a field without its name and value.
const fieldHead = 5

// A fitter makes fields of attributes, and counts what it alters.
type fitter struct {
	left    int // attributes
	room    int // bytes
	altered uint64
}

func (f *fitter) cut(text string) string {
	fitted := cut(text, MessageMax)
	if len(fitted) != len(text) {
		f.altered++
	}
	return fitted
}

func (f *fitter) name(name string) string {
	name = f.cut(name)
	if strings.IndexByte(name, 0) < 0 {
		return name
	}
	f.altered++
	return strings.ReplaceAll(name, "\x00", "?")
}

// fit is the fields that there is room for. A text is cut.
func (f *fitter) fit(fields []Field) []Field {
	fitted := make([]Field, 0, len(fields))
	for _, field := range fields {
		room := f.room - len(field.name) - fieldHead - int(field.size)
		if room < 0 {
			f.altered++
			continue
		}
		f.room = room
		if field.nested != nil {
			members := f.fit((*field.nested)[0])
			if len(members) == 0 {
				continue
			}
			field = Struct(field.name, members...)
		}
		if len(field.text) > f.room {
			f.altered++
			field.text = cut(field.text, f.room)
		}
		f.room -= len(field.text)
		fitted = append(fitted, field)
	}
	return fitted
}

func (f *fitter) addGroup(fields []Field, name string, members []Field) []Field {
	switch {
	case len(members) == 0:
		return fields
	case name == "":
		return append(fields, members...)
	case len(members) > membersMax:
		f.altered += uint64(len(members) - membersMax)
		members = members[:membersMax]
	}
	return append(fields, Struct(f.name(name), members...))
}

// addAttr adds an attribute in a group of this depth, if there are any left.
func (f *fitter) addAttr(fields []Field, attr slog.Attr, depth int) []Field {
	if attr.Equal(slog.Attr{}) {
		return fields
	}
	if f.left <= 0 || depth > depthMax {
		f.altered++
		return fields
	}
	f.left--
	value := attr.Value.Resolve()
	if value.Kind() == slog.KindGroup {
		var members []Field
		for _, member := range value.Group() {
			members = f.addAttr(members, member, depth+1)
		}
		return f.addGroup(fields, attr.Key, members)
	}
	name := f.name(attr.Key)
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
	case slog.KindString:
		return append(fields, String(name, f.cut(value.String())))
	}
	return append(fields, String(name, f.cut(f.shown(value.Any()))))
}

// shown is text of any value. A method of it may panic, and package fmt follows maps and slices that
// contain themselves until the stack overflows, which ends the program.
func (f *fitter) shown(value any) (text string) {
	defer func() {
		if recover() != nil {
			f.altered++
			text = fmt.Sprintf("%T without text", value)
		}
	}()
	if err, is := value.(error); is {
		return err.Error()
	}
	if left := valuesMax; !isShort(reflect.ValueOf(value), 0, &left) {
		f.altered++
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
