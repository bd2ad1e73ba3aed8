//! Facts as they stand on a page: any JSON value with its schema becomes texts, lists and tables.
//!
//! Titles and words come from the schemas of the connectors, so that the host needs to know no register.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::plot::Plot;
use super::shown::{Cell, Fact, Facts, Folded, Item, MAX_ITEMS, Rows, Shown, Years};
use super::texts::{Texts, texts};
use crate::changes::{Detail, Guide, Writer};
use crate::language::Language;

/// Most columns of a table. Items with more members stand below each other.
const MAX_COLUMNS: usize = 6;
/// Most levels of objects within objects that are laid out. Deeper ones become a line of text.
const MAX_DEPTH: usize = 4;
/// Most plots of a list of years.
const MAX_PLOTS: usize = 6;
/// The member of a section that names the sources that could not be read.
pub(super) const UNREAD: &str = "unread";

/// Lays out values in one language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    writer: Writer,
    pub(super) t: &'static Texts,
}

impl Layout {
    pub(super) fn new(language: Language) -> Self {
        Self {
            writer: Writer { language },
            t: texts(language),
        }
    }

    pub(super) fn writer(self) -> Writer {
        self.writer
    }

    /// The facts of a section or of details.
    pub(super) fn facts(self, members: &Map<String, Value>, guide: &Guide<'_>) -> Facts {
        self.members(members, guide, 0)
    }

    /// A value without a name, such as a section that is a list.
    pub(super) fn whole(self, title: &str, value: &Value, guide: &Guide<'_>) -> Facts {
        let shown = self.shown(value, "", None, guide, 0);
        let fact = shown.map(|shown| Fact {
            label: title.to_owned(),
            shown,
        });
        let facts = fact.into_iter().collect();
        Facts {
            is_titled: true,
            ..self.of(facts)
        }
    }

    fn of(self, facts: Vec<Fact>) -> Facts {
        Facts {
            t: self.t,
            facts,
            is_titled: false,
        }
    }

    fn members(self, members: &Map<String, Value>, guide: &Guide<'_>, depth: usize) -> Facts {
        let facts = members.iter().filter_map(|(name, value)| {
            let is_apart = depth == 0 && name == UNREAD;
            // An amount is written with its currency.
            if is_apart || name.ends_with("currency") {
                return None;
            }
            let member = guide.member(name);
            let is_undecided = value.is_null() && depth == 0 && guide.has_verdict(name);
            let shown = if is_undecided {
                Some(Shown::NotKnown)
            } else {
                self.shown(value, name, Some(members), &member, depth)
            };
            Some(Fact {
                label: self.writer.title(guide, name),
                shown: shown?,
            })
        });
        self.of(facts.collect())
    }

    fn shown(
        self,
        value: &Value,
        name: &str,
        parent: Option<&Map<String, Value>>,
        guide: &Guide<'_>,
        depth: usize,
    ) -> Option<Shown> {
        match value {
            Value::Null => None,
            Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                let cell = self.cell(value, name, parent, guide);
                (!cell.text.is_empty()).then_some(Shown::Line(cell))
            }
            Value::Object(members) if depth < MAX_DEPTH && !is_address(members) => {
                let facts = self.members(members, guide, depth + 1);
                (!facts.facts.is_empty()).then_some(Shown::Facts(facts))
            }
            Value::Object(_) => {
                let cell = self.cell(value, name, parent, guide);
                (!cell.text.is_empty()).then_some(Shown::Line(cell))
            }
            Value::Array(items) => Some(self.list(items, guide, depth)),
        }
    }

    fn list(self, items: &[Value], guide: &Guide<'_>, depth: usize) -> Shown {
        if items.is_empty() {
            return Shown::None;
        }
        let inner = guide.items();
        let objects: Option<Vec<&Map<String, Value>>> =
            items.iter().map(Value::as_object).collect();
        let Some(objects) = objects else {
            let cells = items.iter().map(|item| self.cell(item, "", None, &inner));
            let cells = cells.filter(|cell| !cell.text.is_empty()).collect();
            return Shown::Lines(Folded::of(cells));
        };
        if let Some(years) = self.years(&objects, &inner, depth) {
            return Shown::Years(years);
        }
        let columns = columns(&objects);
        let is_flat = objects
            .iter()
            .flat_map(|members| members.values())
            .all(|value| !is_laid_out(value));
        if columns.len() <= MAX_COLUMNS && is_flat {
            let rows = objects.iter().map(|members| {
                let cells = columns.iter().map(|name| {
                    let value = members.get(*name).unwrap_or(&Value::Null);
                    self.cell(value, name, Some(members), &inner.member(name))
                });
                cells.collect()
            });
            let titles = columns.iter().map(|name| self.writer.title(&inner, name));
            return Shown::Rows(Rows {
                columns: titles.collect(),
                rows: Folded::of(rows.collect()),
            });
        }
        let identity = guide.identity();
        let items = objects.iter().take(MAX_ITEMS + 1);
        let items = items.map(|members| self.item(members, &identity, &inner, depth));
        let mut folded = Folded::of(items.collect());
        folded.omitted = objects.len().saturating_sub(MAX_ITEMS);
        Shown::Items(folded)
    }

    fn item(
        self,
        members: &Map<String, Value>,
        identity: &[&str],
        guide: &Guide<'_>,
        depth: usize,
    ) -> Item {
        let heading = self.writer.item(members, identity, guide, Detail::Brief);
        let mut facts = self.members(members, guide, depth + 1);
        facts.facts.retain(|fact| {
            let repeats = |cell: &Cell| cell.link.is_none() && cell.text == heading;
            !matches!(&fact.shown, Shown::Line(cell) if repeats(cell))
        });
        Item { heading, facts }
    }

    /// A value as a line.
    fn cell(
        self,
        value: &Value,
        name: &str,
        parent: Option<&Map<String, Value>>,
        guide: &Guide<'_>,
    ) -> Cell {
        if let Some(link) = value.as_str().and_then(web_address) {
            let shown = link.host_str().unwrap_or_default().to_owned();
            return Cell {
                text: shown,
                link: Some(link.to_string()),
                is_number: false,
            };
        }
        let text = self.writer.value(value, name, parent, guide, Detail::Full);
        // The writer shortens long texts for e-mails; a page shows them whole.
        let text = match value.as_str() {
            Some(whole) if whole.len() > text.len() && text.ends_with('…') => whole.to_owned(),
            _ => text,
        };
        let is_number = value.is_number() || (value.is_string() && is_amount(&text));
        Cell {
            text,
            link: None,
            is_number,
        }
    }

    /// The layout by years, if the items are years with figures.
    fn years(
        self,
        items: &[&Map<String, Value>],
        guide: &Guide<'_>,
        depth: usize,
    ) -> Option<Years> {
        let year = |members: &Map<String, Value>| members.get("year")?.as_i64();
        let mut items: Vec<(i64, &Map<String, Value>)> = items
            .iter()
            .map(|members| Some((year(members)?, *members)))
            .collect::<Option<_>>()?;
        items.truncate(MAX_ITEMS);
        items.sort_by_key(|(year, _)| std::cmp::Reverse(*year));
        let is_several = items.first().map(|item| item.0) != items.last().map(|item| item.0);
        let objects: Vec<&Map<String, Value>> = items.iter().map(|item| item.1).collect();
        let names: Vec<&str> = columns(&objects)
            .into_iter()
            .filter(|name| *name != "year")
            .collect();
        let figures: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| is_figure(name, &objects))
            .collect();
        if !is_several || figures.len() < 2 {
            return None;
        }
        let plots = figures
            .iter()
            .filter_map(|name| self.plot(name, &items, guide));
        let plots: Vec<Plot> = plots.take(MAX_PLOTS).collect();
        let in_table = |name: &&&str| {
            let values = objects.iter().filter_map(|members| members.get(**name));
            values.into_iter().all(|value| !is_laid_out(value))
        };
        let rows = names.iter().filter(in_table).map(|name| {
            let cells = objects.iter().map(|members| {
                let value = members.get(*name).unwrap_or(&Value::Null);
                self.cell(value, name, Some(members), &guide.member(name))
            });
            (self.writer.title(guide, name), cells.collect())
        });
        let rows = rows.collect();
        let apart: Vec<&str> = names
            .iter()
            .filter(|name| !in_table(name))
            .copied()
            .collect();
        let further = items.iter().map(|(year, members)| {
            let own = apart.iter().filter_map(|name| {
                let value = members.get(*name)?;
                Some(((*name).to_owned(), value.clone()))
            });
            Item {
                heading: year.to_string(),
                facts: self.members(&own.collect(), guide, depth + 1),
            }
        });
        Some(Years {
            years: items.iter().map(|item| item.0.to_string()).collect(),
            rows,
            plots,
            further: further
                .filter(|item| !item.facts.facts.is_empty())
                .collect(),
        })
    }

    /// The plot of a figure over the years.
    fn plot(
        self,
        name: &str,
        items: &[(i64, &Map<String, Value>)],
        guide: &Guide<'_>,
    ) -> Option<Plot> {
        let title = self.writer.title(guide, name);
        let mut values = BTreeMap::new();
        for (year, members) in items {
            let value = members.get(name).unwrap_or(&Value::Null);
            if let Some(number) = value.as_f64() {
                let cell = self.cell(value, name, Some(members), &guide.member(name));
                values.entry(*year).or_insert((number, cell.text));
            }
        }
        Plot::of(title, values)
    }
}

/// The members that some item has a value for, without currencies, in the order of the items.
fn columns<'a>(items: &[&'a Map<String, Value>]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for (name, value) in items.iter().flat_map(|members| members.iter()) {
        let is_empty = value.is_null() || value.as_str().is_some_and(str::is_empty);
        if !is_empty && !name.ends_with("currency") && !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

/// Whether a member holds a number in two items at least, and not a key.
fn is_figure(name: &str, items: &[&Map<String, Value>]) -> bool {
    let values = items.iter().filter_map(|members| members.get(name));
    let numbers = values.filter(|value| value.is_number()).count();
    numbers >= 2 && name != "id" && !name.ends_with("_id")
}

/// Whether a value is more than a line.
fn is_laid_out(value: &Value) -> bool {
    match value {
        Value::Object(members) => !is_address(members),
        Value::Array(items) => items.iter().any(|item| item.is_object() || item.is_array()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn is_address(members: &Map<String, Value>) -> bool {
    members.contains_key("street") && members.contains_key("city") && !members.contains_key("name")
}

/// The address of a web page.
fn web_address(text: &str) -> Option<url::Url> {
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    url::Url::parse(text).ok().filter(|_| is_web)
}

/// Whether a text is a number, perhaps with separators and a currency.
fn is_amount(text: &str) -> bool {
    let Some((number, currency)) = text.rsplit_once(' ') else {
        return false;
    };
    let is_currency = currency.len() == 3 && currency.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, ' ' | ',' | '.' | '-');
    is_currency && number.chars().all(is_number)
}
