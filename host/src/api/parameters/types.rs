//! The types of parameters: numbers, words, texts and ids.

use std::marker::PhantomData;

use serde_json::json;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{KnownFormat, Object, SchemaFormat};

use super::Parameter;
use crate::api::query::ParameterReader;
use crate::clock::parse_iso_date;
use crate::companies::{CompanyKey, Ico, InvalidIco};

/// A whole number within a range, and its default.
pub(in crate::api) struct Whole<const LEAST: u64, const MOST: u64, const DEFAULT: u64>;

impl<const LEAST: u64, const MOST: u64, const DEFAULT: u64> Parameter
    for Whole<LEAST, MOST, DEFAULT>
{
    type Value = u64;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<u64> {
        given.number(name, LEAST..=MOST, DEFAULT)
    }

    fn schema() -> Object {
        whole(KnownFormat::Int64, LEAST, MOST)
            .default(Some(json!(DEFAULT)))
            .build()
    }
}

fn whole(format: KnownFormat, least: u64, most: u64) -> ObjectBuilder {
    let bound = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(format)))
        .minimum(Some(bound(least)))
        .maximum(Some(bound(most)))
}

fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

/// A switch, `0` or `1`; off by default.
pub(in crate::api) struct Switch;

impl Parameter for Switch {
    type Value = bool;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<bool> {
        match given.text(name) {
            None | Some("0") => Some(false),
            Some("1") => Some(true),
            Some(_) => {
                given.refuse(name, "one of 0, 1");
                None
            }
        }
    }

    fn schema() -> Object {
        let schema = whole(KnownFormat::Int32, 0, 1);
        schema.default(Some(json!(0))).build()
    }
}

/// A closed set of words with their meanings.
pub(in crate::api) trait Words {
    type Value: Copy + 'static;
    const WORDS: &'static [(&'static str, Self::Value)];
}

/// An optional word of a set.
pub(in crate::api) struct OneOf<W>(PhantomData<W>);

impl<W: Words> Parameter for OneOf<W> {
    type Value = Option<W::Value>;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<Self::Value> {
        let Some(text) = given.text(name) else {
            return Some(None);
        };
        let meaning = W::WORDS.iter().find(|(word, _)| *word == text);
        if meaning.is_none() {
            let words: Vec<&str> = W::WORDS.iter().map(|(word, _)| *word).collect();
            given.refuse(name, format!("one of {}", words.join(", ")));
        }
        meaning.map(|(_, value)| Some(*value))
    }

    fn schema() -> Object {
        let words = W::WORDS.iter().map(|(word, _)| *word);
        string().enum_values(Some(words)).build()
    }
}

/// An optional text that the handler checks.
pub(in crate::api) struct Text;

impl Parameter for Text {
    type Value = Option<String>;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<Self::Value> {
        Some(given.text(name).map(str::to_owned))
    }

    fn schema() -> Object {
        string().build()
    }
}

/// A text that the handler checks and that is required for a useful response; empty if it is missing.
pub(in crate::api) struct RequiredText;

impl Parameter for RequiredText {
    type Value = String;

    const REQUIRED: bool = true;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<String> {
        Some(given.text(name).unwrap_or_default().to_owned())
    }

    fn schema() -> Object {
        string().build()
    }
}

/// A required text to search for, with at least so many characters.
pub(in crate::api) struct Searched<const LEAST: usize>;

impl<const LEAST: usize> Parameter for Searched<LEAST> {
    type Value = String;

    const REQUIRED: bool = true;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<String> {
        given.searched(name, LEAST)
    }

    fn schema() -> Object {
        string().min_length(Some(LEAST)).build()
    }
}

/// Like [`Searched`], but it may be missing. An empty text is rejected, because it would widen the result.
pub(in crate::api) struct SearchedIfAny<const LEAST: usize>;

impl<const LEAST: usize> Parameter for SearchedIfAny<LEAST> {
    type Value = Option<String>;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<Self::Value> {
        if !given.is_given(name) {
            return Some(None);
        }
        given.searched(name, LEAST).map(Some)
    }

    fn schema() -> Object {
        Searched::<LEAST>::schema()
    }
}

/// An optional calendar date.
pub(in crate::api) struct Date;

impl Date {
    /// Whether a text is a date, `YYYY-MM-DD`. Such texts compare like their dates.
    pub(in crate::api) fn is_date(text: &str) -> bool {
        parse_iso_date(text).is_some()
    }
}

impl Parameter for Date {
    type Value = Option<String>;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<Self::Value> {
        let text = given.text(name).map(str::to_owned);
        if text.as_deref().is_some_and(|text| !Self::is_date(text)) {
            given.refuse(name, "a date, YYYY-MM-DD");
            return None;
        }
        Some(text)
    }

    fn schema() -> Object {
        string()
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Date)))
            .build()
    }
}

/// The beginning of a NACE code: 1 to 6 digits, with dots or without.
pub(in crate::api) struct NaceCode;

impl Parameter for NaceCode {
    type Value = Option<String>;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<Self::Value> {
        let Some(code) = given.text(name).map(str::to_owned) else {
            return Some(None);
        };
        let digits = code.bytes().filter(u8::is_ascii_digit).count();
        let is_plain = code
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        if is_plain && (1..=6).contains(&digits) {
            return Some(Some(code));
        }
        given.refuse(name, "1 to 6 digits, with dots or without");
        None
    }

    fn schema() -> Object {
        string().pattern(Some(r"^\.*([0-9]\.*){1,6}$")).build()
    }
}

/// Part of a registration number: 1 to 8 digits. Spaces between them are removed.
pub(in crate::api) struct Digits;

impl Parameter for Digits {
    type Value = String;

    const REQUIRED: bool = true;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<String> {
        let text = given.trimmed(name).unwrap_or_default();
        let digits: String = text.chars().filter(|character| *character != ' ').collect();
        if digits.is_empty() {
            given.refuse(name, "required, 1 to 8 digits");
            return None;
        }
        if digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            given.refuse(name, "1 to 8 digits");
            return None;
        }
        Some(digits)
    }

    fn schema() -> Object {
        string().pattern(Some("^[0-9]{1,8}$")).build()
    }
}

/// A position in the event log, as the API gives it, or `latest`. The log decides whether it exists.
pub(in crate::api) struct Cursor;

impl Parameter for Cursor {
    type Value = Option<String>;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<Self::Value> {
        Text::read(given, name)
    }

    fn schema() -> Object {
        string().pattern(Some("^(latest|[0-9]{1,18})?$")).build()
    }
}

/// The number of a ledger entry, before which a page ends. Missing on the first page.
pub(in crate::api) struct EntryCursor;

impl Parameter for EntryCursor {
    type Value = Option<i64>;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<Self::Value> {
        let Some(text) = given.text(name) else {
            return Some(None);
        };
        let is_number = text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| is_number);
        if number.is_none() {
            given.refuse(name, "the value of meta.next_cursor");
        }
        number.map(Some)
    }

    fn schema() -> Object {
        string().pattern(Some("^[0-9]{1,18}$")).build()
    }
}

/// A registration number (IČO) in the path.
impl Parameter for Ico {
    type Value = Self;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<Self> {
        let ico = given.text(name).and_then(|text| Self::parse(text).ok());
        if ico.is_none() {
            given.refuse(name, InvalidIco.to_string());
        }
        ico
    }

    fn schema() -> Object {
        string().pattern(Some("^[0-9]{8}$")).build()
    }
}

/// The number of a company in this database.
pub(in crate::api) struct CompanyId;

impl Parameter for CompanyId {
    type Value = i64;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<i64> {
        let text = given.text(name).unwrap_or_default();
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let id = text.parse().ok().filter(|_| digits);
        if id.is_none() {
            given.refuse(name, "an id is a whole number");
        }
        id
    }

    fn schema() -> Object {
        ObjectBuilder::new()
            .schema_type(Type::Integer)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
            .minimum(Some(1_usize))
            .build()
    }
}

/// The commercial register's id. An unescaped slash in it makes a path with a second parameter, `court`.
pub(in crate::api) struct OrsrId;

impl OrsrId {
    fn parse(id: &str) -> Option<CompanyKey> {
        let digits = |part: &str| {
            !part.is_empty() && part.len() <= 12 && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        // Some clients write the bare number with a trailing slash.
        let id = id.strip_suffix('/').unwrap_or(id);
        let fits = match id.split_once('/') {
            Some((number, court)) => digits(number) && digits(court),
            None => digits(id),
        };
        fits.then(|| CompanyKey::OrsrId(id.to_owned()))
    }
}

impl Parameter for OrsrId {
    type Value = CompanyKey;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<CompanyKey> {
        let id = given.text(name).unwrap_or_default();
        let key = match given.text("court") {
            Some(court) => Self::parse(&format!("{id}/{court}")),
            None => Self::parse(id),
        };
        if key.is_none() {
            given.refuse(
                name,
                "digits, or digits with a slash and the court's number, as in 346/2",
            );
        }
        key
    }

    fn schema() -> Object {
        string()
            .pattern(Some("^[0-9]{1,12}(/[0-9]{0,6})?$"))
            .build()
    }
}

/// The id of something that belongs to an account. Every text is accepted; one that is no id finds nothing.
pub(in crate::api) struct Id;

impl Parameter for Id {
    type Value = String;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<String> {
        RequiredText::read(given, name).map(|text| findable(&text))
    }

    fn schema() -> Object {
        string().build()
    }
}

/// An id of a request in a form that each database can compare: `PostgreSQL` accepts no NUL, and no id has one.
pub(in crate::api) fn findable(id: &str) -> String {
    id.replace('\0', "\u{fffd}")
}
