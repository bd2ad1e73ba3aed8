//! Licences of trades: private security, road transport, energy and water.

use time::Date;

use super::may_be_listed;
use crate::population::calendar::{after, before};
use crate::population::company::Company;
use crate::population::dice::{Dice, Topic};
use crate::population::showcase::SHOWCASE_SIZE;

/// A trade with licences of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trade {
    Security,
    Transport,
    /// Electricity, gas, heat and water.
    Utility,
}

impl Trade {
    /// Beginnings of the codes of the main activities that it is licensed for.
    pub fn nace(self) -> &'static [&'static str] {
        match self {
            Self::Security => &["80"],
            Self::Transport => &["49"],
            Self::Utility => &["35", "36", "37"],
        }
    }

    /// Kinds of licences: the text in the list, and a synonym in plain words.
    fn kinds(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Security => &[
                ("strážna služba", "guard"),
                ("prevádzkovanie detektívnej služby", "detective"),
                ("PS, PD", "guard detective"),
                ("technická služba", "technical"),
                ("eskorta hodnôt", "eskorta hodnôt"),
            ],
            Self::Transport => &[
                ("eurolicencia nákladná", "eurolicence"),
                ("povolenie", ""),
                ("koncesia taxi", ""),
                ("Eurolicencia osobná", "eurolicence"),
            ],
            Self::Utility => &[
                ("dodávka elektriny", "electricity"),
                ("distribúcia plynu", "gas"),
                ("výroba a rozvod tepla", "heat"),
                ("verejný vodovod", "water"),
            ],
        }
    }
}

/// The reason why a licence is not in force between its first and last day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// The licence is suspended temporarily.
    Suspended,
    Ended,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Licence {
    pub number: String,
    /// The kind, as the list writes it.
    pub text: &'static str,
    /// The kind in plain words.
    pub plain: &'static str,
    /// The number of vehicles, for transport only.
    pub vehicles: Option<u32>,
    /// Whether it is only a confirmation, for energy and water.
    pub is_confirmation: bool,
    pub from: Date,
    pub to: Option<Date>,
    /// The first day of a suspension or end, and which of the two.
    pub halt: Option<(Date, Halt)>,
}

impl Licence {
    /// The suspension or end that the list reports on a day.
    pub fn halted(&self, on: Date) -> Option<Halt> {
        self.halt
            .filter(|(since, _)| *since <= on)
            .map(|(_, halt)| halt)
    }

    /// Whether it is in force on a day.
    pub fn is_in_force(&self, on: Date) -> bool {
        self.from <= on && self.to.is_none_or(|to| to >= on) && self.halted(on).is_none()
    }
}

/// The licences of a company for a trade.
pub fn licences(company: &Company, trade: Trade) -> Vec<Licence> {
    let start = company.origin.start;
    let of = |nth: u32, from: Date, to: Option<Date>, halt: Option<(Date, Halt)>| {
        licence(company, trade, nth, (from, to, halt))
    };
    let is_of_trade = trade
        .nace()
        .iter()
        .any(|prefix| company.nace.class.starts_with(prefix));
    match company.index {
        0 => vec![of(0, before(start, 700), Some(after(start, 2_900)), None)],
        index if index < SHOWCASE_SIZE || !is_of_trade => Vec::new(),
        12..=17 => {
            let halt = (after(start, 3), Halt::Suspended);
            vec![of(
                0,
                before(start, 400),
                Some(after(start, 3_000)),
                Some(halt),
            )]
        }
        18..=23 => vec![
            of(0, before(start, 4_000), Some(before(start, 350)), None),
            of(1, before(start, 349), Some(after(start, 4)), None),
            of(2, after(start, 6), Some(after(start, 3_600)), None),
        ],
        index if may_be_listed(company.origin.seed, index) => {
            let mut dice = dice(company, trade, 0);
            let count = dice.below(3);
            let all = (0..count).map(|nth| {
                let from = before(start, 20 + dice.below(3_000));
                let to = dice
                    .chance(850)
                    .then(|| after(from, 3_650 - 300 * dice.below(10)));
                let since = before(start, dice.below(300)).max(from);
                let halt = match dice.below(6) {
                    0 => Some((since, Halt::Suspended)),
                    1 => Some((since, Halt::Ended)),
                    _ => None,
                };
                of(nth, from, to, halt)
            });
            all.collect()
        }
        _ => Vec::new(),
    }
}

/// First day, last day, and a later suspension or end.
type Term = (Date, Option<Date>, Option<(Date, Halt)>);

fn licence(company: &Company, trade: Trade, nth: u32, term: Term) -> Licence {
    let mut dice = dice(company, trade, 10 + u64::from(nth));
    let (text, plain) = *dice.pick(trade.kinds());
    let serial = company.index * 10 + nth;
    let (from, to, halt) = term;
    let number = match trade {
        Trade::Security => format!("KR-{serial}/{}-X", from.year()),
        Trade::Transport if plain == "eurolicence" => format!("EU-SK-{serial:06}"),
        Trade::Transport => format!("P-{serial:06}"),
        Trade::Utility => {
            let letter = match plain {
                "electricity" => 'E',
                "gas" => 'P',
                "heat" => 'T',
                _ => 'V',
            };
            format!("{serial:04}/{}/{letter}-PP", from.year())
        }
    };
    Licence {
        number,
        text,
        plain,
        vehicles: (trade == Trade::Transport && dice.chance(800)).then(|| 1 + dice.below(60)),
        is_confirmation: trade == Trade::Utility && dice.chance(300),
        from,
        // Permits in energy and water mostly have no end; the security list always has one.
        to: match trade {
            Trade::Utility => to,
            Trade::Security | Trade::Transport => to.or(Some(after(from, 3_650))),
        },
        halt,
    }
}

fn dice(company: &Company, trade: Trade, salt: u64) -> Dice {
    let salt = salt + 100 * (1 + trade as u64);
    Dice::with_salt(company.origin.seed, company.index, Topic::Listed, salt)
}
