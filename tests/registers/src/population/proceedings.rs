//! Insolvency proceedings and liquidations over the company, and over people outside the population.
//!
//! A third of the ordinary companies have or had a proceeding, but few have an active one. Some follow from other
//! facts:
//! `bankruptcy_since` is a bankruptcy, `liquidation_since` a liquidation, and both end with the company.
//! [`Happening::InsolvencyOpened`] opens one, [`Happening::InsolvencyEnded`] ends all.
//!
//! The showcase, the same for every seed:
//!
//! | company | proceedings |
//! | --- | --- |
//! | 0, 7, 10 | none (10 is in liquidation from day 5) |
//! | 1 | a restructuring that ended |
//! | 2 | none at first; a bankruptcy is opened on day 14 and ends on day 19 |
//! | 3 | the trader's debt relief, active |
//! | 4 | a bankruptcy that was rejected |
//! | 5 | a liquidation, until the company ends on day 10 |
//! | 6 | a preventive restructuring that ended; the list does not name its debtor |
//! | 8 | none, but its list contains the proceedings of company 9, because it is their creditor |
//! | 9 | a small bankruptcy that ended; a bankruptcy from day 10 on |
//! | 11 | a bankruptcy in an unknown state; the company is also the administrator S9011 |
//! | 17 | (for any seed) 130 ended proceedings |

mod administrators;
mod persons;
mod rolled;
mod showcase;

use time::Date;

use super::company::Company;
use super::happening::Happening;
use super::places;

pub(crate) use administrators::is_administrator;
pub use administrators::{Administrator, administrators, listed, of_company};
pub use persons::{Person, persons};

pub(crate) use persons::{AT_ONE_MOMENT, by_id as person_of};

/// The first number of companies' proceedings. Each company has a thousand numbers.
const FIRST: u64 = 1_000_000;
/// Index of proceedings that follow from other facts.
const LIQUIDATION: u64 = 900;
const BANKRUPTCY: u64 = 901;
const OPENED: u64 = 910;

/// The company with more proceedings than a page of the register holds.
pub const MANY: u32 = 17;

/// The kind of a proceeding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Restructuring,
    Bankruptcy,
    SmallBankruptcy,
    /// Debt relief by bankruptcy.
    ReliefByBankruptcy,
    /// Debt relief by a schedule of payments.
    ReliefBySchedule,
    Liquidation,
    Preventive,
    Other,
}

impl Kind {
    pub fn code(self) -> &'static str {
        match self {
            Self::Restructuring => "RESTRUKTURALIZACIA",
            Self::Bankruptcy => "KONKURZ",
            Self::SmallBankruptcy => "MALYKONKURZ",
            Self::ReliefByBankruptcy => "ODDLZENIE_KONKURZ",
            Self::ReliefBySchedule => "ODDLZENIE_SPLATKOVY_KALENDAR",
            Self::Liquidation => "LIKVIDACIA",
            Self::Preventive => "VPR",
            Self::Other => "INE",
        }
    }

    fn letters(self) -> &'static str {
        match self {
            Self::Restructuring => "R",
            Self::Bankruptcy | Self::SmallBankruptcy => "K",
            Self::ReliefByBankruptcy => "OdK",
            Self::ReliefBySchedule => "OdS",
            Self::Liquidation => "Lik",
            Self::Preventive => "Vpr",
            Self::Other => "Nc",
        }
    }
}

/// The state of a proceeding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Begun,
    /// Bankruptcy or the like was declared.
    Declared,
    GoingOn,
    Suspended,
    Over,
    Stopped,
    /// A state that the register introduced recently.
    Unheard,
}

impl State {
    pub fn code(self) -> &'static str {
        match self {
            Self::Begun => "ZACATE_KONANIE",
            Self::Declared => "ZACATY_PROCES_KONANIA",
            Self::GoingOn => "PREBIEHAJUCE_KONANIE",
            Self::Suspended => "PRERUSENE_KONANIE",
            Self::Over => "SKONCENY_PROCES",
            Self::Stopped => "ZASTAVENE_KONANIE",
            Self::Unheard => "NOVY_STAV",
        }
    }

    /// True if the proceeding is active; `None` for an unknown state.
    pub fn is_active(self) -> Option<bool> {
        match self {
            Self::Begun | Self::Declared | Self::GoingOn | Self::Suspended => Some(true),
            Self::Over | Self::Stopped => Some(false),
            Self::Unheard => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proceeding {
    pub id: u64,
    pub kind: Kind,
    pub state: State,
    /// The court's file reference.
    pub case_number: String,
    /// The number of the court, as in the commercial register.
    pub court: u8,
    /// The administrator; `None` while the proceeding has only been filed.
    pub administrator: Option<Administrator>,
    pub began: Date,
    /// When bankruptcy or the like was declared.
    pub declared: Option<Date>,
    /// The day on which that ended, and the register's code of the reason.
    pub ended: Option<(Date, &'static str)>,
    /// The last event, in the register's words.
    pub last_event: &'static str,
    pub last_event_on: Date,
}

impl Proceeding {
    /// True if it is more than a liquidation.
    pub fn is_insolvency(&self) -> bool {
        self.kind != Kind::Liquidation
    }

    pub fn court_name(&self) -> &'static str {
        places::court_name(self.court)
    }

    fn begun(id: u64, kind: Kind, on: Date) -> Self {
        let court = u8::try_from(2 + id % 8).unwrap_or(2);
        Self {
            id,
            kind,
            state: State::Begun,
            case_number: format!(
                "{}{}/{}/{}",
                1 + id % 30,
                kind.letters(),
                1 + id / 7 % 400,
                on.year()
            ),
            court,
            administrator: None,
            began: on,
            declared: None,
            ended: None,
            last_event: "Oznam o začatí konania",
            last_event_on: on,
        }
    }

    fn declared(mut self, on: Date) -> Self {
        self.state = State::Declared;
        self.declared = Some(on);
        self.administrator = Some(administrators::of(self.id));
        self.last_event = match self.kind {
            Kind::Liquidation => "Oznámenie o vstupe do likvidácie",
            Kind::Restructuring | Kind::Preventive => "Uznesenie o povolení reštrukturalizácie",
            Kind::Bankruptcy
            | Kind::SmallBankruptcy
            | Kind::ReliefByBankruptcy
            | Kind::ReliefBySchedule
            | Kind::Other => "Vyhlásenie konkurzu",
        };
        self.last_event_on = on;
        self
    }

    fn over(mut self, on: Date, why: &'static str) -> Self {
        self.state = State::Over;
        self.ended = Some((on, why));
        self.last_event = "Uznesenie o skončení konania";
        self.last_event_on = on;
        self
    }

    fn stopped(mut self, on: Date, why: &'static str) -> Self {
        self.state = State::Stopped;
        self.ended = Some((on, why));
        self.last_event = "Uznesenie o zastavení konania <návrh späť>";
        self.last_event_on = on;
        self
    }
}

/// The proceedings in which the company is the debtor, by their numbers.
pub fn of(company: &Company) -> Vec<Proceeding> {
    let first = FIRST + u64::from(company.index) * 1_000;
    let mut all = showcase::of(company, first).unwrap_or_else(|| rolled::of(company, first));
    if let Some(since) = company.liquidation_since {
        let liquidation = Proceeding::begun(first + LIQUIDATION, Kind::Liquidation, since);
        all.push(Proceeding {
            state: State::GoingOn,
            ..liquidation.declared(since)
        });
    }
    if let Some(since) = company.bankruptcy_since {
        all.push(Proceeding::begun(first + BANKRUPTCY, Kind::Bankruptcy, since).declared(since));
    }
    for (happened, place) in company.happened.iter().zip(0..) {
        if happened.kind == Happening::InsolvencyOpened {
            let id = first + OPENED + place;
            all.push(Proceeding::begun(id, Kind::Bankruptcy, happened.on));
        } else if happened.kind == Happening::InsolvencyEnded {
            end(
                &mut all,
                Proceeding::is_insolvency,
                happened.on,
                "SPLNENIE_KONECNEHO_ROZVRHU",
            );
        }
    }
    if let Some(ending) = &company.ending {
        end(&mut all, |_| true, ending.date, "INY_DOVOD");
    }
    all.sort_by_key(|proceeding| proceeding.id);
    all
}

/// Ends the active proceedings.
fn end(all: &mut [Proceeding], which: impl Fn(&Proceeding) -> bool, on: Date, why: &'static str) {
    for proceeding in all {
        if proceeding.state.is_active() == Some(true) && proceeding.began <= on && which(proceeding)
        {
            *proceeding = proceeding.clone().over(on, why);
        }
    }
}

/// True if an insolvency proceeding is active. A liquidation does not count.
pub(crate) fn is_insolvent(company: &Company) -> bool {
    of(company)
        .iter()
        .any(|proceeding| proceeding.is_insolvency() && proceeding.state.is_active() == Some(true))
}

/// The company whose proceedings also appear in this company's list, because this company is their creditor.
pub fn creditor_of(index: u32) -> Option<u32> {
    match index {
        8 => Some(9),
        0..12 => None,
        _ => (index % 8 == 4).then_some(index + 1),
    }
}

/// The company that a number belongs to.
pub(crate) fn index_of(id: u64) -> Option<u32> {
    u32::try_from(id.checked_sub(FIRST)? / 1_000).ok()
}
