//! The failure modes of registers, and the mode that is active for each register.

pub(crate) mod answers;
mod bomb;
mod echo;
mod renamed;

use std::sync::RwLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A register of the simulator: one prefix of its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Register {
    /// `/rpo`, the interface of the register of legal persons.
    Rpo,
    /// `/rpo-dumps`, the exports of the register of legal persons.
    RpoDumps,
    /// `/orsr`, the commercial register.
    Orsr,
    /// `/fs-reports`, the tax authority's files.
    FsReports,
    /// `/fs-api`, the tax authority's interface.
    FsApi,
    /// `/vies`, the Union's VAT validation.
    Vies,
    /// `/socpoist`, the social insurer.
    Socpoist,
    /// `/vszp`, a health insurer.
    Vszp,
    /// `/union`, a health insurer.
    Union,
    /// `/dovera`, a health insurer.
    Dovera,
    /// `/operator-files`, files that an operator would supply.
    OperatorFiles,
    /// `/licences`, an invented register for the guide of connectors' authors.
    Licences,
    /// `/crz`, the register of contracts.
    Crz,
    /// `/data-portal`, the national portal of open data, which has the procurement journal.
    DataPortal,
    /// `/datahub`, a mirror of registers, which has the commercial bulletin.
    Datahub,
    /// `/rpvs`, the register of public sector partners.
    Rpvs,
    /// `/obcan-justice`, the register of execution authorizations and that of courts' decisions.
    ObcanJustice,
    /// `/nbs`, the subjects that the national bank supervises.
    Nbs,
    /// `/ruz`, the register of financial statements.
    Ruz,
    /// `/replik`, the register of insolvencies.
    Replik,
    /// `/uvo`, the office for public procurement.
    Uvo,
    /// `/ted`, the Union's notices of procurement.
    Ted,
    /// `/gleif`, the register of legal entity identifiers.
    Gleif,
    /// `/eu-fsf`, the Union's list of sanctions.
    EuFsf,
    /// `/ofac`, the United States' lists of sanctions.
    Ofac,
    /// `/crp`, the register of projects.
    Crp,
    /// `/itms21`, the register of European funds.
    Itms21,
    /// `/svps`, the lists of approved establishments.
    Svps,
    /// `/ip`, the labour inspectorate's list.
    Ip,
}

impl Register {
    pub const ALL: [Self; 29] = [
        Self::Rpo,
        Self::RpoDumps,
        Self::Orsr,
        Self::FsReports,
        Self::FsApi,
        Self::Vies,
        Self::Socpoist,
        Self::Vszp,
        Self::Union,
        Self::Dovera,
        Self::OperatorFiles,
        Self::Licences,
        Self::Crz,
        Self::DataPortal,
        Self::Datahub,
        Self::Rpvs,
        Self::ObcanJustice,
        Self::Nbs,
        Self::Ruz,
        Self::Replik,
        Self::Uvo,
        Self::Ted,
        Self::Gleif,
        Self::EuFsf,
        Self::Ofac,
        Self::Crp,
        Self::Itms21,
        Self::Svps,
        Self::Ip,
    ];

    /// The prefix without slashes, which is also the name in the control interface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rpo => "rpo",
            Self::RpoDumps => "rpo-dumps",
            Self::Orsr => "orsr",
            Self::FsReports => "fs-reports",
            Self::FsApi => "fs-api",
            Self::Vies => "vies",
            Self::Socpoist => "socpoist",
            Self::Vszp => "vszp",
            Self::Union => "union",
            Self::Dovera => "dovera",
            Self::OperatorFiles => "operator-files",
            Self::Licences => "licences",
            Self::Crz => "crz",
            Self::DataPortal => "data-portal",
            Self::Datahub => "datahub",
            Self::Rpvs => "rpvs",
            Self::ObcanJustice => "obcan-justice",
            Self::Nbs => "nbs",
            Self::Ruz => "ruz",
            Self::Replik => "replik",
            Self::Uvo => "uvo",
            Self::Ted => "ted",
            Self::Gleif => "gleif",
            Self::EuFsf => "eu-fsf",
            Self::Ofac => "ofac",
            Self::Crp => "crp",
            Self::Itms21 => "itms21",
            Self::Svps => "svps",
            Self::Ip => "ip",
        }
    }

    /// The register with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|register| register.name() == name)
    }

    /// The register that a path belongs to.
    pub(crate) fn of_path(path: &str) -> Option<Self> {
        let first = path.trim_start_matches('/').split('/').next()?;
        Self::parse(first)
    }
}

/// How a register answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    #[default]
    Off,
    /// Closes the connection without an answer.
    Down,
    /// Status 500 for every request.
    Error500,
    /// Status 403 for every request.
    Forbidden,
    /// Status 429 with `Retry-After: 30`.
    Throttled,
    /// A page about maintenance with status 200.
    Html200,
    /// Nothing, with status 200.
    Empty,
    /// Half of the correct answer, or of its first 64 KiB, followed by a normal end.
    Truncated,
    /// Random bytes with status 200.
    Garbage,
    /// The correct text in another encoding than the header says. Archives stay as they are, except those of
    /// the register of contracts.
    WrongCharset,
    /// The correct answer with other names: the register changed its format.
    Renamed,
    /// The correct answer after 30 seconds of real time.
    Slow,
    /// A redirect to an address that no grant covers.
    RedirectAway,
    /// An archive (or compressed answer) of a few megabytes that unpacks to gigabytes.
    ArchiveBomb,
    /// The correct answer to another query: about an unassigned number or about another company.
    EchoOther,
    /// *Nothing found* about every company, with the requested number in the answer.
    Denies,
}

impl Fault {
    pub const ALL: [Self; 16] = [
        Self::Off,
        Self::Down,
        Self::Error500,
        Self::Forbidden,
        Self::Throttled,
        Self::Html200,
        Self::Empty,
        Self::Truncated,
        Self::Garbage,
        Self::WrongCharset,
        Self::Renamed,
        Self::Slow,
        Self::RedirectAway,
        Self::ArchiveBomb,
        Self::EchoOther,
        Self::Denies,
    ];

    /// The name in the control interface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Down => "down",
            Self::Error500 => "error-500",
            Self::Forbidden => "forbidden",
            Self::Throttled => "throttled",
            Self::Html200 => "html-200",
            Self::Empty => "empty",
            Self::Truncated => "truncated",
            Self::Garbage => "garbage",
            Self::WrongCharset => "wrong-charset",
            Self::Renamed => "renamed",
            Self::Slow => "slow",
            Self::RedirectAway => "redirect-away",
            Self::ArchiveBomb => "archive-bomb",
            Self::EchoOther => "echo-other",
            Self::Denies => "denies",
        }
    }

    /// The mode with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fault| fault.name() == name)
    }
}

/// The active modes and the request counts, by register.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    modes: RwLock<[Fault; Register::ALL.len()]>,
    requests: [AtomicU64; Register::ALL.len()],
}

impl Faults {
    pub(crate) fn set(&self, register: Register, fault: Fault) {
        self.modes.write().expect("no holder of this lock panics")[register as usize] = fault;
    }

    pub(crate) fn get(&self, register: Register) -> Fault {
        self.modes.read().expect("no holder of this lock panics")[register as usize]
    }

    pub(crate) fn count(&self, register: Register) {
        self.requests[register as usize].fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn requests(&self, register: Register) -> u64 {
        self.requests[register as usize].load(Ordering::SeqCst)
    }
}
