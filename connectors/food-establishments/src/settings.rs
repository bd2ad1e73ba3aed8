//! The operator's settings.

use lustra_sdk::sheet::Headers;
use serde::{Deserialize, Serialize};

lustra_sdk::settings! {
    /// All settings of the connector.
    pub struct Settings {
        /// The downloads, each with its register. A register may have several, such as one for each section.
        lists: Vec<List> = default_lists(),
        /// Headers of the columns: texts that a header equals or contains, without regard to case and diacritics. A
        /// column that is left out keeps its default.
        columns: Columns = Columns::default(),
        /// Minimum confidence, from 0 to 1, that a shown establishment belongs to the company.
        shown_from: f64 [0.0..=1.0] = 0.8,
    }
}

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

#[cfg(not(target_family = "wasm"))]
impl lustra_sdk::settings::SettingType for List {
    fn shape() -> lustra_sdk::settings::Shape {
        lustra_sdk::settings::Shape::Type("object")
    }
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

lustra_sdk::settings! {
    /// The headers of the columns.
    pub group Columns {
        /// The approval number. Required.
        approval_number: Headers = ["schvaľovacie číslo", "úradné číslo", "approval number"],
        /// The operator's address in one line.
        operator_address: Headers = ["adresa prevádzkovateľa", "sídlo prevádzkovateľa"],
        /// The operator of the establishment.
        operator: Headers = ["prevádzkovateľ", "názov prevádzkovateľa"],
        /// The name of the establishment. Required.
        name: Headers = ["názov prevádzkarne", "názov"],
        /// The establishment's address in one line.
        address: Headers = ["adresa"],
        /// The municipality of the establishment.
        city: Headers = ["obec", "mesto"],
        /// The district of the establishment.
        district: Headers = ["okres"],
        /// The region of the establishment.
        region: Headers = ["kraj"],
        /// The number of the section.
        section: Headers = ["sekcia"],
        /// The codes of the activities, or a text.
        activity: Headers = ["činnosť", "činnosti", "kategória"],
    }
}
