// SPDX-License-Identifier: MIT
//! Fields of any value, for the crates of loggers: a program does not fail because of its trace.
use std::borrow::Cow;
use std::fmt::{self, Write};
use std::panic::{self, AssertUnwindSafe};

use crate::builder::Fields;

const PANIC: &str = "<its text panics>";
const MARK: &str = "...";

/// Bytes that a record has for its fields, of the 4064 that every listener receives: the rest is for
/// the headers, two activities and some of the name.
const ROOM: usize = 3900;

/// Bytes of a field beside its name and text.
const HEAD: usize = 5;

/// Adds fields as long as there is room for them, and cuts texts.
pub struct Fitter<'a, 'fields> {
    fields: &'a mut Fields<'fields>,
    room: usize,
    /// Values that were cut or left out.
    pub altered: u64,
}

impl<'a, 'fields> Fitter<'a, 'fields> {
    /// For the fields of one event of this name.
    pub fn new(fields: &'a mut Fields<'fields>, name: &str) -> Self {
        Fitter { fields, room: ROOM.saturating_sub(name.len()), altered: 0 }
    }

    /// A value of at most 8 bytes, which the closure adds.
    pub fn number(&mut self, name: &str, add: impl FnOnce(&mut Fields<'fields>)) {
        if self.takes(name.len() + HEAD + 8) {
            add(self.fields);
        }
    }

    /// Text of at most so many bytes.
    pub fn str(&mut self, name: &str, text: &str, most: usize) {
        if self.takes(name.len() + HEAD) {
            let fitted = cut(text, most.min(self.room));
            self.altered += u64::from(fitted.len() != text.len());
            self.room -= fitted.len();
            self.fields.str(name, &fitted);
        }
    }

    /// The text of a value, of at most so many bytes. If the value fails or panics, `<its text
    /// panics>` follows what it had made before.
    pub fn value(&mut self, name: &str, value: fmt::Arguments<'_>, most: usize) {
        if self.takes(name.len() + HEAD) {
            let (text, altered) = text_of(most.min(self.room), value);
            self.altered += u64::from(altered);
            self.room = self.room.saturating_sub(text.len());
            self.fields.str(name, &text);
        }
    }

    /// Keeps room for a text that follows other fields, until release().
    pub fn keep(&mut self, name: &str, text: &str, most: usize) -> usize {
        let kept = (name.len() + HEAD + text.len().min(most)).min(self.room);
        self.room -= kept;
        kept
    }

    /// Gives back what keep() kept.
    pub fn release(&mut self, kept: usize) {
        self.room += kept;
    }

    fn takes(&mut self, bytes: usize) -> bool {
        let fits = bytes <= self.room;
        if fits {
            self.room -= bytes;
        } else {
            self.altered += 1;
        }
        fits
    }
}

/// Whether it was altered, too.
fn text_of(most: usize, value: fmt::Arguments<'_>) -> (String, bool) {
    let mut text = Text { made: String::new(), most };
    let result = panic::catch_unwind(AssertUnwindSafe(|| text.write_fmt(value)));
    if text.made.len() > most {
        return (cut(&text.made, most).into_owned(), true);
    }
    match result {
        Ok(Ok(())) => (text.made, false),
        _ => (begin(&text.made, most.saturating_sub(PANIC.len())).to_owned() + PANIC, true),
    }
}

/// It ends its value's work when it is full, as a value may make text without an end.
struct Text {
    made: String,
    most: usize,
}

impl Write for Text {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        // A character that is kept beyond the end says that something is cut.
        self.made.push_str(begin(more, self.most + 4 - self.made.len()));
        if self.made.len() > self.most {
            return Err(fmt::Error);
        }
        Ok(())
    }
}

/// The text, or its beginning and "...".
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let mark = &MARK[..MARK.len().min(most)];
    Cow::Owned(begin(text, most - mark.len()).to_owned() + mark)
}

/// The beginning of a text, of whole characters.
fn begin(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
