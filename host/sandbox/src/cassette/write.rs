//! Writes cassettes. Bytes must read back exactly, so each text is quoted in the most readable form that preserves it.

use std::fmt::Write;
use std::path::Path;

use lustra_store::ConnectorId;
use serde::Serialize;
use serde_json::Value;

use super::{Cassette, CassetteError, FORMAT};
use crate::recording::{CallOutcome, Exchange, RecordedAnswer, RecordedCall};

/// Largest text that is written inline.
const MAX_INLINE_TEXT: usize = 256 << 10;

/// A serialised cassette: its text and the body files beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CassetteFiles {
    /// The cassette as TOML.
    pub text: String,
    /// Names and bytes of the files beside it.
    pub files: Vec<(String, Vec<u8>)>,
}

#[derive(Serialize)]
struct Head<'a> {
    format: u32,
    connector: &'a ConnectorId,
    version: &'a str,
    now: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<Verbatim>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    secret: &'a [String],
    call: &'a RecordedCall,
}

/// JSON as text, because TOML has no null.
#[derive(Serialize)]
#[serde(transparent)]
struct Verbatim(String);

impl Cassette {
    /// Serialises the cassette. Names of the files beside it start with `stem`.
    ///
    /// # Errors
    /// TOML refuses a value; a recording contains none.
    pub fn written(&self, stem: &str) -> Result<CassetteFiles, CassetteError> {
        let head = Head {
            format: FORMAT,
            connector: &self.connector,
            version: &self.version,
            now: crate::clock::rfc3339(self.recording.now),
            settings: (!self.settings.is_empty())
                .then(|| Verbatim(Value::Object(self.settings.clone()).to_string())),
            secret: &self.secret,
            call: &self.recording.call,
        };
        let mut written = CassetteFiles {
            text: format!(
                "# A call of a connector of Lustra, to be repeated without the network: lustra connector test\n{}",
                toml::to_string(&head)?
            ),
            files: Vec::new(),
        };
        for (number, exchange) in self.recording.exchanges.iter().enumerate() {
            written.exchange(&format!("{stem}.{}", number + 1), exchange);
        }
        for answer in &self.recording.host_answers {
            written.line("\n[[store]]");
            written.put("function", &answer.function);
            written.put("arguments", &answer.arguments.to_string());
            written.put("answer", &pretty(&answer.answer));
        }
        written.line("\n[expected]");
        match &self.recording.outcome {
            CallOutcome::Gave(value) => written.put("gave", &pretty(value)),
            CallOutcome::Failed(why) => written.put("failed", why),
        }
        Ok(written)
    }

    /// Writes the cassette and the files beside it, and removes those of an earlier cassette with that name.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), CassetteError> {
        let of = |path: &Path| {
            let path = path.to_owned();
            move |error| CassetteError::File { path, error }
        };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let written = self.written(&stem)?;
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        std::fs::create_dir_all(directory).map_err(of(directory))?;
        for entry in std::fs::read_dir(directory)
            .map_err(of(directory))?
            .flatten()
        {
            if is_beside(&stem, &entry.file_name().to_string_lossy()) {
                std::fs::remove_file(entry.path()).map_err(of(&entry.path()))?;
            }
        }
        for (name, bytes) in &written.files {
            let file = directory.join(name);
            std::fs::write(&file, bytes).map_err(of(&file))?;
        }
        std::fs::write(path, &written.text).map_err(of(path))
    }
}

/// Whether a file is a body of the cassette with this stem: the stem, a number and an extension.
fn is_beside(stem: &str, name: &str) -> bool {
    let rest = name
        .strip_prefix(stem)
        .and_then(|rest| rest.strip_prefix('.'));
    rest.and_then(|rest| rest.split_once('.'))
        .is_some_and(|(number, kind)| number.parse::<u32>().is_ok() && kind != "toml")
}

impl CassetteFiles {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn put(&mut self, name: &str, text: &str) {
        let quoted = quoted(text);
        self.line(&format!("{name} = {quoted}"));
    }

    fn exchange(&mut self, beside: &str, exchange: &Exchange) {
        let question = &exchange.question;
        self.line("\n[[exchange]]");
        self.put("method", &question.method);
        self.put("upstream", &question.upstream);
        self.put("path", &question.path);
        if let Some(from) = &question.range_from {
            self.put("range_from", from);
        }
        if let Some(digest) = &question.body_digest {
            self.put("body_digest", digest);
        }
        self.headers("request_headers", &exchange.request_headers);
        match &exchange.answer {
            Ok(answer) => self.answer(beside, answer),
            // TOML cannot represent a rate limit without seconds.
            Err(failure) => {
                let failure = serde_json::to_string(failure);
                self.put("failed", &failure.unwrap_or_default());
            }
        }
    }

    fn headers(&mut self, name: &str, headers: &[(String, String)]) {
        if headers.is_empty() {
            return;
        }
        let pairs: Vec<String> = headers
            .iter()
            .map(|(name, value)| format!("[{}, {}]", one_line(name), one_line(value)))
            .collect();
        self.line(&format!("{name} = [{}]", pairs.join(", ")));
    }

    fn answer(&mut self, beside: &str, answer: &RecordedAnswer) {
        self.line(&format!("status = {}", answer.status));
        self.headers("headers", &answer.headers);
        if !answer.complete {
            self.line("complete = false");
        }
        if let Some((text, charset)) = as_text(answer) {
            if let Some(charset) = charset {
                self.put("charset", charset);
            }
            if !text.is_empty() {
                self.put("body", &text);
            }
            return;
        }
        let name = format!("{beside}.{}", kind(&answer.body));
        self.put("body_file", &name);
        self.files.push((name, answer.body.clone()));
    }
}

/// A body as text with its charset, if the text encodes to the same bytes and is readable.
fn as_text(answer: &RecordedAnswer) -> Option<(String, Option<&'static str>)> {
    if answer.body.len() > MAX_INLINE_TEXT {
        return None;
    }
    if let Ok(text) = std::str::from_utf8(&answer.body) {
        return is_readable(text).then(|| (text.to_owned(), None));
    }
    let declared = answer.headers.iter().find_map(|(name, value)| {
        let (_, charset) = value.split_once("charset=")?;
        let charset = charset.split(';').next()?.trim().trim_matches('"');
        (name == "content-type").then(|| encoding_rs::Encoding::for_label(charset.as_bytes()))?
    });
    let likely = [declared, Some(encoding_rs::WINDOWS_1250)];
    likely.into_iter().flatten().find_map(|encoding| {
        let (text, unreadable) = encoding.decode_without_bom_handling(&answer.body);
        let (again, used, unwritable) = encoding.encode(&text);
        let same = !unreadable && !unwritable && used == encoding && again == answer.body;
        (same && is_readable(&text)).then(|| (text.into_owned(), Some(encoding.name())))
    })
}

fn is_readable(text: &str) -> bool {
    text.chars()
        .all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t'))
}

fn kind(body: &[u8]) -> &'static str {
    if body.starts_with(b"PK\x03\x04") {
        "zip"
    } else if body.starts_with(&[0x1f, 0x8b]) {
        "gz"
    } else {
        "bin"
    }
}

fn pretty(value: &Value) -> String {
    // A JSON body is replayed as JSON.
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}

fn one_line(text: &str) -> String {
    let literal = !text.contains('\'') && !text.chars().any(|c| c.is_control() && c != '\t');
    if literal && text.contains(['"', '\\']) {
        format!("'{text}'")
    } else {
        basic(text, false)
    }
}

/// Quotes a text for TOML: line breaks stay line breaks, and escapes are avoided where possible.
fn quoted(text: &str) -> String {
    if !text.contains('\n') {
        return one_line(text);
    }
    let plain = text
        .chars()
        .all(|c| !c.is_control() || matches!(c, '\n' | '\t'));
    if plain && !text.contains("'''") && !text.ends_with('\'') {
        format!("'''\n{text}'''")
    } else {
        basic(text, true)
    }
}

fn basic(text: &str, lines: bool) -> String {
    let mut quoted = String::from(if lines { "\"\"\"\n" } else { "\"" });
    let mut quotes = 0;
    for c in text.chars() {
        quotes = if c == '"' { quotes + 1 } else { 0 };
        match c {
            '\\' => quoted.push_str("\\\\"),
            // Two quotes may stand; a third would end the text, and so would one directly before its end.
            '"' if lines && quotes < 3 => quoted.push('"'),
            '"' => {
                quotes = 0;
                quoted.push_str("\\\"");
            }
            '\n' if lines => quoted.push('\n'),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push('\t'),
            c if c.is_control() => {
                // Writing to a string cannot fail.
                write!(quoted, "\\u{:04X}", u32::from(c)).unwrap_or_default();
            }
            c => quoted.push(c),
        }
    }
    if lines && quotes > 0 {
        quoted.truncate(quoted.len() - quotes);
        quoted.push_str(&"\\\"".repeat(quotes));
    }
    quoted.push_str(if lines { "\"\"\"" } else { "\"" });
    quoted
}
