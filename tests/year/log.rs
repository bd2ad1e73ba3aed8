//! What happened, in lines that are the same for the same seed.

use std::fmt::Write;

use sha2::{Digest, Sha256};

#[derive(Default)]
pub struct Log {
    text: String,
    lines: usize,
}

impl Log {
    pub fn add(&mut self, day: u32, line: &str) {
        writeln!(self.text, "day {day}: {line}").expect("a text grows");
        self.lines += 1;
    }

    /// Adds the lines of another log.
    pub fn append(&mut self, other: &Self) {
        self.text.push_str(&other.text);
        self.lines += other.lines;
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn lines(&self) -> usize {
        self.lines
    }

    /// The first 16 hexadecimal digits of the SHA-256 of the lines.
    pub fn digest(&self) -> String {
        let digest = Sha256::digest(self.text.as_bytes());
        digest[..8].iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").expect("a text grows");
            text
        })
    }
}
