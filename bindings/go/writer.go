// SPDX-License-Identifier: MIT

package userevents

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// MessageMax is the number of bytes that a message of NewWriter has at most.
const MessageMax = 2048

// NewWriter makes a writer for package log and the like. Each call of its Write, which is one
// line of a log.Logger, becomes an event of this name with the field message. A longer message
// is cut between characters, and ends with "...".
//
//	log.SetOutput(io.MultiWriter(os.Stderr, userevents.NewWriter(tracepoint, "Log")))
//
// Its Write never fails: an event that is lost is counted (Tracepoint.Losses).
func NewWriter(tracepoint *Tracepoint, name string) io.Writer {
	return writer{tracepoint, name}
}

type writer struct {
	tracepoint *Tracepoint
	name       string
}

func (w writer) Write(line []byte) (int, error) {
	if w.tracepoint.Enabled() {
		message := cut(bytes.TrimSuffix(line, []byte("\n")))
		_ = w.tracepoint.Write(w.name, String("message", message))
	}
	return len(line), nil
}

func cut[Text string | []byte](message Text) string {
	if len(message) <= MessageMax {
		return string(message)
	}
	end := MessageMax - len("...")
	for steps := utf8.UTFMax - 1; steps > 0 && !utf8.RuneStart(message[end]); steps-- {
		end--
	}
	return string(message[:end]) + "..."
}
