// SPDX-License-Identifier: MIT
//! Text of any value, for the crates of loggers: a program does not fail because of its trace.
use std::fmt::{self, Write};
use std::panic::{self, AssertUnwindSafe};

const PANIC: &str = "<its text panics>";

/// The text of a value, of at most so many bytes. If the value fails or panics, `<its text panics>`
/// follows what it had made before.
pub fn text_of(most: usize, value: fmt::Arguments<'_>) -> String {
    let mut text = Text { made: String::new(), most };
    let result = panic::catch_unwind(AssertUnwindSafe(|| text.write_fmt(value)));
    if text.made.len() > most {
        return cut(&text.made, most).to_owned();
    }
    match result {
        Ok(Ok(())) => text.made,
        _ => cut(&text.made, most.saturating_sub(PANIC.len())).to_owned() + PANIC,
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
        self.made.push_str(cut(more, self.most + 4 - self.made.len()));
        if self.made.len() > self.most {
            return Err(fmt::Error);
        }
        Ok(())
    }
}

/// The begin of a text, of whole characters.
pub fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
