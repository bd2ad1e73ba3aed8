//! The expected outcome of each fault for each scope, and of each import.

use lustra_tests::lustra::store::FailureKind::{
    self, Limit, Malformed, Misconfigured, NeverImported, Refused, Throttled, Unavailable,
};
use lustra_tests::register_simulator::Fault;

use self::Outcome::{Fresh, Stale, Unread};

/// Faults under which no register answers correctly. The last one pauses requests beyond the fault.
pub const FAULTS: [Fault; 11] = [
    Fault::Down,
    Fault::Error500,
    Fault::Forbidden,
    Fault::Html200,
    Fault::Empty,
    Fault::Truncated,
    Fault::Garbage,
    Fault::Renamed,
    Fault::RedirectAway,
    Fault::ArchiveBomb,
    Fault::Throttled,
];

/// Sources that a section names as unread, each with its reason.
pub type Gaps = &'static [(&'static str, FailureKind)];

/// What a response has of a scope whose registers fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// No section; `meta` has this reason.
    Unread(FailureKind),
    /// A section without these sources.
    Fresh(Gaps),
    /// The stored section, marked as stale, without these sources.
    Stale(Gaps),
}

/// When a company is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before anything was read.
    First,
    /// While an older answer is stored.
    Stored,
}

/// Scopes that have the same outcome under some faults.
pub struct Row {
    pub scopes: &'static [&'static str],
    pub faults: &'static [Fault],
    pub first: Outcome,
    pub stored: Outcome,
}

impl Row {
    pub fn outcome(&self, moment: Moment) -> Outcome {
        match moment {
            Moment::First => self.first,
            Moment::Stored => self.stored,
        }
    }
}

/// Scopes and details that are requested about each company.
const LIVE: &[&str] = &[
    "details",
    "court_decisions",
    "execution_authorizations",
    "financial_statements",
    "financials",
    "gleif",
    "insolvency",
    "orsr",
    "rpvs",
    "ted_tenders",
    "trade_license_activities",
];

/// Live scopes of the office for public procurement.
const OFFICE: &[&str] = &["contracting_authority", "reges", "uvo_references"];

/// Scopes that have no section until their lists were imported.
const LISTS: &[&str] = &[
    "bank_accounts",
    "commercial_bulletin",
    "contacts",
    "crp_projects",
    "debarred",
    "illegal_employment",
    "itms21",
    "nbs",
    "procurement",
    "public_contracts",
    "replik_administrator",
    "svps_establishments",
];

/// Scopes for companies of one trade.
const TRADES: &[&str] = &["sbs", "transport_licence", "utility_licence"];

/// Lists without a known source.
const UNKNOWN_LISTS: Gaps = &[
    ("vat-registrations", NeverImported),
    ("reliable-vat-payers", NeverImported),
    ("tax-debtors-accounts", NeverImported),
];

/// The lists of the tax authority before any import.
const NO_TAX_LISTS: Outcome = Fresh(&[
    ("vat-payers", NeverImported),
    ("income-tax-subjects", NeverImported),
    ("reliability", NeverImported),
]);

/// The debtor lists before any import; the only one that is asked about each company failed for this reason.
macro_rules! no_debtors {
    ($of_vszp:ident) => {
        Fresh(&[
            ("socialna_poistovna", NeverImported),
            ("vszp", $of_vszp),
            ("dovera", NeverImported),
            ("union", NeverImported),
            ("financna_sprava", NeverImported),
        ])
    };
}

pub const ROWS: &[Row] = &[
    Row {
        scopes: LIVE,
        faults: &[
            Fault::Down,
            Fault::Error500,
            Fault::Forbidden,
            Fault::Html200,
        ],
        first: Unread(Unavailable),
        stored: Stale(&[]),
    },
    Row {
        scopes: LIVE,
        faults: &[
            Fault::Empty,
            Fault::Truncated,
            Fault::Garbage,
            Fault::Renamed,
        ],
        first: Unread(Malformed),
        stored: Stale(&[]),
    },
    Row {
        scopes: LIVE,
        faults: &[Fault::RedirectAway, Fault::ArchiveBomb],
        first: Unread(Limit),
        stored: Stale(&[]),
    },
    Row {
        scopes: LIVE,
        faults: &[Fault::Throttled],
        first: Unread(Throttled),
        stored: Stale(&[]),
    },
    Row {
        scopes: OFFICE,
        faults: &[
            Fault::Down,
            Fault::Error500,
            Fault::Forbidden,
            Fault::Html200,
            Fault::Renamed,
        ],
        first: Unread(Unavailable),
        stored: Stale(&[]),
    },
    Row {
        scopes: OFFICE,
        faults: &[Fault::Empty, Fault::Truncated, Fault::Garbage],
        first: Unread(Malformed),
        stored: Stale(&[]),
    },
    Row {
        scopes: OFFICE,
        faults: &[Fault::RedirectAway, Fault::ArchiveBomb],
        first: Unread(Limit),
        stored: Stale(&[]),
    },
    Row {
        scopes: OFFICE,
        faults: &[Fault::Throttled],
        first: Unread(Throttled),
        stored: Stale(&[]),
    },
    Row {
        scopes: LISTS,
        faults: &FAULTS,
        first: Unread(Unavailable),
        stored: Stale(&[]),
    },
    Row {
        scopes: &["fs_imports"],
        faults: &FAULTS,
        first: Unread(Unavailable),
        stored: Stale(UNKNOWN_LISTS),
    },
    // Built from the imported lists whenever it is due.
    Row {
        scopes: &["sanctions"],
        faults: &FAULTS,
        first: Unread(Unavailable),
        stored: Fresh(&[]),
    },
    // The stored answer of VIES is kept for longer than the lists, and is due under two of the faults.
    Row {
        scopes: &["tax"],
        faults: &[
            Fault::Down,
            Fault::Error500,
            Fault::Html200,
            Fault::Empty,
            Fault::Truncated,
            Fault::Garbage,
            Fault::RedirectAway,
            Fault::ArchiveBomb,
            Fault::Throttled,
        ],
        first: NO_TAX_LISTS,
        stored: Fresh(&[]),
    },
    Row {
        scopes: &["tax"],
        faults: &[Fault::Forbidden],
        first: NO_TAX_LISTS,
        stored: Fresh(&[("vies", Unavailable)]),
    },
    Row {
        scopes: &["tax"],
        faults: &[Fault::Renamed],
        first: NO_TAX_LISTS,
        stored: Fresh(&[("vies", Malformed)]),
    },
    Row {
        scopes: &["erased_vat"],
        faults: &FAULTS,
        first: Fresh(&[
            ("erased-vat-payers", NeverImported),
            ("vat-violators", NeverImported),
        ]),
        stored: Stale(&[]),
    },
    Row {
        scopes: &["tax_reliability"],
        faults: &FAULTS,
        first: Fresh(&[("reliability", NeverImported)]),
        stored: Stale(&[]),
    },
    Row {
        scopes: &["employer_headcount"],
        faults: &FAULTS,
        first: Fresh(&[("employers", NeverImported)]),
        stored: Stale(&[]),
    },
    Row {
        scopes: &["social_enterprise"],
        faults: &FAULTS,
        first: Fresh(&[("enterprises", NeverImported)]),
        stored: Stale(&[]),
    },
    Row {
        scopes: &["soi_travel_agency"],
        faults: &FAULTS,
        first: Fresh(&[("agencies", NeverImported)]),
        stored: Stale(&[]),
    },
    Row {
        scopes: TRADES,
        faults: &FAULTS,
        first: Fresh(&[("licences", NeverImported)]),
        stored: Stale(&[]),
    },
    Row {
        scopes: &["debtor_status"],
        faults: &[Fault::Down, Fault::Error500, Fault::Forbidden],
        first: no_debtors!(Unavailable),
        stored: Fresh(&[("vszp", Unavailable)]),
    },
    Row {
        scopes: &["debtor_status"],
        faults: &[
            Fault::Html200,
            Fault::Empty,
            Fault::Truncated,
            Fault::Garbage,
            Fault::Renamed,
        ],
        first: no_debtors!(Malformed),
        stored: Fresh(&[("vszp", Malformed)]),
    },
    Row {
        scopes: &["debtor_status"],
        faults: &[Fault::RedirectAway, Fault::ArchiveBomb],
        first: no_debtors!(Refused),
        stored: Fresh(&[("vszp", Refused)]),
    },
    Row {
        scopes: &["debtor_status"],
        faults: &[Fault::Throttled],
        first: no_debtors!(Throttled),
        stored: Fresh(&[("vszp", Throttled)]),
    },
];

/// The reason of all failed imports under a fault, and the imports with another reason.
type Imports = (
    Fault,
    FailureKind,
    &'static [(FailureKind, &'static [&'static str])],
);

const IMPORTS: [Imports; 11] = [
    (Fault::Down, Unavailable, &[]),
    (Fault::Error500, Unavailable, &[]),
    (
        Fault::Forbidden,
        Unavailable,
        // The operator's key is refused.
        &[(
            Misconfigured,
            &[
                "debtors/union",
                "tax-lists/investment-deductions",
                "tax-lists/patent-box",
                "tax-lists/regulated-entities",
                "tax-lists/research-deductions",
            ],
        )],
    ),
    (
        Fault::Html200,
        Unavailable,
        &[(
            Malformed,
            &[
                "debtors/social-insurer",
                "debtors/tax-authority",
                "illegal-employment/fines",
            ],
        )],
    ),
    (
        Fault::Empty,
        Malformed,
        &[(Unavailable, &["crz/contracts"])],
    ),
    (Fault::Truncated, Malformed, &[]),
    (Fault::Garbage, Malformed, &[]),
    (
        Fault::Renamed,
        Malformed,
        &[(Unavailable, &["uvo/debarred"])],
    ),
    (Fault::RedirectAway, Refused, &[]),
    (
        Fault::ArchiveBomb,
        Refused,
        &[(Malformed, &["crz/contracts", "debtors/dovera"])],
    ),
    (Fault::Throttled, Throttled, &[]),
];

/// The reason of a failed import.
pub fn import_failure(connector: &str, dataset: &str, fault: Fault) -> FailureKind {
    let place = format!("{connector}/{dataset}");
    let row = IMPORTS.iter().find(|(of, _, _)| *of == fault);
    let (_, usual, others) = row.expect("every fault has a row");
    let other = others
        .iter()
        .find(|(_, places)| places.contains(&place.as_str()));
    other.map_or(*usual, |(kind, _)| *kind)
}
