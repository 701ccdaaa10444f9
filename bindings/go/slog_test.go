// SPDX-License-Identifier: MIT

//go:build go1.21

package userevents

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

type panics struct{}

func (panics) String() string { panic("no text") }

type fails struct{ reason *string }

func (f *fails) Error() string { return *f.reason }

type resolvesToPanic struct{}

func (resolvesToPanic) LogValue() slog.Value { panic("no value") }

// A value whose attributes are of its own type, without an end.
type endless struct{ inside string }

func (e endless) LogValue() slog.Value {
	return slog.GroupValue(slog.Any(e.inside, e), slog.Any(e.inside, e), slog.Int("x", 1))
}

// tests/bindings/golang_test.py reads the events back.
func TestSlog(t *testing.T) {
	session, err := Open()
	if err != nil {
		t.Skip(err)
	}
	var next strings.Builder
	handler := NewSlogHandler(session, "GoSlog", slog.NewTextHandler(&next, nil))
	logger := slog.New(handler)
	ctx := WithActivity(context.Background(), Activity{15: 1})

	logger.InfoContext(ctx, "placed", "order", 17, "total", 99.5, "ok", true, "user", "ann",
		"took", time.Second, "error", errors.New("gone"), "at", time.Unix(60, 0).UTC(),
		slog.Group("item", "name", "tea", slog.Group("size", "x", uint64(1))), slog.Group("empty"))
	logger.With("a", 1).WithGroup("g").With("b", 2).WithGroup("h").Warn("grouped", "c", 3)
	logger.Error("odd", "nul\x00name", panics{}, "long", strings.Repeat("x", 5000))
	logger.Debug("debug")
	if strings.Count(next.String(), "\n") != 3 {
		t.Error(next.String())
	}
	if handler.Altered() != 2 { // the name with a NUL, and the long text
		t.Error(handler.Altered())
	}
	odd := NewSlogHandler(session, "GoHostile", nil)
	hostile(slog.New(odd))
	if odd.Altered() < 5000 {
		t.Error(odd.Altered())
	}
	large(t, session)
}

// large logs more than a record has room for: it is cut, and counted.
func large(t *testing.T, session *Session) {
	long := strings.Repeat("é", 1000)
	handler := NewSlogHandler(session, "GoLarge", nil)
	logger := slog.New(handler).With("a", long).WithGroup("g").With("b", long)

	logger.Info("large", "c", long, "d", 5, slog.Group("h", "e", long), strings.Repeat("n", 3000), 1)
	if handler.Altered() != 6 { // b is cut, c, d, h and a name are left out, and the name is cut before that
		t.Error(handler.Altered())
	}
	logger.Info("short")
	logger.Info(strings.Repeat("m", 3000), "c", 1)
	if handler.Altered() != 10 { // b of "short"; then the message and a are cut, and g is left out
		t.Error(handler.Altered())
	}
	tracepoint, _ := session.Tracepoint("GoLarge", Warning, 1)
	line := []byte(strings.Repeat("x", 2048) + "\n")
	NewWriter(tracepoint, "Log").Write(line)
	if tracepoint.Altered() != 0 {
		t.Error(tracepoint.Altered())
	}
	NewWriter(tracepoint, "Log").Write(append([]byte("y"), line...))
	if tracepoint.Altered() != 1 {
		t.Error(tracepoint.Altered())
	}
}

// hostile logs what no field has. It is read back, too.
func hostile(logger *slog.Logger) {
	cyclic := map[string]any{}
	cyclic["itself"] = cyclic
	list := []any{nil}
	list[0] = list
	structure := struct{ inside any }{cyclic}
	nested := any(1)
	for i := 0; i < 100; i++ {
		nested = []any{nested}
	}
	var none *fails
	odd := []any{"map", cyclic, "list", list, "struct", &structure, "deep", nested,
		"wide", make([]uint64, 1<<20), "nil", nil, "error", none, "panic", panics{}, "value", resolvesToPanic{},
		"bytes", []byte{1, 2}, "func", func() {}, "", cyclic, "lonely"}
	logger.Info("odd", odd...)
	logger.Info("endless", "named", endless{"e"})
	logger.Info("inline", "named", endless{""})
	logger.Info("utf\xff8\x00", "b\xffd", "\xff\xfe\x00", strings.Repeat("k", 9000), 1)
	for i := 0; i < 20; i++ {
		logger = logger.WithGroup("g\x00").With("a", i)
	}
	logger.Info("groups", "last", 1<<63-1)
	logger.InfoContext(nil, "nil", slog.Group(strings.Repeat("g", 9000), "x", 1)) //nolint:staticcheck // is tested
	many := make([]any, 5000)
	for i := range many {
		many[i] = slog.Int("", i)
	}
	logger.Info("many", many...)
	(&SlogHandler{}).WithGroup("g").WithAttrs([]slog.Attr{slog.Int("a", 1)}).Enabled(nil, slog.LevelInfo) //nolint:staticcheck
	slog.New(NewSlogHandler(nil, "GoHostile", nil)).Error("nowhere")
	slog.New(NewSlogHandler(&Session{}, "no name", nil)).Error("nowhere")
}
