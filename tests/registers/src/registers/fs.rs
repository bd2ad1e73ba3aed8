//! The contents of the tax authority's lists, shared by the files and the API.

mod columns;
mod further_rows;
mod rows;

use std::sync::Arc;

use crate::World;
use crate::population::{Company, DebtorList, tax_lists};
use crate::selections::Selection;

pub(crate) use rows::{Row, foreign_rows, rows};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum List {
    Registered,
    Suspected,
    Erased,
    Accounts,
    Reliability,
    Debtors,
    IncomeTax,
    Deductions,
    Regimes,
    Assessments,
    OfficeAccounts,
    Research,
    Investments,
    Patents,
    Regulated,
}

impl List {
    pub(crate) const ALL: [Self; 15] = [
        Self::Registered,
        Self::Suspected,
        Self::Erased,
        Self::Accounts,
        Self::Reliability,
        Self::Debtors,
        Self::IncomeTax,
        Self::Deductions,
        Self::Regimes,
        Self::Assessments,
        Self::OfficeAccounts,
        Self::Research,
        Self::Investments,
        Self::Patents,
        Self::Regulated,
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
            Self::Deductions => "ds_dphno",
            Self::Regimes => "ds_dpho",
            Self::Assessments => "ds_dppos",
            Self::OfficeAccounts => "ds_dph_oud",
            // These names are invented: only the list of lists publishes them.
            Self::Research => "ds_zvv",
            Self::Investments => "ds_zoi",
            Self::Patents => "ds_zpb",
            Self::Regulated => "ds_zrs",
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
            Self::Deductions => "ZoznamSubjektovNadmernyOdpocet",
            Self::Regimes => "ZoznamPlatitelovDPHOsobitnaUprava",
            Self::Assessments => "ZoznamVyrubenaDanPravnickychOsob",
            Self::OfficeAccounts => "ZoznamPlatitDPHsOUD",
            Self::Research => "ZoznamOdpocetVyskumVyvoj",
            Self::Investments => "ZoznamOdpocetInvesticie",
            Self::Patents => "ZoznamPatentBox",
            Self::Regulated => "ZoznamRegulovanychSubjektov",
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
            Self::Deductions => {
                "Zoznam daňových subjektov s výškou nadmerného odpočtu a vlastnej daňovej povinnosti"
            }
            Self::Regimes => "Zoznam platiteľov DPH, ktorí uplatňujú osobitnú úpravu",
            Self::Assessments => {
                "Zoznam daňových subjektov s výškou dane z príjmov právnickej osoby"
            }
            Self::OfficeAccounts => "Zoznam platiteľov DPH s číslom osobného účtu daňovníka",
            Self::Research => {
                "Zoznam daňových subjektov, ktoré si uplatnili odpočet výdavkov na výskum a vývoj"
            }
            Self::Investments => {
                "Zoznam daňových subjektov, ktoré si uplatnili odpočet výdavkov na investície"
            }
            Self::Patents => "Zoznam daňových subjektov s oslobodením príjmov (patent box)",
            Self::Regulated => "Zoznam regulovaných osôb, ktoré platia osobitný odvod",
        }
    }

    /// The columns that the interface searches, separated by commas.
    pub(crate) fn searchable(self) -> &'static str {
        match self {
            Self::Suspected | Self::Deductions | Self::OfficeAccounts => "ic_dph,ico",
            Self::Registered | Self::Erased | Self::Accounts | Self::Regimes => "ic_dph",
            Self::Reliability
            | Self::IncomeTax
            | Self::Assessments
            | Self::Investments
            | Self::Patents
            | Self::Regulated => "ico",
            Self::Research => "dic",
            Self::Debtors => "nazov_subjektu",
        }
    }

    /// Whether a company may have several rows.
    pub(crate) fn has_several_rows(self) -> bool {
        match self {
            Self::Accounts
            | Self::Deductions
            | Self::Regimes
            | Self::Assessments
            | Self::Research
            | Self::Investments
            | Self::Patents
            | Self::Regulated => true,
            Self::Registered
            | Self::Suspected
            | Self::Erased
            | Self::Reliability
            | Self::Debtors
            | Self::IncomeTax
            | Self::OfficeAccounts => false,
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
            Self::Deductions => !tax_lists::deductions(company).is_empty(),
            Self::Regimes => !tax_lists::regimes(company).is_empty(),
            Self::Assessments => !tax_lists::assessments(company).is_empty(),
            Self::OfficeAccounts => tax_lists::office_account(company).is_some(),
            Self::Research => !tax_lists::research(company).is_empty(),
            Self::Investments => !tax_lists::investments(company).is_empty(),
            Self::Patents => !tax_lists::patents(company).is_empty(),
            Self::Regulated => !tax_lists::branches(company).is_empty(),
        }
    }

    /// The indexes of the companies on the list today.
    pub(crate) fn companies(self, world: &World) -> Arc<Vec<u32>> {
        world.selections.get(world, Selection::Tax(self))
    }
}
