//! Legal forms and the registers that contain them.

use serde::Serialize;

/// A legal form of the codelist CL000056, as far as the population has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LegalForm {
    /// Code 101, a sole trader.
    Trader,
    /// Code 111, general partnership (v.o.s.).
    GeneralPartnership,
    /// Code 112, limited company (s.r.o.).
    LimitedCompany,
    /// Code 113, limited partnership (k.s.).
    LimitedPartnership,
    /// Code 121, joint-stock company (a.s.).
    JointStockCompany,
    /// Code 125, simple joint-stock company (j.s.a.).
    SimpleShareCompany,
    /// Code 205, cooperative (družstvo).
    Cooperative,
    /// Code 271, association of flat owners.
    FlatOwners,
    /// Code 701, civic association.
    Association,
}

impl LegalForm {
    /// The code in CL000056.
    pub fn code(self) -> &'static str {
        match self {
            Self::Trader => "101",
            Self::GeneralPartnership => "111",
            Self::LimitedCompany => "112",
            Self::LimitedPartnership => "113",
            Self::JointStockCompany => "121",
            Self::SimpleShareCompany => "125",
            Self::Cooperative => "205",
            Self::FlatOwners => "271",
            Self::Association => "701",
        }
    }

    /// The text in CL000056 and in the commercial register.
    pub fn text(self) -> &'static str {
        match self {
            Self::Trader => "Podnikateľ-fyzická osoba-nezapísaný v obchodnom registri",
            Self::GeneralPartnership => "Verejná obchodná spoločnosť",
            Self::LimitedCompany => "Spoločnosť s ručením obmedzeným",
            Self::LimitedPartnership => "Komanditná spoločnosť",
            Self::JointStockCompany => "Akciová spoločnosť",
            Self::SimpleShareCompany => "Jednoduchá spoločnosť na akcie",
            Self::Cooperative => "Družstvo",
            Self::FlatOwners => "Spoločenstvo vlastníkov pozemkov, bytov a pod.",
            Self::Association => "Združenie (zväz, spolok, spoločnosť, klub a iné)",
        }
    }

    /// The section of the commercial register; `None` for forms outside that register.
    pub fn section(self) -> Option<&'static str> {
        match self {
            Self::LimitedCompany => Some("Sro"),
            Self::GeneralPartnership | Self::LimitedPartnership => Some("Sr"),
            Self::JointStockCompany => Some("Sa"),
            Self::SimpleShareCompany => Some("Sja"),
            Self::Cooperative => Some("Dr"),
            Self::Trader | Self::FlatOwners | Self::Association => None,
        }
    }

    /// Where a record of this form comes from.
    pub fn source_register(self) -> SourceRegister {
        match self {
            Self::Trader => SourceRegister::Trades,
            Self::FlatOwners => SourceRegister::FlatOwners,
            Self::Association => SourceRegister::Associations,
            Self::GeneralPartnership
            | Self::LimitedCompany
            | Self::LimitedPartnership
            | Self::JointStockCompany
            | Self::SimpleShareCompany
            | Self::Cooperative => SourceRegister::Commercial,
        }
    }

    /// The endings used in names. The register does not enforce one spelling.
    pub(crate) fn endings(self) -> &'static [&'static str] {
        match self {
            Self::LimitedCompany => &[
                ", s.r.o.",
                ", s. r. o.",
                " s.r.o.",
                " s. r. o.",
                ", spol. s r.o.",
                " spol. s r. o.",
                ", spol. s r. o.",
                ", s.r.o",
            ],
            Self::JointStockCompany => &[", a.s.", ", a. s.", " a.s.", ", akciová spoločnosť"],
            Self::GeneralPartnership => &[", v.o.s.", ", v. o. s.", " v.o.s."],
            Self::LimitedPartnership => &[", k.s.", ", k. s.", " k. s."],
            Self::SimpleShareCompany => &[" j.s.a.", ", j. s. a."],
            Self::Cooperative => &[", družstvo", " družstvo"],
            Self::FlatOwners => &[", spoločenstvo vlastníkov bytov"],
            Self::Association => &[", občianske združenie", " o.z."],
            Self::Trader => &[""],
        }
    }
}

/// The register that a record comes from (CL010112).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceRegister {
    /// The commercial register (Obchodný register).
    Commercial,
    /// The trade register (Živnostenský register).
    Trades,
    /// Register of civic associations.
    Associations,
    /// Register of flat owners' associations.
    FlatOwners,
}

impl SourceRegister {
    /// The code in CL010112.
    pub fn code(self) -> &'static str {
        match self {
            Self::Commercial => "1",
            Self::Trades => "2",
            Self::Associations => "7",
            Self::FlatOwners => "13",
        }
    }

    /// The text in CL010112.
    pub fn text(self) -> &'static str {
        match self {
            Self::Commercial => "Obchodný register",
            Self::Trades => "Živnostenský register",
            Self::Associations => "Register občianskych združení",
            Self::FlatOwners => "Register spoločenstiev vlastníkov bytov a nebytových priestorov",
        }
    }
}
