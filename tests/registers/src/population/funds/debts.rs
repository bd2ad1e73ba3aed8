//! Irregularities of projects, and receivables that follow from them. The company is the debtor.
//!
//! About one in twenty of the first 600 companies has an irregularity, most with a receivable. The showcase:
//!
//! | company | entries | shows |
//! | --- | --- | --- |
//! | 0 | an irregularity and its receivable | rows that do not name each other: one debt |
//! | 1 | an irregularity, and a receivable of another project | two debts |
//! | 3 | a settled irregularity and its settled receivable | the receivable names the irregularity |
//! | 5 | a suspicion, and a withdrawn receivable | no debt |
//! | 6 | an irregularity | a state that no other row has |
//! | 7 | a receivable | days on which the clocks change, written as text |
//! | 9 | an irregularity and two receivables | the irregularity names the first receivable only: two debts |
//! | 10 | an irregularity | no debtor |
//! | 11 | a receivable | a foreign debtor |
//! | others | none | |

use time::Date;
use time::macros::date;

use super::{MOST, SHOWCASE_SIZE};
use crate::population::calendar::before;
use crate::population::company::Company;
use crate::population::dice::{Dice, Topic};
use crate::population::money::Money;

const FIRST_IRREGULARITY: u32 = 30_000;
const FIRST_RECEIVABLE: u32 = 40_000;
const FIRST_PROJECT: u32 = 20_000;
/// Number of ids reserved for a company.
const OF_A_COMPANY: u32 = 8;

/// What the state of an entry means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Open,
    Settled,
    NoDebt,
    /// No other row has this state.
    Unknown,
}

/// Whom an entry names as its debtor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Debtor {
    Company,
    Foreign,
    Nobody,
}

/// The project that a row names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRef {
    pub id: u32,
    pub code: String,
    pub name: &'static str,
}

/// An irregularity or a receivable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Debt {
    pub is_receivable: bool,
    pub id: u32,
    pub code: String,
    pub status: &'static str,
    pub standing: Standing,
    pub debtor: Debtor,
    /// The project, if the row names it.
    pub project: Option<ProjectRef>,
    pub has_impact: bool,
    pub is_systemic: bool,
    /// The amount of an irregularity.
    pub amount: Option<Money>,
    pub to_recover: Money,
    pub recovered: Option<Money>,
    /// The day on which it was detected or arose.
    pub since: Date,
    pub due: Option<Date>,
    /// The irregularity that the row names as its cause.
    pub follows: Option<u32>,
    /// The receivables that the row of an irregularity names.
    pub receivables: Vec<u32>,
    /// Whether it is the same debt as an irregularity.
    pub is_repeated: bool,
    /// Whether the row has texts for days.
    pub has_texts: bool,
}

impl Debt {
    /// What is still to be returned.
    #[must_use]
    pub fn outstanding(&self) -> Money {
        let returned = self.recovered.map_or(0, |amount| amount.0);
        match self.standing {
            Standing::Settled | Standing::NoDebt => Money(0),
            Standing::Open | Standing::Unknown => Money(self.to_recover.0.saturating_sub(returned)),
        }
    }
}

/// The entries that belong to a company: irregularities by id, then receivables by id.
#[must_use]
pub fn debts(company: &Company) -> Vec<Debt> {
    if company.index < SHOWCASE_SIZE {
        return shown(company);
    }
    let mut dice = Dice::with_salt(company.origin.seed, company.index, Topic::Funds, 2_000);
    if company.index >= MOST || !dice.chance(50) {
        return Vec::new();
    }
    let mut own = irregularity(company, 0);
    if dice.chance(500) {
        settle(&mut own, "Vysporiadaná");
    }
    let mut following = receivable(company, 0);
    (following.is_repeated, following.follows) = (true, Some(own.id));
    if own.standing == Standing::Settled {
        settle(&mut following, "Vysporiadaný");
    }
    let has_receivable = dice.chance(700);
    [own]
        .into_iter()
        .chain(has_receivable.then_some(following))
        .collect()
}

/// The hand-written entries of the showcase.
fn shown(company: &Company) -> Vec<Debt> {
    let (mut own, mut following) = (irregularity(company, 0), receivable(company, 0));
    match company.index {
        0 => {
            own.project = None;
            following.is_repeated = true;
            vec![own, following]
        }
        1 => {
            following.project = Some(project(company, 1));
            vec![own, following]
        }
        3 => {
            settle(&mut own, "Vysporiadaná");
            settle(&mut following, "Vysporiadaný");
            (following.is_repeated, following.follows) = (true, Some(own.id));
            vec![own, following]
        }
        5 => {
            (own.status, own.standing) = ("Podozrenie z nezrovnalosti", Standing::NoDebt);
            (following.status, following.standing) = ("Stiahnutý (K)", Standing::NoDebt);
            vec![own, following]
        }
        6 => {
            (own.status, own.standing) = ("V skúšobnom konaní", Standing::Unknown);
            vec![own]
        }
        7 => {
            following.since = date!(2025 - 03 - 30);
            following.due = Some(date!(2025 - 10 - 26));
            following.has_texts = true;
            vec![following]
        }
        9 => {
            own.project = None;
            own.receivables = vec![following.id];
            following.is_repeated = true;
            vec![own, following, receivable(company, 1)]
        }
        10 => {
            own.debtor = Debtor::Nobody;
            vec![own]
        }
        11 => {
            following.debtor = Debtor::Foreign;
            vec![following]
        }
        _ => Vec::new(),
    }
}

fn settle(debt: &mut Debt, status: &'static str) {
    (debt.status, debt.standing) = (status, Standing::Settled);
    debt.recovered = Some(debt.to_recover);
}

fn project(company: &Company, place: u32) -> ProjectRef {
    let id = FIRST_PROJECT + company.index * super::OF_A_COMPANY + place;
    ProjectRef {
        id,
        code: format!("401406{id:06}"),
        name: "Zníženie energetickej náročnosti skúšobnej haly",
    }
}

fn irregularity(company: &Company, place: u32) -> Debt {
    let id = FIRST_IRREGULARITY + company.index * OF_A_COMPANY + place;
    let amount = 100_000 + u64::from(company.index) * 1_111 + u64::from(place) * 77;
    Debt {
        is_receivable: false,
        id,
        code: format!("N401000{id}"),
        status: "Nehospodárne vymáhanie",
        standing: Standing::Open,
        debtor: Debtor::Company,
        project: Some(project(company, 0)),
        has_impact: true,
        is_systemic: company.index.is_multiple_of(2),
        amount: Some(Money(amount + 5)),
        to_recover: Money(amount),
        recovered: Some(Money(amount / 10)),
        since: before(company.origin.start, 200 + company.index % 90),
        due: None,
        follows: None,
        receivables: Vec::new(),
        is_repeated: false,
        has_texts: false,
    }
}

fn receivable(company: &Company, place: u32) -> Debt {
    let id = FIRST_RECEIVABLE + company.index * OF_A_COMPANY + place;
    Debt {
        is_receivable: true,
        id,
        code: format!("P401000{id}"),
        status: "Odoslaný dlžníkovi",
        has_impact: false,
        is_systemic: false,
        amount: None,
        recovered: None,
        since: before(company.origin.start, 100 + company.index % 60),
        due: Some(before(company.origin.start, 20)),
        ..irregularity(company, place)
    }
}
