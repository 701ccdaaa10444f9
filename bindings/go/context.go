// SPDX-License-Identifier: MIT

package userevents

import "context"

type activityKey struct{}

// WithActivity is the context with an activity, to which events of WriteContext belong.
//
// A nil context is context.Background() here and below: a program does not fail because of its trace.
func WithActivity(ctx context.Context, id Activity) context.Context {
	if ctx == nil {
		ctx = context.Background()
	}
	return context.WithValue(ctx, activityKey{}, id)
}

// ActivityOf is the activity of a context, if it has one.
func ActivityOf(ctx context.Context) (Activity, bool) {
	if ctx == nil {
		return Activity{}, false
	}
	id, has := ctx.Value(activityKey{}).(Activity)
	return id, has
}

// WriteContext is as Write, of an event that belongs to the activity of the context.
func (t *Tracepoint) WriteContext(ctx context.Context, name string, fields ...Field) error {
	if !t.Enabled() {
		return nil
	}
	if id, has := ActivityOf(ctx); has {
		return t.write(name, 0, &id, nil, fields)
	}
	return t.write(name, 0, nil, nil, fields)
}

// Start begins an activity, whose parent is that of the context, with an event. It returns the
// context of the activity, and a function that ends it with another event.
//
//	ctx, stop := orders.Start(ctx, "Checkout", userevents.String("user", "ann"))
//	defer stop()
//
// Errors of the events are ignored: lost ones are counted. Without randomness for an id, the
// context stays as it is.
func (t *Tracepoint) Start(ctx context.Context, name string, fields ...Field) (context.Context, func(...Field)) {
	if ctx == nil {
		ctx = context.Background()
	}
	id, err := NewActivity()
	if err != nil {
		return ctx, func(...Field) {}
	}
	if t.Enabled() {
		var related *Activity
		if parent, has := ActivityOf(ctx); has {
			related = &parent
		}
		_ = t.write(name, uint64(ActivityStart)<<48, &id, related, fields)
	}
	return WithActivity(ctx, id), func(fields ...Field) {
		if t.Enabled() {
			_ = t.write(name, uint64(ActivityStop)<<48, &id, nil, fields)
		}
	}
}
