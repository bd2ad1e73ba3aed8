//! A settings file as a document: fills in the environment, compares the keys and types with the schema of the settings,
//! and finds the line of a setting.
//!
//! What does not fit the schema is reported and removed, so that the other settings are still read and checked, and
//! all mistakes are reported at once.

use std::ops::Range;
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mistake::{Mistake, Problem};
use super::suggestion::similar;
use super::{Config, reference};

/// Where a setting stands in the text, in bytes.
struct SettingSpan {
    setting: String,
    key: Range<usize>,
    value: Range<usize>,
}

/// The spans of the settings in a file.
pub struct SettingSpans<'t> {
    text: &'t str,
    spans: Vec<SettingSpan>,
}

impl<'t> SettingSpans<'t> {
    /// The spans in a text that is TOML; of another text none.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        let mut spans = Vec::new();
        if let Ok(table) = DeTable::parse(text) {
            collect(table.get_ref(), "", &mut spans);
        }
        Self { text, spans }
    }

    /// Line of a setting, from 1; of the table around it if only that is in the file.
    #[must_use]
    pub fn line(&self, setting: &str) -> Option<usize> {
        let mut sought = setting;
        loop {
            let span = self.spans.iter().find(|span| span.setting == sought);
            if let Some(span) = span {
                return Some(self.line_at(span.key.start));
            }
            (sought, _) = sought.rsplit_once('.')?;
        }
    }

    fn line_at(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().get(..offset).unwrap_or_default();
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// The innermost setting whose key or value contains the offset.
    fn setting_at(&self, offset: usize) -> Option<&str> {
        let contains = |span: &&SettingSpan| {
            span.key.contains(&offset) || (span.value.start..=span.value.end).contains(&offset)
        };
        let around = self.spans.iter().filter(contains);
        let innermost = around.max_by_key(|span| span.setting.len())?;
        Some(&innermost.setting)
    }
}

fn collect(table: &DeTable<'_>, path: &str, spans: &mut Vec<SettingSpan>) {
    for (key, value) in table {
        let setting = joined(path, key.get_ref());
        if let DeValue::Table(inner) = value.get_ref() {
            collect(inner, &setting, spans);
        }
        spans.push(SettingSpan {
            setting,
            key: key.span(),
            value: value.span(),
        });
    }
}

fn joined(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

/// Reads the settings of a text, and reports every key and value that cannot be read. `None`: the text is not TOML.
pub(super) fn read(
    text: &str,
    environment: &impl Fn(&str) -> Option<String>,
    mistakes: &mut Vec<Mistake>,
) -> Option<Config> {
    let mut table = match DeTable::parse(text) {
        Ok(table) => table,
        Err(error) => {
            mistakes.push(syntax(text, &error));
            return None;
        }
    };
    let spans = SettingSpans::of(text);
    let mut comparison = Comparison {
        spans: &spans,
        environment,
        mistakes: &mut *mistakes,
    };
    comparison.table(table.get_mut(), schema(), "");
    let error = match Config::deserialize(toml::de::Deserializer::from(table)) {
        Ok(config) => return Some(config),
        Err(error) => error,
    };
    let at = error.span().map(|span| span.start);
    let setting = at.and_then(|at| spans.setting_at(at)).unwrap_or_default();
    let reason = error.message().to_owned();
    let mut mistake = Mistake::new(
        setting,
        Problem::Unreadable {
            reason,
            example: example(setting),
        },
    );
    mistake.line = at.map(|at| spans.line_at(at));
    mistakes.push(mistake);
    None
}

fn syntax(text: &str, error: &toml::de::Error) -> Mistake {
    let message = error.message().to_owned();
    let at = error.span().map_or(0, |span| span.start).min(text.len());
    let before = text.as_bytes().get(..at).unwrap_or_default();
    let line = before.iter().filter(|byte| **byte == b'\n').count();
    // The part before the equals sign, which is never a secret.
    let key = text.lines().nth(line).unwrap_or_default();
    let key = key.split('=').next().unwrap_or_default();
    let key = key.trim().trim_matches(['[', ']']);
    let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '"');
    let key = Some(key).filter(|key| key.chars().all(is_key));
    Mistake {
        setting: key.unwrap_or_default().to_owned(),
        line: Some(line + 1),
        problem: Problem::Syntax(message),
    }
}

/// A value that would be right: the default of the setting.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other cases are treated alike"
)]
fn example(setting: &str) -> Option<String> {
    let all = settings();
    let setting = all.iter().find(|known| known.setting == setting)?;
    match &setting.default {
        Value::Null | Value::Array(_) | Value::Object(_) => None,
        default => Some(default.to_string()),
    }
}

fn settings() -> &'static [reference::Setting] {
    static SETTINGS: OnceLock<Vec<reference::Setting>> = OnceLock::new();
    SETTINGS.get_or_init(reference::settings)
}

fn schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(reference::schema)
}

/// Compares a document with the schema of the settings.
struct Comparison<'a, E> {
    spans: &'a SettingSpans<'a>,
    environment: &'a E,
    mistakes: &'a mut Vec<Mistake>,
}

impl<E: Fn(&str) -> Option<String>> Comparison<'_, E> {
    fn table(&mut self, table: &mut DeTable<'_>, schema: &Value, path: &str) {
        let mut unfit = Vec::new();
        for (key, value) in table.iter_mut() {
            if !self.entry(key.get_ref(), value, schema, path) {
                unfit.push(key.get_ref().to_string());
            }
        }
        for key in unfit {
            table.remove(key.as_str());
        }
    }

    /// Whether an entry of a table fits the schema of the table.
    fn entry(
        &mut self,
        key: &str,
        value: &mut Spanned<DeValue<'_>>,
        schema: &Value,
        path: &str,
    ) -> bool {
        let setting = joined(path, key);
        let known = schema["properties"].as_object();
        let others = &schema["additionalProperties"];
        let of_key = match known.and_then(|known| known.get(key)) {
            Some(of_key) => of_key,
            // The settings of a connector are known to its manifest only.
            None if *others != Value::Bool(false) => others,
            None => {
                let names = known.into_iter().flatten().map(|(name, _)| name.as_str());
                let similar = similar(key, names).or_else(|| elsewhere(key));
                self.report(setting, Problem::Unknown { similar }, value.span().start);
                return false;
            }
        };
        self.value(value, of_key, &setting)
    }

    /// Whether the value fits the schema. Replaces `env:NAME` values.
    fn value(&mut self, value: &mut Spanned<DeValue<'_>>, schema: &Value, setting: &str) -> bool {
        let at = value.span().start;
        if let DeValue::String(text) = value.get_mut()
            && let Some(name) = text.strip_prefix("env:")
        {
            let Some(found) = (self.environment)(name) else {
                let unset = Problem::Unset(name.to_owned());
                self.report(setting.to_owned(), unset, at);
                return false;
            };
            *text = found.into();
        }
        let problem = problem_of(value.get_ref(), schema, setting);
        if let Some(problem) = problem {
            self.report(setting.to_owned(), problem, at);
            return false;
        }
        match value.get_mut() {
            DeValue::Table(inner) => {
                self.table(inner, schema, setting);
                true
            }
            DeValue::Array(items) => {
                let mut fits = true;
                for item in items.iter_mut() {
                    fits &= self.value(item, &schema["items"], setting);
                }
                fits
            }
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_) => true,
        }
    }

    fn report(&mut self, setting: String, problem: Problem, at: usize) {
        let line = self.spans.line(&setting);
        let mut mistake = Mistake::new(setting, problem);
        mistake.line = line.or_else(|| Some(self.spans.line_at(at)));
        self.mistakes.push(mistake);
    }
}

/// The path of a setting with this name in another table, if there is exactly one.
fn elsewhere(name: &str) -> Option<String> {
    let mut of_name = settings()
        .iter()
        .filter(|setting| setting.name() == name && !setting.setting.contains('<'));
    let first = of_name.next()?;
    of_name.next().is_none().then(|| first.setting.clone())
}

/// What is wrong with the type of a value, or with an allowed value or number.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other cases are treated alike"
)]
fn problem_of(value: &DeValue<'_>, schema: &Value, setting: &str) -> Option<Problem> {
    let found = match value {
        DeValue::String(_) => "string",
        DeValue::Integer(_) => "integer",
        DeValue::Float(_) => "number",
        DeValue::Boolean(_) => "boolean",
        DeValue::Array(_) => "array",
        DeValue::Table(_) => "object",
        // No setting is a date.
        DeValue::Datetime(_) => "date",
    };
    let types = &schema["type"];
    let types: Vec<&str> = match types {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    let fits = types.is_empty()
        || types.contains(&found)
        || (found == "integer" && types.contains(&"number"));
    let kind = reference::kind(schema);
    if !fits {
        let unit = reference::unit(setting, &kind);
        let unit = unit.map_or_else(String::new, |unit| format!(" ({unit})"));
        let found = match found {
            "string" => "text",
            "boolean" => "true or false",
            "array" => "a list",
            "object" => "a table",
            "integer" | "number" => "a number",
            other => other,
        };
        let wanted = match kind.as_str() {
            "text" | "true or false" => kind.clone(),
            "integer" => "an integer without quotes".to_owned(),
            "number" => "a number without quotes".to_owned(),
            "table of values" => "a table".to_owned(),
            list if list.starts_with("list of") => format!("a {list} in brackets"),
            other => other.to_owned(),
        };
        let wanted = format!("{wanted}{unit}");
        return Some(Problem::WrongType { wanted, found });
    }
    match value {
        DeValue::String(text) if schema["format"] == "ip" && !is_address(text) => {
            Some(Problem::Unreadable {
                reason: "this is not an IP address".to_owned(),
                example: Some("192.0.2.7".to_owned()),
            })
        }
        DeValue::String(text) => not_allowed(text, schema, &kind),
        DeValue::Integer(integer) => {
            let number = i128::from_str_radix(integer.as_str(), integer.radix()).ok();
            let unit = reference::unit(setting, &kind);
            out_of_range(number, schema, unit.and_then(longest))
        }
        DeValue::Float(number) => {
            let most = reference::unit(setting, &kind).and_then(longest)?;
            let number: f64 = number.as_str().parse().ok()?;
            #[expect(clippy::cast_precision_loss, reason = "the bounds are small")]
            let is_above = number > most as f64;
            is_above.then(|| Problem::Rule(format!("at most {most}")))
        }
        DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

fn is_address(text: &str) -> bool {
    text.parse::<std::net::IpAddr>().is_ok()
}

fn not_allowed(text: &str, schema: &Value, kind: &str) -> Option<Problem> {
    let allowed = reference::allowed(schema);
    let allowed: Vec<&str> = allowed.iter().filter_map(|value| value.as_str()).collect();
    if allowed.is_empty() || allowed.contains(&text) {
        return None;
    }
    Some(Problem::NotAllowed {
        allowed: kind.to_owned(),
        similar: similar(text, allowed),
    })
}

/// The largest number of a time in this unit: a hundred years. Beyond that, dates that are computed with it would be
/// out of range. `None`: it is not a unit of time.
fn longest(unit: &str) -> Option<i128> {
    const DAYS: i128 = 36_500;
    Some(match unit {
        "days" => DAYS,
        "hours" => DAYS * 24,
        "minutes" => DAYS * 24 * 60,
        "seconds" => DAYS * 24 * 60 * 60,
        "milliseconds" => DAYS * 24 * 60 * 60 * 1_000,
        _ => return None,
    })
}

/// Checks an integer against the range of its type and of a time. Narrower rules belong to the modules of the settings.
fn out_of_range(number: Option<i128>, schema: &Value, longest: Option<i128>) -> Option<Problem> {
    let of_type: i128 = match schema["format"].as_str() {
        Some("uint8") => u8::MAX.into(),
        Some("uint16") => u16::MAX.into(),
        Some("uint32") => u32::MAX.into(),
        Some("uint64" | "uint") => i64::MAX.into(),
        _ => return None,
    };
    let most = longest.map_or(of_type, |longest| longest.min(of_type));
    match number {
        Some(number) if number < 0 => Some(Problem::Rule("not negative".to_owned())),
        Some(number) if number <= most => None,
        Some(_) | None => Some(Problem::Rule(format!("at most {most}"))),
    }
}
