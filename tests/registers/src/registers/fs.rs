//! The tax authority's lists: what stands in them, shared by the files and the interface.

mod rows;

use std::sync::Arc;

use crate::World;
use crate::population::{Company, DebtorList};
use crate::selections::Selection;

pub(crate) use rows::{Row, foreign_rows, rows};

/// A published list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum List {
    Registered,
    Suspected,
    Erased,
    Accounts,
    Reliability,
    Debtors,
    IncomeTax,
}

impl List {
    pub(crate) const ALL: [Self; 7] = [
        Self::Registered,
        Self::Suspected,
        Self::Erased,
        Self::Accounts,
        Self::Reliability,
        Self::Debtors,
        Self::IncomeTax,
    ];

    pub(crate) fn parse(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|list| list.slug() == slug)
    }

    pub(crate) fn slug(self) -> &'static str {
        match self {
            Self::Registered => "ds_dphs",
            Self::Suspected => "ds_dphz",
            Self::Erased => "ds_dphv",
            Self::Accounts => "ds_dph_iban",
            Self::Reliability => "ds_iz_ran",
            Self::Debtors => "ds_dsdd",
            Self::IncomeTax => "ds_dsrdp",
        }
    }

    /// The root element of the file.
    pub(crate) fn root(self) -> &'static str {
        match self {
            Self::Registered => "ZoznamSubjektovRegistrovanychkDPH",
            Self::Suspected => "ZoznamPlatitelovDPHsDovodomNaZrusenieRegistracie",
            Self::Erased => "ZoznamVymazanychPlatitelovDPH",
            Self::Accounts => "ZoznamPlatitelovDPHsCislamiUctov",
            Self::Reliability => "ZoznamSubjektovIndexDanovejSpolahlivosti",
            Self::Debtors => "ZoznamDanovychDlznikov",
            Self::IncomeTax => "ZoznamSubjektovRegistrovanychNaDanZPrijmov",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Registered => "Zoznam daňových subjektov registrovaných pre DPH",
            Self::Suspected => {
                "Zoznam platiteľov DPH, u ktorých nastali dôvody na zrušenie registrácie"
            }
            Self::Erased => "Zoznam vymazaných platiteľov DPH",
            Self::Accounts => {
                "Zoznam platiteľov DPH s číslami bankových účtov, ktoré používajú na podnikanie"
            }
            Self::Reliability => "Index daňovej spoľahlivosti",
            Self::Debtors => "Zoznam daňových dlžníkov",
            Self::IncomeTax => "Zoznam daňových subjektov registrovaných na daň z príjmov",
        }
    }

    /// The columns in upper case, in the order of the file.
    pub(crate) fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Registered => &[
                "IC_DPH",
                "ICO",
                "NAZOV_DS",
                "OBEC",
                "PSC",
                "ULICA_CISLO",
                "STAT",
                "DRUH_REG_DPH",
                "DATUM_REG",
                "DATUM_ZMENY_DRUHU_REG",
                "PLAT_DPH_OD",
            ],
            Self::Suspected => &[
                "IC_DPH",
                "ICO",
                "NAZOV",
                "OBEC",
                "PSC",
                "ADRESA",
                "ROK_PORUSENIA",
                "DAT_ZVEREJNENIA",
            ],
            Self::Erased => &[
                "IC_DPH",
                "ICO",
                "NAZOV",
                "OBEC",
                "PSC",
                "ADRESA",
                "ROK_PORUSENIA",
                "DAT_ZVEREJNENIA",
                "DAT_VYMAZU",
            ],
            Self::Accounts => &[
                "IC_DPH",
                "ICO",
                "IBAN",
                "NAZOV_SUBJEKTU",
                "OBEC",
                "ULICA_CISLO",
                "PSC",
                "STAT",
            ],
            Self::Reliability => &[
                "DIC",
                "ICO",
                "IDS",
                "NAZOV_SUBJEKTU",
                "OBEC",
                "PSC",
                "ULICA_CISLO",
                "STAT",
            ],
            Self::Debtors => &["NAZOV_SUBJEKTU", "CIASTKA", "ULICA_CISLO", "PSC", "OBEC"],
            Self::IncomeTax => &[
                "DIC",
                "ICO",
                "NAZOV_DS",
                "OBEC",
                "PSC",
                "ULICA_CISLO",
                "NAZOV_STATU",
            ],
        }
    }

    /// The columns that the interface searches, separated by commas.
    pub(crate) fn searchable(self) -> &'static str {
        match self {
            Self::Registered | Self::Suspected => "ic_dph,ico",
            Self::Erased | Self::Accounts => "ic_dph",
            Self::Reliability | Self::IncomeTax => "ico",
            Self::Debtors => "nazov_subjektu",
        }
    }

    /// Whether a company is on the list.
    pub(crate) fn contains(self, company: &Company) -> bool {
        match self {
            Self::Registered => company.vat.registration.is_some(),
            Self::Suspected => company.vat.reasons.is_some(),
            Self::Erased => company.vat.erasure.is_some(),
            Self::Accounts => {
                !company.bank_accounts.is_empty() && company.vat.registration.is_some()
            }
            Self::Reliability => company.reliability.is_some() && company.dic.is_some(),
            Self::Debtors => company.debt(DebtorList::Tax).is_some(),
            Self::IncomeTax => company.dic.is_some() && company.is_active(),
        }
    }

    /// The indexes of the companies on the list today.
    pub(crate) fn companies(self, world: &World) -> Arc<Vec<u32>> {
        world.selections.get(world, Selection::Tax(self))
    }
}
