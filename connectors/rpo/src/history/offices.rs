//! Joins the rows of one person in one function.
//!
//! A row ends with each change of the address, so its last day is not the end of an office. Rows of the statutory
//! body keep the first day of the office; rows of stakeholders continue on the next day. Both contain exact repeats.
//! People are distinguished by their name; two rows that hold at the same time at different postal codes are two
//! people. Companies are distinguished by their IČO; a row without one belongs to the only company of its name.
//! Invariant: rows are never joined across a gap.

use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::{calendar, text};

use super::codes::{Function, List};
use super::kept::{End, Name, Person, Validity};

/// One person or company in one function.
#[derive(Debug, Clone)]
pub struct Office<'a> {
    /// The newest of the joined rows.
    pub row: &'a Person,
    pub list: List,
    /// The person as [`Known::key`] tells it apart.
    pub key: String,
    /// The name as published, without a role.
    pub name: String,
    /// The company's IČO, also from another row of the same name.
    pub ico: Option<String>,
    /// The function that the register writes behind the name.
    pub written_function: Function,
    /// The first day: `YYYY-MM-DD`. `None` if it is unknown.
    pub from: Option<String>,
    pub end: End,
}

/// A name as it is shown and compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The folded parts of a person's name, or a company's IČO or folded name.
    pub key: String,
    /// The whole name with titles.
    pub shown: String,
    pub function: Function,
    pub is_company: bool,
    /// Registration number of eight digits.
    pub ico: Option<String>,
}

impl Known {
    /// `None` if the row names neither a person nor a company.
    #[must_use]
    pub fn of(name: &Name) -> Option<Self> {
        let parts = match (&name.given, &name.family) {
            (Some(given), Some(family)) => Some(format!("{given} {family}")),
            (given, family) => given.clone().or_else(|| family.clone()),
        };
        let whole = name.whole.as_deref().or(parts.as_deref());
        if let Some(whole) = whole {
            let (shown, function) = without_function(whole);
            let key = text::fold(parts.as_deref().unwrap_or(shown));
            return Some(Self {
                key,
                shown: shown.to_owned(),
                function,
                is_company: false,
                ico: None,
            });
        }
        let company = name.company.as_deref()?;
        let ico = name.ico.as_deref().and_then(lustra_sdk::ico::parse);
        Some(Self {
            key: ico.clone().unwrap_or_else(|| text::fold(company)),
            shown: company.to_owned(),
            function: Function::None,
            is_company: true,
            ico,
        })
    }
}

/// The holder of an office or of a deposit, for comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Folded, without titles.
    pub name: String,
    /// A company's IČO, if the row has it.
    pub ico: Option<String>,
}

impl Holder {
    fn new(key: &str, shown: &str, ico: Option<&str>) -> Self {
        Self {
            name: match ico {
                Some(_) => text::fold(shown),
                None => key.to_owned(),
            },
            ico: ico.map(str::to_owned),
        }
    }

    /// `None` if the row names neither a person nor a company.
    #[must_use]
    pub fn of(name: &Name) -> Option<Self> {
        let known = Known::of(name)?;
        Some(Self::new(&known.key, &known.shown, known.ico.as_deref()))
    }

    #[must_use]
    pub fn of_office(office: &Office<'_>) -> Self {
        Self::new(&office.key, &office.name, office.ico.as_deref())
    }

    /// Whether both are the same, by the IČO if both have one, else by the name.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        match (&self.ico, &other.ico) {
            (Some(own), Some(others)) => own == others,
            _ => self.name == other.name,
        }
    }
}

/// What stands between a name and a role.
const ROLE: &str = ", - ";

/// Takes a role off a name: `Ing. Ján Vzorný, - predseda`.
fn without_function(whole: &str) -> (&str, Function) {
    match whole.rsplit_once(ROLE) {
        Some((name, role)) => {
            let function = Function::of_label(role).unwrap_or(Function::None);
            (name.trim_end(), function)
        }
        None => (whole, Function::None),
    }
}

/// The role that is written behind a name.
#[must_use]
pub fn written_role(name: &Name) -> Option<&str> {
    let (_, role) = name.whole.as_deref()?.rsplit_once(ROLE)?;
    Some(role)
}

/// A person's key, and the code or label of the function.
type Held<'a> = (String, Option<&'a str>, Option<&'a str>);

/// The offices in one list of rows, in the order of their first rows.
#[must_use]
pub fn offices(rows: &[Person], list: List) -> Vec<Office<'_>> {
    let mut of_person: BTreeMap<Held<'_>, Vec<Row<'_>>> = BTreeMap::new();
    let numbers = numbers(rows);
    for (place, row) in rows.iter().enumerate() {
        let Some(mut known) = Known::of(&row.name) else {
            continue;
        };
        if known.is_company && known.ico.is_none() {
            let only = numbers.get(&known.key).filter(|icos| icos.len() == 1);
            if let Some(ico) = only.and_then(BTreeSet::first) {
                known.key.clone_from(ico);
                known.ico = Some(ico.clone());
            }
        }
        // A row without a code is distinguished by its label.
        let label = row.label.as_deref().filter(|_| row.code.is_none());
        let function = (known.key.clone(), row.code.as_deref(), label);
        of_person
            .entry(function)
            .or_default()
            .push(Row { place, row, known });
    }
    let mut offices: Vec<(usize, Office<'_>)> = Vec::new();
    for rows in of_person.into_values() {
        let chains = match list {
            List::StatutoryBodies => same_first_day(rows),
            List::Stakeholders => continued(rows),
        };
        offices.extend(chains.into_iter().filter_map(|chain| chain.office(list)));
    }
    offices.sort_by_key(|(place, _)| *place);
    offices.into_iter().map(|(_, office)| office).collect()
}

/// The IČO of the companies of each folded name.
fn numbers(rows: &[Person]) -> BTreeMap<String, BTreeSet<String>> {
    let mut numbers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for holder in rows.iter().filter_map(|row| Holder::of(&row.name)) {
        if let Some(ico) = holder.ico {
            numbers.entry(holder.name).or_default().insert(ico);
        }
    }
    numbers
}

struct Row<'a> {
    place: usize,
    row: &'a Person,
    known: Known,
}

impl Row<'_> {
    fn validity(&self) -> &Validity {
        &self.row.validity
    }

    /// Without spaces, which the register prints in some rows only.
    fn postal_code(&self) -> Option<String> {
        let code = self.row.address.as_ref()?.zip.as_deref()?;
        Some(code.split_whitespace().collect())
    }
}

/// Rows of one office.
struct Chain<'a> {
    rows: Vec<Row<'a>>,
}

impl<'a> Chain<'a> {
    fn end(&self) -> End {
        let ends = self.rows.iter().map(|row| row.validity().end());
        ends.max().unwrap_or(End::Unknown)
    }

    /// Whether the rows that hold until the end are at another postal code.
    fn contradicts(&self, row: &Row<'_>) -> bool {
        let end = self.end();
        let newest = self.rows.iter().filter(|own| own.validity().end() == end);
        let own = newest.filter_map(Row::postal_code).next();
        own.is_some_and(|own| row.postal_code().is_some_and(|code| code != own))
    }

    fn lives_at(&self, row: &Row<'_>) -> bool {
        row.postal_code().is_some()
            && self
                .rows
                .iter()
                .any(|own| own.postal_code() == row.postal_code())
    }

    fn office(self, list: List) -> Option<(usize, Office<'a>)> {
        let end = self.end();
        let place = self.rows.iter().map(|row| row.place).min()?;
        let from = self
            .rows
            .iter()
            .filter_map(|row| row.validity().from())
            .min();
        let newest = self
            .rows
            .into_iter()
            .max_by_key(|row| (row.validity().end(), row.validity().from()))?;
        Some((
            place,
            Office {
                row: newest.row,
                list,
                key: newest.known.key,
                name: newest.known.shown,
                ico: newest.known.ico,
                written_function: newest.known.function,
                from,
                end,
            },
        ))
    }
}

/// Joins rows with the same first day. Open rows at different postal codes are different people; a closed row
/// belongs to the one who has its postal code, else to the first one.
fn same_first_day(rows: Vec<Row<'_>>) -> Vec<Chain<'_>> {
    let mut by_day: BTreeMap<Option<String>, Vec<Row<'_>>> = BTreeMap::new();
    for row in rows {
        by_day.entry(row.validity().from()).or_default().push(row);
    }
    let mut all = Vec::new();
    for rows in by_day.into_values() {
        let mut chains: Vec<Chain<'_>> = Vec::new();
        let (open, closed): (Vec<_>, Vec<_>) = rows
            .into_iter()
            .partition(|row| row.validity().end() == End::Open);
        for row in open {
            match chains.iter_mut().find(|chain| !chain.contradicts(&row)) {
                Some(chain) => chain.rows.push(row),
                None => chains.push(Chain { rows: vec![row] }),
            }
        }
        for row in closed {
            let own = chains.iter().position(|chain| chain.lives_at(&row));
            match chains.get_mut(own.unwrap_or_default()) {
                Some(chain) => chain.rows.push(row),
                None => chains.push(Chain { rows: vec![row] }),
            }
        }
        all.extend(chains);
    }
    all
}

/// Joins rows that overlap, or that begin on the day after the end of another.
fn continued(mut rows: Vec<Row<'_>>) -> Vec<Chain<'_>> {
    rows.sort_by_key(|row| (row.validity().from(), row.validity().end()));
    let mut chains: Vec<Chain<'_>> = Vec::new();
    for row in rows {
        let from = row.validity().from();
        let fits = |chain: &&mut Chain<'_>| match (chain.end(), &from) {
            (End::On(end), Some(from)) if *from > end => {
                calendar::days_between(&end, from).is_some_and(|days| days <= 1)
            }
            (End::On(_) | End::Open, Some(_)) => !chain.contradicts(&row),
            // Without days, only a repeat is the same.
            _ => chain
                .rows
                .iter()
                .any(|own| own.validity() == row.validity()),
        };
        match chains.iter_mut().find(fits) {
            Some(chain) => chain.rows.push(row),
            None => chains.push(Chain { rows: vec![row] }),
        }
    }
    chains
}

#[cfg(test)]
mod tests;
