//! The connector's settings: what the register's description does not confirm, with what is assumed.

use lustra_sdk::{Failure, runtime};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// The page of a register file, without the file's id behind it.
    pub detail_page: DetailPage,
    /// Whether the number is asked for with inner spaces too, as some stored values have it.
    pub spaced_ico: SpacedIco,
    /// Verifications of the owners' identity.
    pub verifications: Verifications,
    /// The end of a registration by erasure.
    pub erasure: Erasure,
    pub fines: Fines,
}

/// The page of a register file; its default is the one that people are sent to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DetailPage(pub String);

impl Default for DetailPage {
    fn default() -> Self {
        Self("https://rpvs.gov.sk/rpvs/Partner/Partner/Detail/".to_owned())
    }
}

/// Whether numbers with inner spaces are asked for; by default they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SpacedIco(pub bool);

impl Default for SpacedIco {
    fn default() -> Self {
        Self(true)
    }
}

/// Where the service has verifications. An empty `expand`: it is not asked for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Verifications {
    /// The navigation property of `Partneri`.
    pub expand: String,
    /// The column with the day of the verification.
    pub verified_on: String,
    /// The column with the first day on which it holds.
    pub valid_from: String,
    /// The column with the last day.
    pub valid_to: String,
    /// The column with what the register says of it.
    pub statement: String,
}

impl Default for Verifications {
    fn default() -> Self {
        Self {
            expand: "OverenieIdentifikacieKUV".to_owned(),
            verified_on: "DatumOverenia".to_owned(),
            valid_from: "PlatnostOd".to_owned(),
            valid_to: "PlatnostDo".to_owned(),
            statement: "Poznamka".to_owned(),
        }
    }
}

/// Where the service has erasures. An empty `expand`: it is not asked for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Erasure {
    /// The navigation property of `Partneri`.
    pub expand: String,
    /// The column with the day.
    pub erased_on: String,
    /// The column with the reason.
    pub reason: String,
}

impl Default for Erasure {
    fn default() -> Self {
        Self {
            expand: "Vymaz".to_owned(),
            erased_on: "Datum".to_owned(),
            reason: "Dovod".to_owned(),
        }
    }
}

/// Where the service has fines. An empty `expand`: it is not asked for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fines {
    /// The navigation property of `Partneri`.
    pub expand: String,
    /// The column with the day on which the register recorded it.
    pub recorded_on: String,
    /// The column with the register's note.
    pub note: String,
}

impl Default for Fines {
    fn default() -> Self {
        Self {
            expand: "Pokuta".to_owned(),
            recorded_on: "DatumVytvorenia".to_owned(),
            note: "Poznamka".to_owned(),
        }
    }
}

impl Settings {
    /// What the operator gave, else the defaults.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another shape.
    pub fn read() -> Result<Self, Failure> {
        Ok(Self {
            detail_page: runtime::setting("detail_page")?.unwrap_or_default(),
            spaced_ico: runtime::setting("spaced_ico")?.unwrap_or_default(),
            verifications: runtime::setting("verifications")?.unwrap_or_default(),
            erasure: runtime::setting("erasure")?.unwrap_or_default(),
            fines: runtime::setting("fines")?.unwrap_or_default(),
        })
    }

    /// The navigation properties beside the confirmed ones, as far as they are asked for.
    pub fn further_expansions(&self) -> impl Iterator<Item = &str> {
        [
            &self.verifications.expand,
            &self.erasure.expand,
            &self.fines.expand,
        ]
        .into_iter()
        .map(String::as_str)
        .filter(|expand| !expand.is_empty())
    }
}
