//! The operator's settings. The manifest's schema has the same defaults; a test compares them.

use lustra_sdk::sheet::Headers;
use lustra_sdk::{Failure, runtime};
use serde::{Deserialize, Serialize};

/// The confidence from which on an establishment is shown to be a company's.
pub const SHOWN_FROM: f64 = 0.8;

/// One of the two registers, which are a dataset each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Register {
    Food,
    /// Establishments for products of animal origin.
    Vet,
}

impl Register {
    pub const ALL: [Self; 2] = [Self::Food, Self::Vet];

    /// The dataset's id, which is also the section's word for the register.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Food => "food",
            Self::Vet => "vet",
        }
    }

    /// The register of a dataset.
    #[must_use]
    pub fn of_dataset(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|register| register.id() == id)
    }
}

/// A list that is downloaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// The register that it belongs to.
    pub register: Register,
    /// Path and query below the upstream.
    pub path: String,
    /// The section that all of its establishments are in, where no column says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Whether it is the page of the veterinary list and not a file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub page: bool,
}

/// The lists as the operator set them.
///
/// # Errors
/// [`Failure::Misconfigured`] for a setting of another shape.
pub fn lists() -> Result<Vec<List>, Failure> {
    Ok(runtime::setting("lists")?.unwrap_or_else(default_lists))
}

/// The download of the one page that is known, and of the one that its name lets expect.
#[must_use]
pub fn default_lists() -> Vec<List> {
    let list = |register, kind: &str, group: &str| List {
        register,
        path: format!(
            "/?Cinnost=0&Podsekcia=0&Sekcia=0&Zoznamy={group}&cmd=resetall&typ={kind}&export=csv"
        ),
        section: None,
        page: false,
    };
    vec![
        list(Register::Food, "zoznam-potr-schvalene", "potraviny"),
        list(Register::Vet, "zoznam-vet-schvalene", "ostatne"),
    ]
}

/// What the columns of the lists are called, by what they hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "a member is called what it holds")]
pub struct Columns {
    pub approval_number: Headers,
    pub operator_address: Headers,
    pub operator: Headers,
    pub name: Headers,
    pub address: Headers,
    pub city: Headers,
    pub district: Headers,
    pub region: Headers,
    pub section: Headers,
    pub activity: Headers,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            approval_number: Headers::of(&[
                "schvaľovacie číslo",
                "úradné číslo",
                "approval number",
            ]),
            operator_address: Headers::of(&["adresa prevádzkovateľa", "sídlo prevádzkovateľa"]),
            operator: Headers::of(&["prevádzkovateľ", "názov prevádzkovateľa"]),
            name: Headers::of(&["názov prevádzkarne", "názov"]),
            address: Headers::of(&["adresa"]),
            city: Headers::of(&["obec", "mesto"]),
            district: Headers::of(&["okres"]),
            region: Headers::of(&["kraj"]),
            section: Headers::of(&["sekcia"]),
            activity: Headers::of(&["činnosť", "činnosti", "kategória"]),
        }
    }
}

impl Columns {
    /// As the operator set them.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another shape.
    pub fn read() -> Result<Self, Failure> {
        Ok(runtime::setting("columns")?.unwrap_or_default())
    }
}

/// The confidence from which on an establishment is shown, as the operator set it.
///
/// # Errors
/// [`Failure::Misconfigured`] for a setting of another shape.
pub fn shown_from() -> Result<f64, Failure> {
    Ok(runtime::setting("shown_from")?.unwrap_or(SHOWN_FROM))
}
