//! Repeatable random numbers: the same seed, company and topic always give the same sequence.
//!
//! Each group of facts has its own topic, so that one more roll for bank accounts does not change any company's
//! seat.

/// The subject of a roll.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Topic {
    /// Form, name, seat and dates.
    Foundation = 1,
    People = 2,
    /// VAT, reliability and bank accounts.
    Tax = 3,
    /// Entries on debtor lists.
    Debts = 4,
    /// When something about the company changes.
    Schedule = 5,
    /// What a change looks like.
    Change = 6,
    /// Spelling differences between registers.
    Spelling = 7,
    /// Whether a service is unavailable.
    Trouble = 8,
    /// Record numbers and identifiers of downloads.
    Records = 9,
    /// The invented register of licences.
    Licences = 10,
    Contracts = 11,
    /// Awards of public procurement.
    Tenders = 12,
    Statements = 13,
    Proceedings = 14,
    Executions = 15,
    /// Notices of the commercial bulletin.
    Notices = 16,
    /// Registrations of public sector partners.
    Partners = 17,
    /// Licences of the national bank.
    Supervision = 18,
    Contacts = 19,
    /// Entries of the lists that only an operator has.
    Listed = 40,
    Establishments = 41,
    /// Fines for illegal employment.
    Fines = 42,
    /// Further lists of the tax authority.
    TaxLists = 43,
    /// Entries of lists of sanctions.
    Sanctions = 44,
    Identifiers = 45,
    /// Notices of the Union's procurement journal.
    UnionNotices = 46,
    Decisions = 47,
    /// Projects with aid from public funds.
    Projects = 48,
    /// The registers of the office for public procurement.
    Procurement = 49,
    /// Projects with European funds of the period 2021 to 2027.
    Funds = 50,
}

/// A stream of numbers (`SplitMix64`).
#[derive(Debug, Clone)]
pub(crate) struct Dice {
    state: u64,
}

impl Dice {
    pub(crate) fn new(seed: u64, index: u32, topic: Topic) -> Self {
        Self::with_salt(seed, index, topic, 0)
    }

    /// For topics that are rolled several times for one company.
    pub(crate) fn with_salt(seed: u64, index: u32, topic: Topic, salt: u64) -> Self {
        let place = (u64::from(index) << 8) | topic as u64;
        let state = mix(seed ^ mix(place) ^ mix(salt).rotate_left(17));
        Self { state }
    }

    pub(crate) fn roll(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.state)
    }

    /// A number from 0 to `limit` - 1.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        let wide = (self.roll() >> 32) * u64::from(limit);
        u32::try_from(wide >> 32).expect("a product of two 32-bit numbers has 32 high bits")
    }

    /// True in `per_mille` of 1000 cases.
    pub(crate) fn chance(&mut self, per_mille: u32) -> bool {
        self.below(1000) < per_mille
    }

    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        let limit = u32::try_from(choices.len()).expect("word lists are short");
        let place = usize::try_from(self.below(limit)).expect("the place lies within the list");
        &choices[place]
    }
}

fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
