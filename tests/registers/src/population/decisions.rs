//! Court decisions that the ministry's register finds by the company's number.
//!
//! Two of three ordinary companies have none, most others one or two, and a few enough for several pages. Some results
//! are not about the company. The showcase:
//!
//! | company | decisions | shows |
//! | --- | --- | --- |
//! | 0 | 27, over five and a half years | three of the simulator's pages; every kind of party |
//! | 1 | 60 | more than a client may want to read |
//! | 2 | one | a garbled passage |
//! | 3 | none | |
//! | 4 | one | a decision from before the company ended |
//! | 5 | two | in one of them it represents the defendant |
//! | 6 | one | the number with its zeros and spaces |
//! | 7 | one | the number is split by tags |
//! | 8 | none, from day 19 one | published by the script |
//! | 9 | two that are not its own | a longer number, a tax number |
//! | 10 | two | one without a passage; one older than five years |
//! | 11 | two | the number of a contract with the same digits; one without a word for the party |

use time::Date;

use super::calendar::before;
use super::company::Company;
use super::dice::{Dice, Topic};
use super::happening::Happening;
use super::people;
use super::showcase::SHOWCASE_SIZE;

/// How a decision's passage shows the company's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mention {
    /// Eight digits without spaces.
    Whole,
    /// Grouped digits, such as `99 999 901`.
    Spaced,
    /// With tags within the number.
    Split,
    /// In eight digits, with the whole passage in a wrong encoding.
    Garbled,
    /// Only as a part of an account number.
    Longer,
    /// Only as a part of a tax number.
    TaxNumber,
    /// Only as the number of a contract.
    ContractNumber,
    /// The decision has no passage.
    Unshown,
}

impl Mention {
    /// True if the passage proves that the decision names the company.
    pub fn proves(self) -> bool {
        match self {
            Self::Whole | Self::Spaced | Self::Split | Self::Garbled => true,
            Self::Longer | Self::TaxNumber | Self::ContractNumber | Self::Unshown => false,
        }
    }
}

/// The company's part in the proceedings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Party {
    /// The plaintiff (žalobca) of a lawsuit.
    Plaintiff,
    /// The defendant (žalovaný) of a lawsuit.
    Defendant,
    /// The creditor (oprávnený) of an execution.
    Entitled,
    /// The obligor (povinný) of an execution.
    Obliged,
    /// The debtor (dlžník) of an insolvency.
    Debtor,
    /// Representative of the defendant.
    Representative,
    /// The passage has no word for the part.
    Unsaid,
}

impl Party {
    const ALL: [Self; 7] = [
        Self::Plaintiff,
        Self::Defendant,
        Self::Entitled,
        Self::Obliged,
        Self::Debtor,
        Self::Representative,
        Self::Unsaid,
    ];

    /// The register's word for the part. `None` if the passage has no word for it.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Plaintiff => Some("žalobca"),
            Self::Defendant => Some("žalovaný"),
            Self::Entitled => Some("oprávnený"),
            Self::Obliged => Some("povinný"),
            Self::Debtor => Some("dlžník"),
            Self::Representative | Self::Unsaid => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The first half of the register's id, a UUID.
    pub id: String,
    /// The second half, which is the id of the document.
    pub document: String,
    /// The kind of decision.
    pub form: &'static str,
    /// The outcomes of the matter.
    pub natures: Vec<&'static str>,
    pub court: &'static str,
    /// The judge's name with titles.
    pub judge: String,
    /// The file mark of the court, such as `17Cb/50/2025`.
    pub file_mark: String,
    /// The identification number of the file, ten digits.
    pub number: String,
    /// The day of the decision.
    pub date: Date,
    /// How the passage shows the company's number.
    pub mention: Mention,
    /// The company's part in the proceedings.
    pub party: Party,
}

const FORMS: [&str; 5] = [
    "Rozsudok",
    "Uznesenie",
    "Platobný rozkaz",
    "Rozsudok pre zmeškanie",
    "Opravné uznesenie",
];
const NATURES: [&str; 4] = [
    "Prvostupňové nenapadnuté opravnými prostriedkami",
    "Potvrdzujúce",
    "Zrušujúce",
    "Zmeňujúce",
];
const COURTS: [&str; 4] = [
    "Okresný súd Vzorov",
    "Okresný súd Horné Čučoriedky",
    "Mestský súd Skúšobné",
    "Krajský súd Vzorov",
];

/// Indexes of forced events start after those of the first day.
const HAPPENED: u32 = 100;

/// The register's search results for the company's number, newest first.
pub fn decisions(company: &Company) -> Vec<Decision> {
    let mut all = at_first(company);
    for (happened, place) in company.happened.iter().zip(HAPPENED..) {
        if happened.kind == Happening::DecisionPublished {
            let shown = (Mention::Whole, Party::Defendant);
            all.push(decision(company, place, happened.on, shown));
        }
    }
    all.sort_by(|a, b| (b.date, &b.id).cmp(&(a.date, &a.id)));
    all
}

/// The decisions on the simulator's first day.
fn at_first(company: &Company) -> Vec<Decision> {
    let start = company.origin.start;
    let of = |place: u32, days: u32, mention, party| {
        let date = before(start, days).max(company.established);
        decision(company, place, date, (mention, party))
    };
    if company.index >= SHOWCASE_SIZE {
        return rolled(company);
    }
    let whole = |place, days, party| of(place, days, Mention::Whole, party);
    match company.index {
        0 => (0..27)
            .map(|place| whole(place, 20 + 75 * place, Party::ALL[place as usize % 7]))
            .collect(),
        1 => (0..60)
            .map(|place| whole(place, 5 + 30 * place, Party::Plaintiff))
            .collect(),
        2 => vec![of(0, 300, Mention::Garbled, Party::Defendant)],
        4 => vec![whole(0, 1_500, Party::Plaintiff)],
        5 => vec![
            whole(0, 90, Party::Obliged),
            whole(1, 200, Party::Representative),
        ],
        6 => vec![of(0, 400, Mention::Spaced, Party::Entitled)],
        7 => vec![of(0, 120, Mention::Split, Party::Debtor)],
        9 => vec![
            of(0, 60, Mention::Longer, Party::Unsaid),
            of(1, 61, Mention::TaxNumber, Party::Unsaid),
        ],
        10 => vec![
            of(0, 30, Mention::Unshown, Party::Unsaid),
            whole(1, 2_200, Party::Defendant),
        ],
        11 => vec![
            of(0, 45, Mention::ContractNumber, Party::Unsaid),
            whole(1, 700, Party::Unsaid),
        ],
        _ => Vec::new(),
    }
}

fn rolled(company: &Company) -> Vec<Decision> {
    let mut dice = Dice::new(company.origin.seed, company.index, Topic::Decisions);
    let count = match dice.below(100) {
        0..66 => 0,
        66..88 => 1,
        88..95 => 2,
        95..99 => 3 + dice.below(3),
        _ => 6 + dice.below(20),
    };
    (0..count)
        .map(|place| {
            let mention = match dice.below(100) {
                0..68 => Mention::Whole,
                68..76 => Mention::Spaced,
                76..82 => Mention::Split,
                82..88 => Mention::Garbled,
                88..92 => Mention::Longer,
                92..95 => Mention::TaxNumber,
                95..98 => Mention::ContractNumber,
                _ => Mention::Unshown,
            };
            let party = *dice.pick(&Party::ALL);
            let date = before(company.origin.start, 3 + dice.below(3_000));
            decision(
                company,
                place,
                date.max(company.established),
                (mention, party),
            )
        })
        .collect()
}

fn decision(
    company: &Company,
    place: u32,
    date: Date,
    (mention, party): (Mention, Party),
) -> Decision {
    let (seed, index) = (company.origin.seed, company.index);
    let mut dice = Dice::with_salt(seed, index, Topic::Decisions, 1 + u64::from(place));
    let uuid = |half: u32| format!("{index:08x}-{place:04x}-4000-8000-{half:012x}");
    let year = date.year();
    let mut natures = vec![*dice.pick(&NATURES)];
    if dice.chance(100) {
        natures.push("Iná povaha rozhodnutia");
    }
    Decision {
        id: uuid(1),
        document: uuid(2),
        form: dice.pick::<&str>(&FORMS),
        natures,
        court: dice.pick::<&str>(&COURTS),
        judge: format!("JUDr. {}", people::person(&mut dice).plain()),
        file_mark: format!("{}Cb/{}/{year}", 1 + dice.below(60), 1 + dice.below(400)),
        number: format!("61{:02}{:06}", year % 100, dice.below(1_000_000)),
        date,
        mention,
        party,
    }
}
