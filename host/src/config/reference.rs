//! Every setting with its type, unit, default and meaning.
//!
//! The settings structs derive a JSON Schema, and this module lists its properties. The reference therefore lists
//! exactly the settings that parse. Units follow from the endings of names, such as `_ms` or `_mib`.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{Config, LimitsConfig};
use crate::connectors::limits::Limits;

/// A setting, or a table of settings.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Setting {
    /// Path of the setting, such as `pool.instances` or `plans.<name>.credits`.
    pub setting: String,
    /// Type of the value: `text`, `integer`, `number`, `true or false`, `list of …`, `table` or the allowed values.
    pub kind: String,
    /// Unit of the value, if it has one.
    pub unit: Option<&'static str>,
    /// Value used if the setting is omitted. Null: there is none.
    pub default: Value,
    /// Description in full sentences, from the doc comment of the setting.
    pub about: String,
}

impl Setting {
    /// Last part of the path.
    #[must_use]
    pub fn name(&self) -> &str {
        self.setting.rsplit('.').next().unwrap_or_default()
    }

    /// Path of the table that contains it; empty at the top level.
    #[must_use]
    pub fn table(&self) -> &str {
        self.setting.rsplit_once('.').map_or("", |(table, _)| table)
    }

    /// Whether it is a table, which only groups other settings.
    #[must_use]
    pub fn is_table(&self) -> bool {
        self.kind == "table"
    }
}

/// Units by the ending of a setting's name.
const UNITS: [(&str, &str); 15] = [
    ("_ms", "milliseconds"),
    ("per_second", "per second"),
    ("per_minute", "per minute"),
    ("per_day", "per day"),
    ("seconds", "seconds"),
    ("_minutes", "minutes"),
    ("hours", "hours"),
    ("_days", "days"),
    ("_mib", "MiB"),
    ("_kib", "KiB"),
    ("_bytes", "bytes"),
    ("_characters", "characters"),
    ("_percent", "percent"),
    ("_hour", "per hour"),
    ("_day", "per day"),
];

/// The JSON Schema of all settings, without references.
pub(super) fn schema() -> Value {
    let inlined = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = inlined.into_generator().into_root_schema_for::<Config>();
    schema.to_value()
}

/// All settings; each table is followed by its contents.
#[must_use]
pub fn settings() -> Vec<Setting> {
    let mut found = of_schema("", &schema());
    for (table, limits) in [
        ("connector.<id>.limits", Limits::lookup()),
        ("connector.<id>.import_limits", Limits::import()),
    ] {
        let defaults = serde_json::to_value(LimitsConfig::of(&limits)).unwrap_or_default();
        for setting in found.iter_mut().filter(|setting| setting.table() == table) {
            setting.default = defaults[setting.name()].clone();
        }
    }
    found
}

/// The settings that an object's JSON Schema describes, with paths below `table`.
#[must_use]
pub fn of_schema(table: &str, schema: &Value) -> Vec<Setting> {
    below(table, schema, &schema["$defs"])
}

/// Like [`of_schema`], with the definitions that the schema refers to.
fn below(table: &str, schema: &Value, definitions: &Value) -> Vec<Setting> {
    let mut settings = Vec::new();
    let mut tables = Vec::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let property = &resolved(property, definitions);
        let path = if table.is_empty() {
            name.clone()
        } else {
            format!("{table}.{name}")
        };
        let of_names = &property["additionalProperties"];
        let (path, inner, default) = if property["properties"].is_object() {
            (path, property, Value::Null)
        } else if of_names["properties"].is_object() {
            let path = format!("{path}.{}", placeholder(name));
            (path, of_names, property["default"].clone())
        } else {
            settings.push(leaf(path, property));
            continue;
        };
        tables.push(Setting {
            kind: "table".to_owned(),
            unit: None,
            default,
            about: about(property),
            setting: path.clone(),
        });
        let mut inside = below(&path, inner, definitions);
        // The default of a table contains the defaults of its settings.
        for setting in inside.iter_mut().filter(|setting| setting.table() == path) {
            if setting.default.is_null() {
                setting.default = property["default"][setting.name()].clone();
            }
        }
        tables.extend(inside);
    }
    settings.extend(tables);
    settings
}

/// Merges a schema with its `$ref` target. Members of the schema itself take precedence.
fn resolved(schema: &Value, definitions: &Value) -> Value {
    let name = schema["$ref"]
        .as_str()
        .and_then(|reference| reference.strip_prefix("#/$defs/"));
    let definition = name
        .map(|name| &definitions[name])
        .and_then(Value::as_object);
    let (Some(definition), Some(own)) = (definition, schema.as_object()) else {
        return schema.clone();
    };
    let mut whole = definition.clone();
    whole.extend(own.clone());
    Value::Object(whole)
}

/// Placeholder for the entry name in a table of tables.
fn placeholder(table: &str) -> &'static str {
    if table == "connector" {
        "<id>"
    } else {
        "<name>"
    }
}

fn leaf(path: String, schema: &Value) -> Setting {
    let kind = kind(schema);
    Setting {
        unit: unit(&path, &kind),
        kind,
        default: schema["default"].clone(),
        about: about(schema),
        setting: path,
    }
}

/// The unit of a number, by the ending of its name.
pub(super) fn unit(setting: &str, kind: &str) -> Option<&'static str> {
    let name = setting.rsplit('.').next().unwrap_or_default();
    let is_number = kind.contains("integer") || kind.contains("number");
    let unit = UNITS
        .iter()
        .find(|(end, _)| is_number && name.ends_with(end));
    unit.map(|(_, unit)| *unit)
}

fn about(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The values that the schema enumerates; empty if every value of the type is allowed.
pub(super) fn allowed(schema: &Value) -> Vec<&Value> {
    let values = schema["enum"].as_array().into_iter().flatten();
    let one_of = schema["oneOf"].as_array().into_iter().flatten();
    let values = values.chain(one_of.map(|one| &one["const"]));
    values.filter(|value| !value.is_null()).collect()
}

/// The type of a setting's value in words.
pub(super) fn kind(schema: &Value) -> String {
    let values: Vec<String> = allowed(schema).into_iter().map(Value::to_string).collect();
    if !values.is_empty() {
        return values.join(" or ");
    }
    let of = &schema["type"];
    let mut names = of
        .as_array()
        .into_iter()
        .flatten()
        .chain([of])
        .filter_map(Value::as_str);
    match names.find(|name| *name != "null") {
        Some("array") => format!("list of {}", plural(&kind(&schema["items"]))),
        Some("boolean") => "true or false".to_owned(),
        Some("string") => "text".to_owned(),
        Some("object") => "table of values".to_owned(),
        Some(other) => other.to_owned(),
        None => "any value".to_owned(),
    }
}

fn plural(kind: &str) -> String {
    match kind {
        "table of values" => "tables".to_owned(),
        "any value" => "values".to_owned(),
        one => format!("{one}s"),
    }
}

/// The settings as a TOML file in which everything is commented out: `#name = default`.
#[must_use]
pub fn as_toml(settings: &[Setting]) -> String {
    let mut text = String::new();
    for setting in settings {
        let mut remark = vec![setting.about.clone()];
        text.push('\n');
        if setting.is_table() {
            push_remarks(&mut text, &remark.join(" "));
            text.push_str(&format!("#[{}]\n", setting.setting));
            continue;
        }
        let unit = setting.unit.map(|unit| format!(", {unit}"));
        remark.push(format!(
            "Type: {}{}.",
            setting.kind,
            unit.unwrap_or_default()
        ));
        push_remarks(&mut text, remark.join(" ").trim());
        let name = setting.name();
        match toml_value(&setting.default) {
            Some(default) => text.push_str(&format!("#{name} = {default}\n")),
            None => text.push_str(&format!("#{name} =   # not set\n")),
        }
    }
    for setting in settings.iter().filter(|setting| setting.is_table()) {
        push_entries(&mut text, setting);
    }
    text
}

/// Appends the default entries of a table of tables, such as the plans.
fn push_entries(text: &mut String, table: &Setting) {
    let Some(name) = table.setting.strip_suffix(".<name>") else {
        return;
    };
    for (entry, values) in table.default.as_object().into_iter().flatten() {
        text.push_str(&format!("\n# Default of `{name}`.\n#[{name}.{entry}]\n"));
        for (key, value) in values.as_object().into_iter().flatten() {
            if let Some(value) = toml_value(value) {
                text.push_str(&format!("#{key} = {value}\n"));
            }
        }
    }
}

/// Appends a remark as comment lines of at most 100 characters.
fn push_remarks(text: &mut String, remark: &str) {
    let mut line = String::new();
    for word in remark.split_whitespace() {
        if !line.is_empty() && line.chars().count() + word.chars().count() > 97 {
            text.push_str(&format!("# {line}\n"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        text.push_str(&format!("# {line}\n"));
    }
}

/// A JSON value as TOML. `None` for null, which TOML lacks.
fn toml_value(value: &Value) -> Option<String> {
    if value.is_null() {
        return None;
    }
    toml::Value::try_from(value)
        .ok()
        .map(|value| value.to_string())
}

#[cfg(test)]
mod tests;
