//! Replaces `env:NAME` values of a settings file with variables of the environment.

/// Replaces `env:NAME` values. Returns whether it found one. Reports variables that are not set as mistakes.
pub(super) fn fill_in(
    value: &mut toml::Value,
    place: &str,
    environment: &impl Fn(&str) -> Option<String>,
    mistakes: &mut Vec<String>,
) -> bool {
    let mut filled_in = false;
    match value {
        toml::Value::String(text) => {
            if let Some(name) = text.strip_prefix("env:") {
                match environment(name) {
                    Some(found) => *text = found,
                    None => mistakes.push(format!(
                        "{place}: the environment variable {name} is not set"
                    )),
                }
                filled_in = true;
            }
        }
        toml::Value::Table(table) => {
            for (key, inner) in table.iter_mut() {
                let place = if place.is_empty() {
                    key.clone()
                } else {
                    format!("{place}.{key}")
                };
                filled_in |= fill_in(inner, &place, environment, mistakes);
            }
        }
        toml::Value::Array(items) => {
            for inner in items {
                filled_in |= fill_in(inner, place, environment, mistakes);
            }
        }
        toml::Value::Integer(_)
        | toml::Value::Float(_)
        | toml::Value::Boolean(_)
        | toml::Value::Datetime(_) => {}
    }
    filled_in
}
