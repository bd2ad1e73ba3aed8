//! The facts about a company on one day. Each register presents them in its own format.

use serde::Serialize;
use time::Date;

use super::calendar::{after, iso};
use super::forms::{LegalForm, SourceRegister};
use super::happening::Happened;
use super::holders::{Officer, Shareholder};
use super::money::Money;
use super::tax::{Reliability, Vat};

/// A value and the days on which it was valid. The last entry of a list is the newest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Timed<T> {
    pub value: T,
    #[serde(with = "iso")]
    pub since: Date,
    /// The last day; none while the value is valid.
    #[serde(with = "iso::option")]
    pub until: Option<Date>,
}

impl<T> Timed<T> {
    pub(crate) fn open(value: T, since: Date) -> Self {
        Self {
            value,
            since,
            until: None,
        }
    }

    pub(crate) fn closed(value: T, since: Date, until: Date) -> Self {
        Self {
            value,
            since,
            until: Some(until),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Address {
    /// The street's name; some villages have no streets.
    pub street: Option<String>,
    /// The registration number of the house (súpisné číslo); 0 means none.
    pub reg_number: u32,
    /// The number in the street.
    pub building_number: Option<String>,
    /// Five digits in Slovakia, any text abroad.
    pub postal_code: Option<String>,
    pub city: &'static str,
    /// The municipality's code in CL000025; none abroad.
    pub city_code: Option<&'static str>,
    /// The country's name as the registers write it.
    pub country: &'static str,
    /// The ISO numeric code of the country, `703` for Slovakia.
    pub country_code: &'static str,
}

impl Address {
    pub(crate) fn is_slovak(&self) -> bool {
        self.country_code == "703"
    }

    /// The house number as the commercial register and the tax authority write it: `123/4`, `4` or `123`.
    pub(crate) fn house(&self) -> String {
        match (&self.building_number, self.reg_number) {
            (Some(number), 0) => number.clone(),
            (Some(number), reg) => format!("{reg}/{number}"),
            (None, reg) => reg.to_string(),
        }
    }

    /// `Skúšobná 123/4`, or the village and its house number if the village has no streets.
    pub(crate) fn street_line(&self) -> String {
        format!(
            "{} {}",
            self.street.as_deref().unwrap_or(self.city),
            self.house()
        )
    }

    pub(crate) fn postal_code(&self) -> &str {
        self.postal_code.as_deref().unwrap_or_default()
    }

    /// `999 01` in Slovakia, unchanged abroad.
    pub(crate) fn spaced_postal_code(&self) -> String {
        let code = self.postal_code();
        match code.split_at_checked(3) {
            Some((head, tail)) if self.is_slovak() => format!("{head} {tail}"),
            Some(_) | None => code.to_owned(),
        }
    }
}

/// Registered and paid capital.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Capital {
    pub registered: Money,
    pub paid: Money,
}

/// Issued shares of a joint-stock company.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Shares {
    pub count: u64,
    /// The nominal value of one share.
    pub nominal: Money,
}

/// A line of business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Activity {
    /// The text in the register.
    pub text: &'static str,
    #[serde(with = "iso")]
    pub since: Date,
    #[serde(with = "iso::option")]
    pub until: Option<Date>,
    /// A suspended trade: first and last day of the pause.
    #[serde(skip)]
    pub suspended: Option<(Date, Date)>,
}

/// The main activity in the statistical classifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Nace {
    /// The 4-digit class of the new classification (CL010579).
    pub class: &'static str,
    /// The 5-digit subclass of the old one (CL005205).
    pub old_class: &'static str,
    /// The activity's name in the classification.
    pub title: &'static str,
    /// Whether the statistical office has not yet recoded the company.
    pub is_old: bool,
}

/// The file in the commercial register.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OrsrFile {
    /// The `ID` of the extract. It identifies a file only together with the court.
    pub id: u32,
    /// The `SID`: the number of the court.
    pub court: u8,
    /// The section of the register, such as `Sro` or `Sa`.
    pub section: &'static str,
    /// The number before the slash of the file reference.
    pub insert: u32,
    /// The letter after the slash.
    pub letter: char,
    /// `ID` and `SID` of the file at a former court, from which it was ceded.
    pub ceded: Option<(u32, u8)>,
    /// Whether the extract has the labels of 2020 instead of those of 2025.
    pub old_labels: bool,
}

/// How a company ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ending {
    /// The day of erasure.
    #[serde(with = "iso")]
    pub date: Date,
    /// The company that it merged into, with its IČO; none after an ordinary liquidation.
    pub successor: Option<(String, String)>,
    /// Whether the record was erased as a mistake.
    pub is_erased_error: bool,
}

/// A second, ended record that the register of legal persons keeps under the same IČO.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EarlierRecord {
    pub rpo_id: u64,
    pub name: String,
    #[serde(with = "iso")]
    pub established: Date,
    #[serde(with = "iso")]
    pub terminated: Date,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DebtorList {
    /// The social insurer (Sociálna poisťovňa).
    Socpoist,
    /// The health insurer Všeobecná zdravotná poisťovňa.
    Vszp,
    /// The health insurer Union zdravotná poisťovňa.
    Union,
    /// The health insurer Dôvera zdravotná poisťovňa.
    Dovera,
    /// The tax authority's `ds_dsdd`.
    Tax,
}

impl DebtorList {
    pub const ALL: [Self; 5] = [
        Self::Socpoist,
        Self::Vszp,
        Self::Union,
        Self::Dovera,
        Self::Tax,
    ];
}

/// An entry on a debtor list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Debt {
    pub list: DebtorList,
    pub amount: Money,
}

/// Input of all random facts: the seed (a fixed one for the showcase) and the simulator's first day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) seed: u64,
    pub(crate) start: Date,
}

/// All facts about a company on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Company {
    /// The place in the population.
    pub index: u32,
    /// The registration number, 8 digits.
    pub ico: String,
    /// The internal id in the register of legal persons.
    pub rpo_id: u64,
    pub names: Vec<Timed<String>>,
    pub legal_form: LegalForm,
    /// Former legal forms, oldest first.
    pub former_forms: Vec<Timed<LegalForm>>,
    /// The register that the record comes from.
    pub source_register: SourceRegister,
    /// The court or office that keeps that register.
    pub registration_office: String,
    /// The number in that register, such as `Sro/99999/B` or `999-12345`.
    pub registration_number: String,
    pub seats: Vec<Timed<Address>>,
    #[serde(with = "iso")]
    pub established: Date,
    /// How and when it ended.
    pub ending: Option<Ending>,
    /// Whether an ended record has an end date on every item, or on none.
    pub ended_items_closed: bool,
    /// The first day of the liquidation.
    #[serde(with = "iso::option")]
    pub liquidation_since: Option<Date>,
    /// The first day of the bankruptcy.
    #[serde(with = "iso::option")]
    pub bankruptcy_since: Option<Date>,
    /// Officers of every kind, including past ones.
    pub officers: Vec<Officer>,
    /// Shareholders, including past ones.
    pub shareholders: Vec<Shareholder>,
    pub capital: Vec<Timed<Capital>>,
    pub shares: Option<Shares>,
    pub activities: Vec<Activity>,
    /// How officers act for the company, oldest first.
    pub acting: Vec<Timed<String>>,
    pub legal_facts: Vec<Timed<String>>,
    pub nace: Nace,
    /// The second record under the same IČO.
    pub earlier_record: Option<EarlierRecord>,
    /// Whether a re-registration doubled rows in the register of legal persons.
    pub has_doubled_rows: bool,
    /// Whether the register of legal persons has the bogus row with the year 1800.
    pub has_sentinel_row: bool,
    /// The last change in the register of legal persons.
    #[serde(with = "iso")]
    pub rpo_modified: Date,
    /// The file in the commercial register.
    pub orsr: Option<OrsrFile>,
    /// The tax number, 10 digits.
    pub dic: Option<String>,
    pub vat: Vat,
    pub reliability: Option<Reliability>,
    pub bank_accounts: Vec<String>,
    /// Entries on debtor lists.
    pub debts: Vec<Debt>,
    /// Events in registers that keep their own history, oldest first.
    pub happened: Vec<Happened>,
    /// Input of the topics that are computed separately.
    #[serde(skip)]
    pub(crate) origin: Origin,
}

impl Company {
    /// The present (or last) name.
    pub fn name(&self) -> &str {
        self.names.last().map_or("", |name| name.value.as_str())
    }

    /// The present (or last) seat.
    pub fn seat(&self) -> &Address {
        &self
            .seats
            .last()
            .expect("every company is founded with a seat")
            .value
    }

    /// The first day of the current legal form.
    pub fn form_since(&self) -> Date {
        let former = self.former_forms.last().and_then(|form| form.until);
        former.map_or(self.established, |until| after(until, 1))
    }

    /// Whether the company has not ended.
    pub fn is_active(&self) -> bool {
        self.ending.is_none()
    }

    pub fn current_capital(&self) -> Option<Capital> {
        self.capital.last().map(|capital| capital.value)
    }

    /// The officers in office.
    pub fn current_officers(&self) -> impl Iterator<Item = &Officer> {
        self.officers
            .iter()
            .filter(|officer| officer.until.is_none())
    }

    /// The debt on one list.
    pub fn debt(&self, list: DebtorList) -> Option<Money> {
        self.debts
            .iter()
            .find(|debt| debt.list == list)
            .map(|debt| debt.amount)
    }

    /// The VAT number (IČ DPH) with its prefix, while the company is registered.
    pub fn ic_dph(&self) -> Option<String> {
        self.vat
            .registration
            .as_ref()
            .map(|registration| format!("SK{}", registration.number))
    }
}
