//! One contract: from an element of a day's file to its stored record.
//!
//! The record contains what the section needs. A contract without a supplier's IČO belongs to no company, so
//! only its amounts are stored. A buyer without an IČO may be a private person and is not named.

use lustra_sdk::xml::Element;
use lustra_sdk::{Failure, amount, date, entities, ico, malformed, text};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::settings::{Settings, States};

/// Maximum stored length of a number, a subject or a name, in characters.
const MAX_TEXT_CHARS: usize = 300;

/// The stored part of a contract. Absent members are left out, since there are millions of records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Contract {
    /// The publisher's number of the contract (`nazov`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// The subject of the contract (`predmet`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The buyer's name (`zs1`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buyer: Option<String>,
    /// The buyer's IČO (`ico1`), 8 digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buyer_ico: Option<String>,
    /// The agreed amount in EUR (`suma_zmluva`) as decimal text. Absent if it is 0, which means unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreed: Option<String>,
    /// The amount in EUR including all amendments (`suma_spolu`) as decimal text. Absent if it is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<String>,
    /// The date of signature (`datum`), `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed: Option<String>,
    /// The effective date (`datum_ucinnost`), `YYYY-MM-DD`. Absent if the register gives it in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective: Option<String>,
    /// The date of publication (`datum_zverejnene`), `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// The number in `stav`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<u32>,
    /// The number in `druh`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<u32>,
    /// The number in `typ`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub typ: Option<u32>,
    /// True if the number or the subject calls it an amendment.
    #[serde(skip_serializing_if = "is_false")]
    pub is_called_amendment: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks with a reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}

/// The note of a contract whose state neither the register's documentation nor the settings explain.
pub const UNEXPLAINED_STATE: &str = "unexplained-state";

/// How the section treats a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContractStatus {
    /// Counted as a contract.
    Counted,
    /// An amendment of another contract, whose total includes it.
    Amendment,
    Cancelled,
    Draft,
}

/// A contract as read from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// The contract's id in the register (`ID`).
    pub id: String,
    /// The supplier's IČO (`ico`), 8 digits, if it is valid.
    pub supplier: Option<String>,
    /// The time of the last change (`chan`), `YYYY-MM-DD HH:MM:SS`, to find the newer of two versions.
    pub changed: String,
    /// The part to store.
    pub contract: Contract,
    /// Unreadable values, by the names of their notes.
    pub oddities: Vec<&'static str>,
    /// How many of the two amounts were present, and how many of them were unreadable.
    pub amounts: (u32, u32),
}

/// Reads one element `zmluva`; `place` names it in failures.
///
/// # Errors
/// [`Failure::Malformed`] for a contract without an id.
pub fn read(element: &Element, place: &str, settings: &Settings) -> Result<Read, Failure> {
    let id = element.text_of("ID").unwrap_or_default();
    if id.is_empty() || id.len() > 20 || !id.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(malformed(format!("{place}: ID"), "a number", id));
    }
    let mut oddities = Vec::new();
    let state = element.text_of("stav").and_then(|state| state.parse().ok());
    // It is stored, and the section of its supplier fails until the settings explain the state.
    if state.is_none_or(|state| status_of(state, &settings.states).is_none()) {
        oddities.push(UNEXPLAINED_STATE);
    }
    let supplier = element.text_of("ico").and_then(ico::parse);
    let mut amounts = (0, 0);
    let agreed = money(element, "suma_zmluva", &mut amounts);
    let of_agreed = amounts.1;
    let total = money(element, "suma_spolu", &mut amounts);
    // An unreadable total is not replaced by the agreed amount.
    let agreed = agreed.filter(|_| amounts.1 == of_agreed);
    if amounts.1 > 0 {
        oddities.push("unreadable-amount");
    }
    let changed = element.text_of("chan").unwrap_or_default().to_owned();
    let contract = if supplier.is_some() {
        let buyer_ico = element.text_of("ico1").and_then(ico::parse);
        let (number, subject) = (words(element, "nazov"), words(element, "predmet"));
        Contract {
            is_called_amendment: is_called_amendment(
                [number.as_deref(), subject.as_deref()],
                &settings.amendments.words,
            ),
            number,
            subject,
            buyer: buyer_ico.as_ref().and_then(|_| words(element, "zs1")),
            buyer_ico,
            agreed,
            total,
            signed: day(element, "datum", &mut oddities),
            effective: element.text_of("datum_ucinnost").and_then(date::parse),
            published: day(element, "datum_zverejnene", &mut oddities),
            state,
            kind: element.text_of("druh").and_then(|kind| kind.parse().ok()),
            typ: element.text_of("typ").and_then(|typ| typ.parse().ok()),
        }
    } else {
        oddities.push("without-supplier-ico");
        Contract {
            agreed,
            total,
            ..Contract::default()
        }
    };
    Ok(Read {
        id: id.to_owned(),
        supplier,
        changed,
        contract,
        oddities,
        amounts,
    })
}

fn status_of(state: u32, states: &States) -> Option<ContractStatus> {
    if states.cancelled.contains(&state) {
        Some(ContractStatus::Cancelled)
    } else if states.draft.contains(&state) {
        Some(ContractStatus::Draft)
    } else if states.published.contains(&state) {
        Some(ContractStatus::Counted)
    } else {
        None
    }
}

/// True if a word of the number or the subject starts like `dodatok`.
fn is_called_amendment(texts: [Option<&str>; 2], begins: &[String]) -> bool {
    let folded = texts.into_iter().flatten().map(text::fold);
    folded.into_iter().any(|folded| {
        folded
            .split(' ')
            .any(|word| begins.iter().any(|begin| word.starts_with(begin.as_str())))
    })
}

/// An amount. `None` if it is 0 or missing, which both mean unknown, or if it is unreadable.
fn money(element: &Element, name: &str, (given, unreadable): &mut (u32, u32)) -> Option<String> {
    let raw = element.text_of(name)?;
    *given += 1;
    let exact = amount::parse(raw).and_then(|decimal| amount::sum([decimal.as_str()]));
    match exact {
        Some(exact) => Some(exact).filter(|exact| exact.bytes().any(|b| matches!(b, b'1'..=b'9'))),
        None => {
            *unreadable += 1;
            None
        }
    }
}

/// The day of a date or a time. Sentinels are absent; any other invalid text is an oddity.
fn day(element: &Element, name: &str, oddities: &mut Vec<&'static str>) -> Option<String> {
    let raw = element.text_of(name)?;
    // A time may follow the date after a space.
    let first = raw.split_whitespace().next().unwrap_or_default();
    let found = date::parse(first);
    if found.is_none() && !first.starts_with("0000-") {
        oddities.push("unreadable-date");
    }
    found
}

/// A text on one line with entities resolved, limited to [`MAX_TEXT_CHARS`].
fn words(element: &Element, name: &str) -> Option<String> {
    let resolved = entities::resolved(element.text_of(name)?);
    let found = text::present(&resolved)?;
    Some(match found.char_indices().nth(MAX_TEXT_CHARS) {
        Some((end, _)) => format!("{}…", found[..end].trim_end()),
        None => found,
    })
}

/// The members of a stored [`Contract`] that decide how it counts. Borrows its texts, because a company may have tens
/// of thousands of contracts.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Summed<'a> {
    agreed: Option<&'a str>,
    total: Option<&'a str>,
    pub published: Option<&'a str>,
    pub state: Option<u32>,
    kind: Option<u32>,
    typ: Option<u32>,
    is_called_amendment: bool,
    #[serde(rename = "number")]
    _number: Option<IgnoredAny>,
    #[serde(rename = "subject")]
    _subject: Option<IgnoredAny>,
    #[serde(rename = "buyer")]
    _buyer: Option<IgnoredAny>,
    #[serde(rename = "buyer_ico")]
    _buyer_ico: Option<IgnoredAny>,
    #[serde(rename = "signed")]
    _signed: Option<IgnoredAny>,
    #[serde(rename = "effective")]
    _effective: Option<IgnoredAny>,
}

impl Summed<'_> {
    /// How the section treats the contract. `None` for a state that the settings do not explain.
    #[must_use]
    pub fn status(&self, settings: &Settings) -> Option<ContractStatus> {
        let status = status_of(self.state?, &settings.states)?;
        let is_in = |number: Option<u32>, numbers: &[u32]| {
            number.is_some_and(|number| numbers.contains(&number))
        };
        let amendments = &settings.amendments;
        let is_amendment = is_in(self.typ, &amendments.types)
            || is_in(self.kind, &amendments.kinds)
            || self.is_called_amendment;
        Some(match status {
            ContractStatus::Counted if is_amendment => ContractStatus::Amendment,
            status @ (ContractStatus::Counted
            | ContractStatus::Amendment
            | ContractStatus::Cancelled
            | ContractStatus::Draft) => status,
        })
    }

    /// True if the contract is an order.
    #[must_use]
    pub fn is_order(&self, settings: &Settings) -> bool {
        self.kind
            .is_some_and(|kind| settings.orders.contains(&kind))
    }

    /// The counted amount: the total with all amendments, or the agreed amount if the total is unknown.
    #[must_use]
    pub fn value(&self) -> Option<&str> {
        self.total.or(self.agreed)
    }
}
