//! Capital, deposits and shares: amounts with their currency.

use lustra_sdk::{amount, text};

use crate::extract::{Entry, Line, line_text};
use crate::people;

/// An amount as printed and as a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Money {
    /// `12 345 678,43225 EUR`.
    pub printed: String,
    /// ISO 4217, or the register's own text for an unknown currency.
    pub currency: Option<String>,
    /// Millionths of the currency, for shares of a whole.
    millionths: Option<u128>,
}

impl Money {
    /// Reads the amount at the beginning of a text, up to the currency behind it.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits_end = text
            .find(|c: char| {
                !(c.is_ascii_digit() || c.is_whitespace() || c == '\u{a0}' || c == ',' || c == '.')
            })
            .unwrap_or(text.len());
        let (number, rest) = text.split_at(digits_end);
        let decimal = amount::parse(number.trim().trim_end_matches(['.', ',']))?;
        let word: String = rest
            .chars()
            .take_while(|c| c.is_alphabetic() || *c == '€')
            .collect();
        let currency = match word.as_str() {
            "" => None,
            "Sk" | "SK" | "SKK" | "Skk" => Some("SKK"),
            "EUR" | "Eur" | "eur" | "€" => Some("EUR"),
            other => Some(other),
        };
        Some(Self {
            printed: text::squeeze(&format!("{number} {word}")),
            currency: currency.map(str::to_owned),
            millionths: millionths(&decimal),
        })
    }

    /// The sum of several deposits of one person; `None` when they cannot be added.
    #[must_use]
    fn plus(&self, other: &Self) -> Option<Self> {
        let total = self.millionths?.checked_add(other.millionths?)?;
        if self.currency != other.currency {
            return None;
        }
        let number = amount::sum([decimal(total).as_str()])?;
        let number = number
            .strip_suffix(".00")
            .unwrap_or(&number)
            .replace('.', ",");
        let printed = [Some(number.as_str()), self.currency.as_deref()]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>();
        Some(Self {
            printed: printed.join(" "),
            currency: self.currency.clone(),
            millionths: Some(total),
        })
    }
}

fn millionths(decimal: &str) -> Option<u128> {
    let (whole, rest) = decimal.split_once('.').unwrap_or((decimal, ""));
    if rest.len() > 6 || whole.len() > 24 {
        return None;
    }
    Some(whole.parse::<u128>().ok()? * 1_000_000 + format!("{rest:0<6}").parse::<u128>().ok()?)
}

fn decimal(millionths: u128) -> String {
    format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
}

const AMOUNT: &str = "Vklad:";
const PAID: &str = "Splatené:";
/// The folded label of a lien. Assumed.
const LIEN: &str = "zalozne pravo";

/// The contribution of one partner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deposit {
    /// The partner's name as printed.
    pub holder: String,
    /// The partner's name, folded.
    pub name: String,
    /// The amount of the contribution (Vklad).
    pub amount: Option<Money>,
    /// The part that is paid up (Splatené).
    pub paid: Option<Money>,
    /// The text in brackets after the amount, such as a contribution in money or in kind.
    pub kind: Option<String>,
    /// The lien on the share. `None` if the entry has lines of an unknown kind, `Some(None)` if it states no lien.
    pub lien: Option<Option<String>>,
}

impl Deposit {
    /// Reads `name, Vklad: 5 000 EUR ( peňažný vklad ) Splatené: 5 000 EUR`; old ones lack the part that is paid.
    #[must_use]
    pub fn read(entry: &Entry) -> Option<Self> {
        let name = entry
            .lines
            .first()?
            .iter()
            .take_while(|piece| !piece.text.contains(AMOUNT));
        let name = name
            .filter(|piece| !piece.text.contains(':'))
            .map(|piece| piece.text.as_str());
        let holder = people::tidy(&name.collect::<Vec<_>>().join(" "));
        let text = entry.text();
        // Keep an entry without an amount, because it makes the sum of all deposits unknown.
        let promised = text.split_once(AMOUNT).map_or("", |(_, amount)| amount);
        let (promised, paid) = match promised.split_once(PAID) {
            Some((promised, paid)) => (promised, Money::read(paid)),
            None => (promised, None),
        };
        let kind = promised
            .split_once('(')
            .and_then(|(_, rest)| rest.split_once(')'));
        let kind = kind.and_then(|(kind, _)| text::present(kind));
        Some(Self {
            name: text::fold(&holder),
            holder,
            amount: Money::read(promised),
            paid,
            kind,
            lien: lien(entry),
        })
    }

    /// The sum of one partner's deposits.
    #[must_use]
    pub fn together(deposits: &[&Self]) -> Option<Self> {
        let [first, rest @ ..] = deposits else {
            return None;
        };
        let mut whole = (*first).clone();
        for next in rest {
            whole.amount = whole
                .amount
                .zip(next.amount.as_ref())
                .and_then(|(sum, amount)| sum.plus(amount));
            whole.paid = whole
                .paid
                .zip(next.paid.as_ref())
                .and_then(|(sum, amount)| sum.plus(amount));
            whole.kind = whole.kind.filter(|kind| next.kind.as_ref() == Some(kind));
            whole.lien = whole
                .lien
                .zip(next.lien.clone())
                .map(|(lien, other)| both(lien, other));
        }
        Some(whole)
    }
}

/// The lien in the lines below the amounts. No recorded page has one, so a line with another label is not guessed.
fn lien(entry: &Entry) -> Option<Option<String>> {
    let amounts = |line: &Line| {
        let text = line_text(line);
        text.contains(AMOUNT) || text.contains(PAID)
    };
    let Some(last) = entry.lines.iter().rposition(amounts) else {
        return (entry.lines.len() <= 1).then_some(None);
    };
    let mut liens = None;
    for line in &entry.lines[last + 1..] {
        let text = line_text(line);
        let (label, value) = text.split_once(':')?;
        if text::fold(label) != LIEN {
            return None;
        }
        liens = both(liens, text::present(value));
    }
    Some(liens)
}

fn both(lien: Option<String>, other: Option<String>) -> Option<String> {
    match (lien, other) {
        (Some(lien), Some(other)) if lien != other => Some(format!("{lien}; {other}")),
        (lien, other) => lien.or(other),
    }
}

/// A share of the sum of all deposits in percent with two decimals, rounded half up. `None` if deposits are
/// unreadable or in several currencies, because the sum is then unknown.
#[must_use]
pub fn percentage(part: &Money, deposits: &[Deposit]) -> Option<String> {
    let mut total: u128 = 0;
    for deposit in deposits {
        let amount = deposit
            .amount
            .as_ref()
            .filter(|amount| amount.currency == part.currency)?;
        total = total.checked_add(amount.millionths?)?;
    }
    if total == 0 {
        return None;
    }
    let hundredths =
        part.millionths?.checked_mul(20_000)?.checked_add(total)? / total.checked_mul(2)?;
    Some(format!("{}.{:02}", hundredths / 100, hundredths % 100))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]
mod tests {
    use super::*;
    use crate::extract::Piece;

    #[test]
    fn amounts_are_read_with_their_currency() {
        for (raw, printed, currency) in [
            ("5 000  EUR", "5 000 EUR", Some("EUR")),
            (
                "12 345 678,43225 EUR Rozsah",
                "12 345 678,43225 EUR",
                Some("EUR"),
            ),
            ("200 000 Sk ( peňažný vklad )", "200 000 Sk", Some("SKK")),
            ("6 640", "6 640", None),
        ] {
            let money = Money::read(raw).unwrap();
            assert_eq!(
                (money.printed.as_str(), money.currency.as_deref()),
                (printed, currency),
                "{raw}"
            );
        }
        assert_eq!(Money::read("neuvedené"), None);
        assert_eq!(Money::read(""), None);
    }

    #[test]
    fn lien_is_read_by_its_label_and_never_guessed() {
        let of = |lines: &[&str]| {
            let line = |text: &&str| {
                vec![Piece {
                    text: (*text).to_owned(),
                    linked: false,
                }]
            };
            let entry = Entry {
                lines: lines.iter().map(line).collect(),
                valid: true,
                from: None,
                to: None,
            };
            Deposit::read(&entry).and_then(|deposit| deposit.lien)
        };
        let amounts = "Vklad: 5 000 EUR Splatené: 5 000 EUR";
        assert_eq!(of(&["Jana Skúšobná", amounts]), Some(None));
        assert_eq!(
            of(&[
                "Jana Skúšobná",
                amounts,
                "Záložné právo: Vzorová banka, a. s."
            ]),
            Some(Some("Vzorová banka, a. s.".to_owned()))
        );
        assert_eq!(of(&["Jana Skúšobná", amounts, "Niečo nové: 5"]), None);
        assert_eq!(of(&["Jana Skúšobná", amounts, "Niečo nové"]), None);
    }

    #[test]
    fn percentages_are_exact_and_never_guessed() {
        let deposit = |raw: &str| Deposit {
            holder: String::new(),
            name: String::new(),
            amount: Money::read(raw),
            paid: None,
            kind: None,
            lien: Some(None),
        };
        let thirds = ["1 EUR", "1 EUR", "1 EUR"].map(deposit);
        assert_eq!(
            percentage(&Money::read("1 EUR").unwrap(), &thirds).as_deref(),
            Some("33.33")
        );
        assert_eq!(
            percentage(&Money::read("2 EUR").unwrap(), &thirds).as_deref(),
            Some("66.67")
        );
        for unknown in [["1 EUR", "?"], ["1 EUR", "1 Sk"], ["0 EUR", "0 EUR"]] {
            assert_eq!(
                percentage(&Money::read("1 EUR").unwrap(), &unknown.map(deposit)),
                None,
                "{unknown:?}"
            );
        }
    }
}
