//! Formats values for people: amounts, dates, enumerated values, and list items by what identifies them.

use serde_json::{Map, Number, Value};
use time::{Date, Month};

use super::forms::{
    address, currency, is_code, is_count, is_decimal, is_id, is_scalar, lowered, readable,
    shortened,
};
use super::guide::Guide;
use crate::language::Language;

/// Maximum number of further members shown for an item, and of entries shown for a list within an item.
const MAX_DETAILS: usize = 8;
const MAX_ENTRIES: usize = 5;

/// Members that name an item's subject, best first.
const NAMING: [&str; 8] = [
    "name",
    "title",
    "subject",
    "contract_subject",
    "heading",
    "listed_name",
    "business_name",
    "activity",
];

/// Enumerated values used by many registers: value, Slovak text, English text.
const SHARED: [(&str, &str, &str); 17] = [
    ("active", "aktívny", "active"),
    ("current", "platný", "current"),
    ("ended", "ukončený", "ended"),
    ("expired", "uplynutý", "expired"),
    ("future", "budúci", "future"),
    ("registered", "zapísaný", "registered"),
    ("removed", "vyradený", "removed"),
    ("struck_off", "vyčiarknutý", "struck off"),
    ("suspended", "pozastavený", "suspended"),
    ("upcoming", "ešte nezačal", "upcoming"),
    ("valid", "platný", "valid"),
    ("strong", "silná zhoda", "strong match"),
    ("review", "na preverenie", "to be reviewed"),
    ("entity", "právnická osoba", "legal entity"),
    ("person", "fyzická osoba", "natural person"),
    ("permit", "povolenie", "permit"),
    ("confirmation", "potvrdenie", "confirmation"),
];

/// How much of a list item is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Only what identifies it.
    Brief,
    /// What identifies it, and its other members.
    Full,
}

/// Formats values in one language.
#[derive(Debug, Clone, Copy)]
pub struct Writer {
    pub language: Language,
}

impl Writer {
    /// A value as one line, empty if the value is empty. `name` is the member's name; `parent` is the object
    /// that contains it, which may state an amount's currency.
    #[must_use]
    pub fn value(
        self,
        value: &Value,
        name: &str,
        parent: Option<&Map<String, Value>>,
        guide: &Guide<'_>,
        detail: Detail,
    ) -> String {
        let text = match value {
            Value::Null => String::new(),
            Value::Bool(value) => self.yes_or_no(*value).to_owned(),
            Value::Number(number) => self.number(number, name, parent),
            Value::String(text) => self.text(text.trim(), name, parent, guide),
            Value::Object(members) => self.item(members, &[], guide, detail),
            Value::Array(items) => self.list(items, guide, detail),
        };
        shortened(text)
    }

    fn yes_or_no(self, value: bool) -> &'static str {
        match (value, self.language) {
            (true, Language::Slovak) => "áno",
            (true, Language::English) => "yes",
            (false, Language::Slovak) => "nie",
            (false, Language::English) => "no",
        }
    }

    fn number(self, number: &Number, name: &str, parent: Option<&Map<String, Value>>) -> String {
        let plain = number.to_string();
        match currency(name, parent) {
            Some(currency) => self.amount(&plain, &currency),
            // A year or an id gets no thousands separators.
            None if number.is_f64() => self.decimal(&plain, false),
            None if is_count(name) => self.decimal(&plain, true),
            None => plain,
        }
    }

    fn text(
        self,
        text: &str,
        name: &str,
        parent: Option<&Map<String, Value>>,
        guide: &Guide<'_>,
    ) -> String {
        if let Some(word) = self.word(text, guide) {
            return word.to_owned();
        }
        if let Some(date) = self.date(text) {
            return date;
        }
        if is_decimal(text)
            && let Some(currency) = currency(name, parent)
        {
            return self.amount(text, &currency);
        }
        if is_code(text) {
            return text.replace('_', " ");
        }
        text.to_owned()
    }

    /// The words for an enumerated value, from its schema or from those that many schemas share.
    #[must_use]
    pub fn word<'a>(self, text: &str, guide: &Guide<'a>) -> Option<&'a str> {
        if let Some(word) = guide.word(text, self.language) {
            return Some(word);
        }
        let shared = SHARED.iter().find(|shared| shared.0 == text);
        let shared = shared.filter(|_| guide.is_enumerated(text))?;
        Some(self.language.pick(shared.1, shared.2))
    }

    /// An amount with at least two decimals: `1 342,62 EUR`, in English `1,342.62 EUR`.
    fn amount(self, plain: &str, currency: &str) -> String {
        let (whole, decimals) = plain.split_once('.').unwrap_or((plain, ""));
        let amount = self.decimal(&format!("{whole}.{decimals:0<2}"), true);
        format!("{amount} {currency}")
    }

    /// A JSON number with the language's separators. A number with an exponent stays unchanged.
    fn decimal(self, plain: &str, is_grouped: bool) -> String {
        let (sign, digits) = match plain.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", plain),
        };
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
        if !whole
            .bytes()
            .chain(decimals.bytes())
            .all(|byte| byte.is_ascii_digit())
        {
            return plain.to_owned();
        }
        let (separator, point) = self.language.pick((' ', ','), (',', '.'));
        let mut written = sign.to_owned();
        for (place, digit) in whole.chars().enumerate() {
            if is_grouped && place > 0 && (whole.len() - place) % 3 == 0 {
                written.push(separator);
            }
            written.push(digit);
        }
        if !decimals.is_empty() {
            written.push(point);
            written.push_str(decimals);
        }
        written
    }

    /// An ISO 8601 day in words, with or without a time. `None` if the text is not a day.
    #[must_use]
    pub fn date(self, text: &str) -> Option<String> {
        let (day, time) = match text.split_once('T') {
            Some((day, time)) => (day, Some(time)),
            None => (text, None),
        };
        let mut parts = day.split('-');
        let (year, month, of_month) = (parts.next()?, parts.next()?, parts.next()?);
        let is_form = parts.next().is_none()
            && [(year, 4), (month, 2), (of_month, 2)]
                .iter()
                .all(|(part, length)| {
                    part.len() == *length && part.bytes().all(|byte| byte.is_ascii_digit())
                });
        if !is_form {
            return None;
        }
        let month = Month::try_from(month.parse::<u8>().ok()?).ok()?;
        let date = Date::from_calendar_date(year.parse().ok()?, month, of_month.parse().ok()?);
        let date = date.ok()?;
        let (day, number, year) = (date.day(), u8::from(date.month()), date.year());
        let day = match self.language {
            Language::Slovak => format!("{day}. {number}. {year}"),
            Language::English => format!("{day} {} {year}", date.month()),
        };
        match time {
            None => Some(day),
            Some(time) => {
                let minutes = time.get(..5)?;
                let is_time = minutes
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || byte == b':');
                is_time.then(|| format!("{day} {minutes}"))
            }
        }
    }

    /// A list item. `identity` lists the members that identify it.
    #[must_use]
    pub fn item(
        self,
        members: &Map<String, Value>,
        identity: &[&str],
        guide: &Guide<'_>,
        detail: Detail,
    ) -> String {
        if let Some(address) = address(members) {
            return address;
        }
        let mut used = Vec::new();
        let heading = self.heading(members, identity, guide, &mut used);
        let details = if detail == Detail::Brief && !heading.is_empty() {
            String::new()
        } else {
            self.details(members, guide, &used)
        };
        match (heading.is_empty(), details.is_empty()) {
            (_, true) => heading,
            (true, false) => details,
            (false, false) => format!("{heading} ({details})"),
        }
    }

    /// The text that identifies an item. Adds the members that it uses to `used`.
    fn heading(
        self,
        members: &Map<String, Value>,
        identity: &[&str],
        guide: &Guide<'_>,
        used: &mut Vec<String>,
    ) -> String {
        let worded = |name: &str| {
            let value = members.get(name).filter(|value| is_scalar(value))?;
            let text = self.value(
                value,
                name,
                Some(members),
                &guide.member(name),
                Detail::Brief,
            );
            (!text.is_empty()).then_some(text)
        };
        let naming = NAMING.iter().find_map(|name| Some((*name, worded(name)?)));
        if let Some((name, text)) = naming {
            used.push(name.to_owned());
            // An id adds nothing to a name.
            used.extend(
                identity
                    .iter()
                    .filter(|name| is_id(name))
                    .map(|name| (*name).to_owned()),
            );
            return text;
        }
        let words = identity.iter().filter(|name| !is_id(name));
        let words: Vec<(&str, String)> = words
            .filter_map(|name| Some((*name, worded(name)?)))
            .collect();
        if !words.is_empty() {
            used.extend(words.iter().map(|word| word.0.to_owned()));
            let words: Vec<String> = words.into_iter().map(|word| word.1).collect();
            return words.join(", ");
        }
        let named = ["year"].iter().chain(identity);
        let named = named.filter_map(|name| {
            let title = self.title(guide, name);
            Some((*name, format!("{title} {}", worded(name)?)))
        });
        match named.into_iter().next() {
            Some((name, text)) => {
                used.push(name.to_owned());
                used.extend(identity.iter().map(|name| (*name).to_owned()));
                text
            }
            None => String::new(),
        }
    }

    fn details(self, members: &Map<String, Value>, guide: &Guide<'_>, used: &[String]) -> String {
        let is_shown = |name: &str, value: &Value| {
            let is_link = value.as_str().is_some_and(|text| text.starts_with("http"));
            // `current: true` is the normal case and is not shown.
            let is_usual = name == "current" && value == &Value::Bool(true);
            !used.iter().any(|used| used == name)
                && !is_id(name)
                && !name.ends_with("currency")
                && !is_link
                && !is_usual
                && !guide.member(name).is_volatile()
        };
        let texts = members.iter().filter(|(name, value)| is_shown(name, value));
        let texts = texts.filter_map(|(name, value)| {
            let member = guide.member(name);
            let text = self.value(value, name, Some(members), &member, Detail::Brief);
            (!text.is_empty()).then(|| format!("{}: {text}", lowered(&self.title(guide, name))))
        });
        let texts: Vec<String> = texts.take(MAX_DETAILS).collect();
        texts.join("; ")
    }

    fn list(self, items: &[Value], guide: &Guide<'_>, detail: Detail) -> String {
        let (identity, inner) = (guide.identity(), guide.items());
        let texts = items.iter().map(|item| {
            let members = item.as_object();
            members.map_or_else(
                || self.value(item, "", None, &inner, detail),
                |members| self.item(members, &identity, &inner, detail),
            )
        });
        let mut texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
        if texts.len() > MAX_ENTRIES && detail == Detail::Brief {
            let more = texts.len() - MAX_ENTRIES;
            texts.truncate(MAX_ENTRIES);
            texts.push(match self.language {
                Language::Slovak => format!("a ďalšie ({more})"),
                Language::English => format!("and {more} more"),
            });
        }
        texts.join("; ")
    }

    /// A member's title from its schema, otherwise its name as words.
    #[must_use]
    pub fn title(self, guide: &Guide<'_>, name: &str) -> String {
        let title = guide.member(name).title(self.language);
        let title = title.or_else(|| guide.name_word(name, self.language));
        title.map_or_else(|| readable(name), str::to_owned)
    }
}
