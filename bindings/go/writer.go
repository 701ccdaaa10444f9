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
// Its Write never fails: an event that is lost is counted (Tracepoint.Losses), and so is a message
// that is cut (Tracepoint.Altered).
func NewWriter(tracepoint *Tracepoint, name string) io.Writer {
	return writer{tracepoint, name}
}

type writer struct {
	tracepoint *Tracepoint
	name       string
}

func (w writer) Write(line []byte) (int, error) {
	if w.tracepoint.Enabled() {
		line := bytes.TrimSuffix(line, []byte("\n"))
		message := cut(line, MessageMax)
		if len(message) != len(line) {
			w.tracepoint.altered.Add(1)
		}
		_ = w.tracepoint.Write(w.name, String("message", message))
	}
	return len(line), nil
}

// Altered counts the messages that NewWriter cut.
func (t *Tracepoint) Altered() uint64 {
	if t == nil {
		return 0
	}
	return t.altered.Load()
}

// cut is the text, or its beginning and "...", at most so many bytes.
func cut[Text string | []byte](message Text, most int) string {
	if len(message) <= most {
		return string(message)
	}
	if most < len("...") {
		return "..."[:most]
	}
	end := most - len("...")
	for steps := utf8.UTFMax - 1; steps > 0 && end > 0 && !utf8.RuneStart(message[end]); steps-- {
		end--
	}
	return string(message[:end]) + "..."
}
