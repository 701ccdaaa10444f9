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
}
