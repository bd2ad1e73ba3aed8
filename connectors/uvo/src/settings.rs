//! The operator's settings: every fact about the site that no recorded page confirms. The manifest's schema has
//! the same defaults; a test compares them.
//!
//! Texts of headers, labels, states and marks are compared without case, diacritics and punctuation.

use lustra_sdk::serde::de::DeserializeOwned;
use lustra_sdk::{Failure, runtime};
use serde::{Deserialize, Serialize};

/// Maximum number of requests of one look-up. The host allows 20.
pub const MOST_REQUESTS: u64 = 10;
/// Maximum share of listed bans that may be missing from a new list, in percent.
pub const MOST_VANISHED_PERCENT: u64 = 60;
/// The site's public address, for links in sections.
pub const SITE: &str = "https://www.uvo.gov.sk";
/// The placeholder for the number in a path.
pub const ICO: &str = "{ico}";
/// The placeholder for the register's selector in a path.
pub const SEARCH_TYPE: &str = "{search_type}";

/// Some texts.
fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// What all lists have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lists {
    /// The sentences of an empty list.
    pub nothing_found: Vec<String>,
    /// The name of the parameter with the number of a page.
    pub page_parameter: String,
    /// The number of the first page, which is asked for without the parameter.
    pub first_page: u64,
    /// The part of a link that identifies details.
    pub detail_mark: String,
}

impl Default for Lists {
    fn default() -> Self {
        Self {
            nothing_found: texts(&["Zadaný výraz nebol nájdený."]),
            page_parameter: "pageNo".to_owned(),
            first_page: 1,
            detail_mark: "/detail/".to_owned(),
        }
    }
}

impl Lists {
    /// The path of another page of a list.
    #[must_use]
    pub fn further(&self, path: &str, number: u64) -> String {
        let join = if path.contains('?') { '&' } else { '?' };
        format!("{path}{join}{}={number}", self.page_parameter)
    }
}

/// The register of barred persons: its page and the texts of its blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "a label is called what it stands before")]
pub struct Debarred {
    /// The path of its first page.
    pub path: String,
    /// The class of a block's element.
    pub block_class: String,
    /// The type text that occurs once in each block.
    pub mark: String,
    /// Texts in the end field of a ban without an end.
    pub open_ends: Vec<String>,
    /// Countries at the end of a seat whose numbers are not those of Slovakia.
    pub foreign_countries: Vec<String>,
    pub ico: Vec<String>,
    pub seat: Vec<String>,
    pub banned_from: Vec<String>,
    pub banned_until: Vec<String>,
    pub decision_number: Vec<String>,
    pub decision_date: Vec<String>,
    pub final_on: Vec<String>,
    pub legal_basis: Vec<String>,
    pub violation_reason: Vec<String>,
    pub related_persons: Vec<String>,
}

impl Default for Debarred {
    fn default() -> Self {
        Self {
            path: "/zaujemca-uchadzac/registre-o-hospodarskych-subjektoch/register-osob-so-zakazom"
                .to_owned(),
            block_class: "result".to_owned(),
            mark: "Osoba so zákazom".to_owned(),
            open_ends: texts(&["neurčito", "na neurčito", "natrvalo"]),
            foreign_countries: texts(&[
                "Česká republika",
                "Česko",
                "ČR",
                "Maďarsko",
                "Nemecko",
                "Poľsko",
                "Rakúsko",
                "Rumunsko",
                "Ukrajina",
            ]),
            ico: texts(&["IČO"]),
            seat: texts(&["Sídlo", "Adresa", "Adresa sídla", "Miesto podnikania"]),
            banned_from: texts(&["Zákaz od", "Zákaz platí od", "Platnosť zákazu od"]),
            banned_until: texts(&["do", "Zákaz do", "Zákaz platí do", "Platnosť zákazu do"]),
            decision_number: texts(&["Číslo rozhodnutia", "Rozhodnutie č."]),
            decision_date: texts(&["Dátum rozhodnutia", "Rozhodnutie zo dňa"]),
            final_on: texts(&["Právoplatnosť", "Dátum právoplatnosti", "Právoplatné dňa"]),
            legal_basis: texts(&["Právny základ", "Ustanovenie zákona"]),
            violation_reason: texts(&["Dôvod", "Dôvod zákazu", "Porušenie"]),
            related_persons: texts(&["Štatutárny orgán", "Súvisiace osoby", "Prepojené osoby"]),
        }
    }
}

/// The list of economic subjects: its search, columns and states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "a column is called what it holds")]
pub struct Suppliers {
    /// The register's selector in the site's search. Empty if it is unknown; then no request is made.
    pub search_type: String,
    /// The path of the search with [`ICO`] and [`SEARCH_TYPE`].
    pub search: String,
    pub registration_id: Vec<String>,
    pub ico: Vec<String>,
    pub valid_from: Vec<String>,
    pub valid_to: Vec<String>,
    pub status: Vec<String>,
    /// States of a valid entry.
    pub registered_states: Vec<String>,
    /// States of a suspended entry.
    pub suspended_states: Vec<String>,
    /// States of an entry that was struck off.
    pub struck_off_states: Vec<String>,
}

impl Default for Suppliers {
    fn default() -> Self {
        Self {
            search_type: String::new(),
            search: format!(
                "/vyhladavanie/globalne-vyhladavanie?globalSearch={ICO}&searchType={SEARCH_TYPE}"
            ),
            registration_id: texts(&["Registračné číslo"]),
            ico: texts(&["IČO"]),
            valid_from: texts(&["Dátum zápisu", "Platnosť zápisu od"]),
            valid_to: texts(&["Platnosť zápisu do", "Platnosť do"]),
            status: texts(&["Stav"]),
            registered_states: texts(&["zapísaný"]),
            suspended_states: texts(&["pozastavený"]),
            struck_off_states: texts(&["vyčiarknutý"]),
        }
    }
}

/// The profiles of contracting authorities: their searches, and the labels of their pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "a label is called what it stands before")]
pub struct Authorities {
    /// The path of the search for orders with [`ICO`]. Its rows link to the profiles of their buyer. Empty to
    /// skip this search.
    pub orders: String,
    /// The buyer's column in the table of orders.
    pub buyer_column: Vec<String>,
    /// The part of a link that identifies a profile.
    pub profile_mark: String,
    /// The path of the search for profiles with [`ICO`], used if there are no orders.
    pub search: String,
    /// The number's column in the table of profiles.
    pub ico_column: Vec<String>,
    pub name: Vec<String>,
    pub ico: Vec<String>,
    pub classification: Vec<String>,
    pub activity: Vec<String>,
    pub website: Vec<String>,
}

impl Default for Authorities {
    fn default() -> Self {
        Self {
            orders: format!("/vyhladavanie/vyhladavanie-zakaziek?obstarIco={ICO}"),
            buyer_column: texts(&["Názov obstarávateľa"]),
            profile_mark: "/vyhladavanie-profilov/detail/".to_owned(),
            search: format!("/vyhladavanie/vyhladavanie-profilov?ico={ICO}"),
            ico_column: texts(&["IČO"]),
            name: texts(&["Názov", "Úradný názov"]),
            ico: texts(&["IČO"]),
            classification: texts(&[
                "Typ obstarávateľa",
                "Zatriedenie obstarávajúceho subjektu podľa zákona",
            ]),
            activity: texts(&["Hlavný predmet činnosti"]),
            website: texts(&["Internetová adresa (URL)", "Internetová adresa"]),
        }
    }
}

/// The references: their search, columns, states and labels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "a column or label is called what it holds")]
pub struct References {
    /// The path of the search with [`ICO`].
    pub search: String,
    pub number: Vec<String>,
    pub supplier_ico: Vec<String>,
    pub buyer_name: Vec<String>,
    pub subject: Vec<String>,
    /// A column, or else a label on the reference's page.
    pub price: Vec<String>,
    pub published_at: Vec<String>,
    pub status: Vec<String>,
    /// A label on the reference's page.
    pub rating: Vec<String>,
    /// A label on the reference's page.
    pub document: Vec<String>,
    /// States of a valid reference.
    pub published_states: Vec<String>,
    /// States of a cancelled reference.
    pub cancelled_states: Vec<String>,
}

impl Default for References {
    fn default() -> Self {
        Self {
            search: format!("/vyhladavanie/vyhladavanie-referencii?icoDodavatela={ICO}"),
            number: texts(&["Evidenčné číslo referencie", "Evidenčné číslo"]),
            supplier_ico: texts(&["IČO dodávateľa"]),
            buyer_name: texts(&["Odberateľ", "Verejný obstarávateľ"]),
            subject: texts(&[
                "Predmet zákazky",
                "Názov zákazky",
                "Názov / predmet zákazky",
            ]),
            price: texts(&["Zmluvná cena bez DPH", "Zmluvná cena"]),
            published_at: texts(&["Dátum vyhotovenia", "Dátum zverejnenia"]),
            status: texts(&["Stav"]),
            rating: texts(&["Hodnotenie", "Celkové hodnotenie"]),
            document: texts(&["Dokument", "Referencia (dokument)", "Príloha"]),
            published_states: texts(&["zverejnená"]),
            cancelled_states: texts(&["zrušená"]),
        }
    }
}

/// Reads a setting, with its default.
///
/// # Errors
/// [`Failure::Misconfigured`] for a setting of another shape.
pub fn of<T: DeserializeOwned + Default>(name: &str) -> Result<T, Failure> {
    Ok(runtime::setting(name)?.unwrap_or_default())
}

/// The site's public address, without a trailing slash.
///
/// # Errors
/// As [`of`].
pub fn site() -> Result<String, Failure> {
    Ok(runtime::setting("site")?.unwrap_or_else(|| SITE.to_owned()))
}

/// Maximum number of requests of one look-up.
///
/// # Errors
/// As [`of`].
pub fn most_requests() -> Result<u64, Failure> {
    Ok(runtime::setting("most_requests")?.unwrap_or(MOST_REQUESTS))
}

/// Maximum share of listed bans that may be missing from a new list, in percent.
///
/// # Errors
/// As [`of`].
pub fn most_vanished_percent() -> Result<u64, Failure> {
    Ok(runtime::setting("most_vanished_percent")?.unwrap_or(MOST_VANISHED_PERCENT))
}
