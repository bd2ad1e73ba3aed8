//! Assigns deposits to the holders of a company, which often have only the name in common. The IČO of a company is
//! compared if both the deposit and the holder have it.
//!
//! A deposit whose holder was identified later is published twice, so exact repeats count once; unless only the sum
//! with all of them is the registered capital. A share in percent is calculated only if the deposits add up to the
//! capital.

use lustra_sdk::amount;

use super::kept::{Deposit, End, Equity, History, Validity};
use super::offices::{Holder, Office};

/// The deposits of a company on a day.
pub struct Deposits<'a> {
    rows: Vec<Row<'a>>,
    /// Hundredths of the registered capital, if the open deposits add up to it.
    total: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Row<'a> {
    /// `None` for a share that several people own together.
    holder: Option<Holder>,
    cents: Option<u64>,
    deposit: &'a Deposit,
}

/// What a holder has deposited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Share {
    /// A decimal text without grouping, `6640` or `33.19`.
    pub amount: Option<String>,
    /// Code by ISO 4217, such as `EUR`.
    pub currency: Option<String>,
    /// Share of the capital in percent, with two decimals.
    pub percentage: Option<String>,
    /// `peňažný` or `nepeňažný`, as published.
    pub kind: Option<String>,
}

impl<'a> Deposits<'a> {
    /// The deposits of a history. `today` decides which are open.
    #[must_use]
    pub fn of(history: &'a History, today: &str) -> Self {
        let row = |deposit: &'a Deposit| Row {
            holder: Holder::of(&deposit.name),
            cents: deposit.amount.as_deref().and_then(cents),
            deposit,
        };
        let all: Vec<Row<'a>> = history.deposits.iter().map(row).collect();
        let mut once: Vec<Row<'a>> = Vec::new();
        for row in &all {
            if !once.iter().any(|known| known.is_repeated_by(row)) {
                once.push(row.clone());
            }
        }
        let capital = capital(&history.equities, today);
        let adds_up = |rows: &[Row<'_>]| {
            let open = rows
                .iter()
                .filter(|row| is_open(&row.deposit.validity, today));
            total(open).filter(|sum| *sum > 0 && Some(*sum) == capital)
        };
        match (adds_up(&once), adds_up(&all)) {
            (None, Some(total)) => Self {
                rows: all,
                total: Some(total),
            },
            (total, _) => Self { rows: once, total },
        }
    }

    /// What a holder has deposited: all open deposits, or the last ones of a former holder. Nothing is assigned if
    /// another holder of the same time has the same name.
    #[must_use]
    pub fn of_holder(&self, office: &Office<'_>, all: &[&Office<'_>], today: &str) -> Share {
        let is_current = is_current(&office.end, today);
        let namesakes = all
            .iter()
            .filter(|other| other.key == office.key && is_current == is_current_of(other, today));
        if is_current && namesakes.count() > 1 {
            return Share::default();
        }
        let holder = Holder::of_office(office);
        let others = all.iter().map(|other| Holder::of_office(other));
        let is_only = !others
            .filter(|other| other.ico != holder.ico)
            .any(|other| other.name == holder.name);
        let is_own = |own: &Holder| own.is(&holder) && (is_only || own.ico == holder.ico);
        let own = self
            .rows
            .iter()
            .filter(|row| row.holder.as_ref().is_some_and(is_own));
        let own: Vec<&Row<'_>> = if is_current {
            own.filter(|row| is_open(&row.deposit.validity, today))
                .collect()
        } else {
            last_of(&own.collect::<Vec<_>>(), office)
        };
        let Some(first) = own.first() else {
            return Share::default();
        };
        let currency = first.deposit.currency.clone();
        let has_one_currency = own.iter().all(|row| row.deposit.currency == currency);
        let sum = total(own.iter().copied()).filter(|_| has_one_currency);
        let kinds: Vec<String> = own.iter().filter_map(|row| kind(row.deposit)).collect();
        Share {
            amount: sum.map(decimal),
            percentage: self
                .total
                .filter(|_| is_current)
                .zip(sum)
                .map(|(total, own)| percentage(own, total)),
            currency: currency.filter(|_| sum.is_some()),
            kind: kinds
                .first()
                .filter(|kind| kinds.iter().all(|other| other == *kind))
                .cloned(),
        }
    }
}

impl Row<'_> {
    fn is_repeated_by(&self, other: &Row<'_>) -> bool {
        let is_same_holder = match (&self.holder, &other.holder) {
            (Some(own), Some(others)) => own.is(others),
            (own, others) => own == others,
        };
        is_same_holder
            && self.cents == other.cents
            && self.deposit.amount.is_some() == other.deposit.amount.is_some()
            && self.deposit.currency == other.deposit.currency
            && self.deposit.validity == other.deposit.validity
    }
}

/// The sum in hundredths. `None` if an amount is not known or the sum is too large.
fn total<'r, 'a: 'r>(mut rows: impl Iterator<Item = &'r Row<'a>>) -> Option<u64> {
    rows.try_fold(0_u64, |sum, row| sum.checked_add(row.cents?))
}

/// Of the deposits that began before a former holder left, those that ended last.
fn last_of<'r, 'a>(own: &[&'r Row<'a>], office: &Office<'_>) -> Vec<&'r Row<'a>> {
    let End::On(left) = &office.end else {
        return Vec::new();
    };
    let before = |row: &&&Row<'_>| row.deposit.validity.from().is_none_or(|from| from <= *left);
    // Of an ended company the deposits may stay open.
    let own: Vec<&Row<'_>> = own.iter().filter(before).copied().collect();
    let last = own.iter().map(|row| row.deposit.validity.end()).max();
    own.into_iter()
        .filter(|row| Some(row.deposit.validity.end()) == last)
        .collect()
}

/// Whether something holds today: it has no end, or a later one.
#[must_use]
pub fn is_current(end: &End, today: &str) -> bool {
    match end {
        End::Open => true,
        End::On(day) => day.as_str() >= today,
        End::Unknown => false,
    }
}

fn is_current_of(office: &Office<'_>, today: &str) -> bool {
    is_current(&office.end, today)
}

fn is_open(validity: &Validity, today: &str) -> bool {
    is_current(&validity.end(), today)
}

/// The registered capital in hundredths. Value and paid part are separate rows.
fn capital(equities: &[Equity], today: &str) -> Option<u64> {
    let open = equities
        .iter()
        .filter(|row| is_open(&row.validity, today) && row.value.is_some());
    let newest = open.max_by_key(|row| row.validity.from())?;
    cents(newest.value.as_deref()?)
}

fn cents(raw: &str) -> Option<u64> {
    let decimal = amount::parse(raw)?;
    let (whole, rest) = decimal.split_once('.').unwrap_or((&decimal, ""));
    let rest = rest.trim_end_matches('0');
    if rest.len() > 2 {
        return None;
    }
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(100)?
        .checked_add(format!("{rest:0<2}").parse().ok()?)
}

fn decimal(cents: u64) -> String {
    match cents % 100 {
        0 => (cents / 100).to_string(),
        rest => format!("{}.{rest:02}", cents / 100),
    }
}

/// Rounded to the nearest hundredth.
fn percentage(part: u64, total: u64) -> String {
    let hundredths = (u128::from(part) * 10_000 + u128::from(total) / 2) / u128::from(total.max(1));
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// The register prints `(peňažný vklad)`.
fn kind(deposit: &Deposit) -> Option<String> {
    let raw = deposit.kind.as_deref()?;
    let bare = raw.trim_matches(['(', ')', ' ']);
    let bare = bare.strip_suffix("vklad").unwrap_or(bare).trim_end();
    lustra_sdk::text::present(bare)
}

/// An amount without grouping and without empty decimals. `None` if it is not one.
#[must_use]
pub fn plain(raw: &str) -> Option<String> {
    let parsed = amount::parse(raw)?;
    Some(match parsed.split_once('.') {
        Some((whole, rest)) if rest.bytes().all(|digit| digit == b'0') => whole.to_owned(),
        _ => parsed,
    })
}

/// A number of shares: `1 000`, `1000` or `1000.0`.
#[must_use]
pub fn count(raw: &str) -> Option<u64> {
    plain(raw)?.parse().ok()
}

#[cfg(test)]
mod tests;
