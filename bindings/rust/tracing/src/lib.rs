// SPDX-License-Identifier: MIT
//! A layer of `tracing-subscriber` that writes events and spans as trace events.
//!
//! ```
//! use tracing_subscriber::prelude::*;
//!
//! tracing_subscriber::registry().with(userevents_tracing::layer("MyCompany_Shop")).init();
//!
//! let span = tracing::info_span!("checkout", user = "ann");
//! let _entered = span.enter();
//! tracing::warn!(left = 3, "few items");
//! ```
//!
//! Each level is a tracepoint of the provider, from `MyCompany_Shop_L2K1` (error) to `L5K1` (debug
//! and trace). Values are recorded only while a tool listens to the level.
//!
//! - An event is a trace event `Log`, with the fields `message`, `target`, and those of the event.
//! - A span is an activity: a trace event of its name starts it, with its fields, and another stops
//!   it when it is closed. Its parent is the related activity. Values that are recorded later are an
//!   event of its name, too. Events in a span belong to its activity.
//!
//! Numbers and booleans keep their types; others are text, of at most 1024 bytes; a text that is cut
//! ends with `...`. Fields that do not fit the 4064 bytes that every listener receives are left out. A
//! value whose `Debug` or `Display` fails or panics has the text that it had made before; the panic goes
//! no further. [`altered`] counts all of these.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};

use tracing_core::field::{Field, Visit};
use tracing_core::span::{Attributes, Id, Record};
use tracing_core::{Event, Level, Subscriber};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;
use userevents::text::Fitter;
use userevents::{Activity, Fields, Opcode, Session, Tracepoint};

/// Bytes that a text has at most.
const TEXT: usize = 1024;

static ALTERED: AtomicU64 = AtomicU64::new(0);

/// How many values of all layers were cut or left out, or failed or panicked, in this process.
pub fn altered() -> u64 {
    ALTERED.load(Ordering::Relaxed)
}

/// The layer, of [`layer`].
pub struct Layer {
    tracepoints: [Option<Tracepoint<'static>>; 4],
}

/// A layer that writes to what [`Session::open`] finds, or nothing.
pub fn layer(provider: &str) -> Layer {
    layer_of(Box::leak(Box::new(Session::open_or_none())), provider)
}

/// A layer that writes to a session. A level whose tracepoint cannot be registered is written
/// nowhere.
pub fn layer_of(session: &'static Session, provider: &str) -> Layer {
    use userevents::Level;
    let levels = [Level::ERROR, Level::WARNING, Level::INFORMATION, Level::VERBOSE];
    Layer { tracepoints: levels.map(|level| session.tracepoint(provider, level, 1).ok()) }
}

impl Layer {
    fn enabled_of(&self, level: &Level) -> Option<&Tracepoint<'static>> {
        let tracepoint = match *level {
            Level::ERROR => &self.tracepoints[0],
            Level::WARN => &self.tracepoints[1],
            Level::INFO => &self.tracepoints[2],
            _ => &self.tracepoints[3],
        };
        tracepoint.as_ref().filter(|tracepoint| tracepoint.is_enabled())
    }
}

/// Of a span.
struct Ids(Activity);

impl<S> tracing_subscriber::Layer<S> for Layer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let (span, activity) = match (context.span(id), Activity::new()) {
            (Some(span), Ok(activity)) => (span, activity),
            _ => return,
        };
        span.extensions_mut().replace(Ids(activity));
        if let Some(tracepoint) = self.enabled_of(attributes.metadata().level()) {
            let name = attributes.metadata().name();
            let start = tracepoint.event(name);
            let mut start = start.opcode(Opcode::ACTIVITY_START).activity(activity);
            let parent = span.parent().and_then(|parent| activity_of(&parent.extensions()));
            if let Some(parent) = parent {
                start = start.related(parent);
            }
            // A trace event that is lost is counted.
            let _ = start.write(|fields| attributes.record(&mut Visitor::new(fields, name)));
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        self.write_of_span(id, &context, Opcode::INFO, |visitor| values.record(visitor));
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        if let Some(tracepoint) = self.enabled_of(event.metadata().level()) {
            let mut record = tracepoint.event("Log");
            let span = context.event_span(event);
            if let Some(activity) = span.and_then(|span| activity_of(&span.extensions())) {
                record = record.activity(activity);
            }
            let _ = record.write(|fields| {
                let mut visitor = Visitor::new(fields, "Log");
                let target = event.metadata().target();
                let kept = visitor.0.keep("target", target, TEXT);
                event.record(&mut visitor);
                visitor.0.release(kept);
                visitor.0.str("target", target, TEXT);
            });
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        self.write_of_span(&id, &context, Opcode::ACTIVITY_STOP, |_| ());
    }
}

impl Layer {
    fn write_of_span<S>(
        &self,
        id: &Id,
        context: &Context<'_, S>,
        opcode: Opcode,
        add: impl FnOnce(&mut Visitor<'_, '_>),
    ) where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let span = match context.span(id) {
            Some(span) => span,
            None => return,
        };
        let activity = activity_of(&span.extensions());
        let tracepoint = self.enabled_of(span.metadata().level());
        if let (Some(tracepoint), Some(activity)) = (tracepoint, activity) {
            let record = tracepoint.event(span.name()).opcode(opcode).activity(activity);
            let _ = record.write(|fields| add(&mut Visitor::new(fields, span.name())));
        }
    }
}

fn activity_of(extensions: &tracing_subscriber::registry::Extensions<'_>) -> Option<Activity> {
    extensions.get::<Ids>().map(|ids| ids.0)
}

struct Visitor<'a, 'fields>(Fitter<'a, 'fields>);

impl<'a, 'fields> Visitor<'a, 'fields> {
    fn new(fields: &'a mut Fields<'fields>, name: &str) -> Self {
        Visitor(Fitter::new(fields, name))
    }
}

impl Drop for Visitor<'_, '_> {
    fn drop(&mut self) {
        ALTERED.fetch_add(self.0.altered, Ordering::Relaxed);
    }
}

impl Visit for Visitor<'_, '_> {
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.number(field.name(), |fields| {
            fields.i64(field.name(), value);
        });
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.number(field.name(), |fields| {
            fields.u64(field.name(), value);
        });
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.number(field.name(), |fields| {
            fields.f64(field.name(), value);
        });
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.number(field.name(), |fields| {
            fields.bool(field.name(), value);
        });
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.str(field.name(), value, TEXT);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.value(field.name(), format_args!("{value:?}"), TEXT);
    }
}
