//! Labels and their values: pairs on a page of details, and `Label: value` in flowing text.

use lustra_sdk::html::{self, scraper::ElementRef, scraper::Html};
use lustra_sdk::text::{present, squeeze};
use lustra_sdk::{Failure, malformed};

use crate::table::is_one_of;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    label: String,
    /// The text on one line. `None` if it is empty.
    pub text: Option<String>,
    /// The target of its first link.
    pub link: Option<String>,
}

/// The labels and values of a page: definition lists, and table rows with a label and a value.
#[derive(Debug)]
pub struct Pairs(Vec<Value>);

impl Pairs {
    /// Reads the pairs of a page.
    #[must_use]
    pub fn of(document: &Html) -> Self {
        let mut pairs = Vec::new();
        for label in document.select(&html::selector("dt")) {
            let mut behind = label.next_siblings().filter_map(ElementRef::wrap);
            let value = behind.next().filter(|value| value.value().name() == "dd");
            pairs.extend(value.map(|value| pair(label, value)));
        }
        for row in document.select(&html::selector("tr")) {
            let cells: Vec<ElementRef<'_>> = row.children().filter_map(ElementRef::wrap).collect();
            if let [label, value] = cells.as_slice()
                && value.value().name() == "td"
            {
                pairs.push(pair(*label, *value));
            }
        }
        Self(pairs)
    }

    /// The value with one of these labels. `None` if the page has none of them.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if the page has several different values.
    pub fn find(&self, what: &str, labels: &[String]) -> Result<Option<&Value>, Failure> {
        let mut found = self
            .0
            .iter()
            .filter(|value| is_one_of(&value.label, labels));
        let first = found.next();
        if found.any(|other| first.is_some_and(|first| first.text != other.text)) {
            return Err(malformed(what, "one value", "several that differ"));
        }
        Ok(first)
    }

    /// The text with one of these labels. The label must exist; its value may be empty.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if the page has none of the labels.
    pub fn text(&self, what: &str, labels: &[String]) -> Result<Option<String>, Failure> {
        match self.find(what, labels)? {
            Some(value) => Ok(value.text.clone()),
            None => Err(malformed(what, "a label of the settings", "none of them")),
        }
    }
}

fn pair(label: ElementRef<'_>, value: ElementRef<'_>) -> Value {
    let link = value.select(&html::selector("a[href]")).next();
    Value {
        label: html::text(label),
        text: present(&html::text(value)),
        link: link.and_then(|link| link.attr("href")).map(str::to_owned),
    }
}

/// The values of known labels in a line such as `IČO: 99999901, Sídlo: Skúšobná 7`, each with the index of its
/// label in `known`. A value ends at the next known label; other colons belong to the value.
#[must_use]
pub fn flowing(line: &str, known: &[&[String]]) -> Vec<(usize, String)> {
    let mut values: Vec<(usize, String)> = Vec::new();
    let mut pieces = line.split(':').peekable();
    while let Some(piece) = pieces.next() {
        let is_last = pieces.peek().is_none();
        let ending = if is_last {
            None
        } else {
            label_at_end(piece, known)
        };
        let value = ending.as_ref().map_or(piece, |(_, before)| before.as_str());
        if let Some((_, text)) = values.last_mut() {
            // A colon without a known label before it belongs to the value.
            if !text.is_empty() {
                text.push(':');
            }
            text.push_str(value);
        }
        if let Some((label, _)) = ending {
            values.push((label, String::new()));
        }
    }
    for (_, text) in &mut values {
        *text = squeeze(text)
            .trim_end_matches([',', ';'])
            .trim_end()
            .to_owned();
    }
    values
}

/// The longest known label at the end of a piece, and the text before it.
fn label_at_end(piece: &str, known: &[&[String]]) -> Option<(usize, String)> {
    let words: Vec<&str> = piece.split_whitespace().collect();
    for from in 0..words.len() {
        let ending = words.get(from..)?.join(" ");
        let label = known.iter().position(|labels| is_one_of(&ending, labels));
        if let Some(label) = label {
            let before = words.get(..from)?.join(" ");
            return Some((label, before));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_at_the_next_known_label() {
        let names = |names: &[&str]| -> Vec<String> {
            names.iter().map(|name| (*name).to_owned()).collect()
        };
        let (ico, seat, from, until) = (
            names(&["IČO"]),
            names(&["Sídlo", "Adresa sídla"]),
            names(&["Zákaz od"]),
            names(&["do"]),
        );
        let known: [&[String]; 4] = [&ico, &seat, &from, &until];
        let of = |line| flowing(line, &known);
        let value = |label, text: &str| (label, text.to_owned());
        assert_eq!(
            of("IČO: 99 999 901, Adresa sídla: Skúšobná 7, 040 01 Košice"),
            [
                value(0, "99 999 901"),
                value(1, "Skúšobná 7, 040 01 Košice")
            ]
        );
        assert_eq!(
            of("Zákaz od: 01.02.2026 do: 31.01.2028"),
            [value(2, "01.02.2026"), value(3, "31.01.2028")]
        );
        assert_eq!(of("Sídlo: vchod: zo dvora"), [value(1, "vchod: zo dvora")]);
        assert_eq!(of("Sídlo:"), [value(1, "")]);
        assert_eq!(of("bez dvojbodky"), []);
    }

    #[test]
    fn pairs_are_found_in_lists_and_tables() {
        let page = html::parse(
            "<dl><dt>Názov:</dt><dd>Obec</dd><dt>IČO</dt><dd></dd></dl>\
             <table><tr><th>Typ</th><td><a href='/x'>§ 8</a></td></tr><tr><th>a</th><th>b</th></tr></table>",
        );
        let pairs = Pairs::of(&page);
        let named = |name: &str| vec![name.to_owned()];
        let text = |name: &str| pairs.text("x", &named(name)).ok();
        assert_eq!(text("nazov"), Some(Some("Obec".to_owned())));
        assert_eq!(text("IČO"), Some(None));
        assert_eq!(text("Adresa"), None);
        let kind = pairs.find("x", &named("Typ")).ok().flatten();
        assert_eq!(kind.and_then(|kind| kind.link.as_deref()), Some("/x"));
    }
}
