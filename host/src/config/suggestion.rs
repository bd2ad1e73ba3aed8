//! Suggests an existing name for a mistyped one.

/// Minimum Jaro-Winkler similarity of a suggested name.
const SIMILAR: f64 = 0.85;

/// The most similar of the names, if one is similar enough.
pub(super) fn similar<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let similarity = |other: &&str| strsim::jaro_winkler(name, other);
    let similar = names
        .into_iter()
        .filter(|other| similarity(other) >= SIMILAR)
        .max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
    similar.map(str::to_owned)
}

/// `; did you mean x?`, or an empty text without a suggestion.
pub(super) fn did_you_mean(similar: &Option<String>) -> String {
    let similar = similar.as_ref();
    similar.map_or_else(String::new, |other| format!("; did you mean {other}?"))
}
