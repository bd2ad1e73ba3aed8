//! A JSON writer for records. Keeps the register's order of keys and builds no tree.

/// The text of one JSON value under construction.
#[derive(Debug, Default)]
pub(crate) struct Json {
    text: String,
    follows: bool,
}

impl Json {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Clears the text and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.follows = false;
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    fn separate(&mut self) {
        if self.follows {
            self.text.push(',');
        }
        self.follows = true;
    }

    pub(crate) fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.enclosed('{', '}', members);
    }

    pub(crate) fn array(&mut self, items: impl FnOnce(&mut Self)) {
        self.enclosed('[', ']', items);
    }

    fn enclosed(&mut self, open: char, close: char, content: impl FnOnce(&mut Self)) {
        self.separate();
        self.text.push(open);
        self.follows = false;
        content(self);
        self.text.push(close);
        self.follows = true;
    }

    /// The name of a member; its value must follow.
    pub(crate) fn key(&mut self, name: &str) -> &mut Self {
        self.separate();
        self.text.push('"');
        self.text.push_str(name);
        self.text.push_str("\":");
        self.follows = false;
        self
    }

    pub(crate) fn string(&mut self, value: &str) {
        self.separate();
        self.text.push('"');
        for letter in value.chars() {
            match letter {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\r' => self.text.push_str("\\r"),
                '\t' => self.text.push_str("\\t"),
                _ => self.text.push(letter),
            }
        }
        self.text.push('"');
    }

    /// A number, `true`, `false` or other valid JSON text.
    pub(crate) fn raw(&mut self, value: impl std::fmt::Display) {
        use std::fmt::Write;
        self.separate();
        write!(self.text, "{value}").expect("text takes every character");
    }

    /// A value that needs no escaping, such as a date.
    pub(crate) fn plain(&mut self, value: impl std::fmt::Display) {
        use std::fmt::Write;
        self.separate();
        write!(self.text, "\"{value}\"").expect("text takes every character");
    }
}
