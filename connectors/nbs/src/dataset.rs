//! The lists that the connector imports.

use serde::{Deserialize, Serialize};

use crate::names::{AGENTS, UPSTREAM};

/// A list of the national bank, or of the operator. Also the `source` of a licence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dataset {
    /// All supervised subjects with their licences.
    Institutions,
    /// Payment services by the second payment services directive.
    Psd2Services,
    /// Ties of agents to institutions, a list of the operator.
    Agents,
}

impl Dataset {
    /// All of them, as the manifest lists them.
    pub const ALL: [Self; 3] = [Self::Institutions, Self::Psd2Services, Self::Agents];

    /// Those that the section of a company is built from. Ties of agents reach it through the records of
    /// [`Dataset::Institutions`].
    pub const OF_SECTION: [Self; 2] = [Self::Institutions, Self::Psd2Services];

    /// The dataset with an id.
    #[must_use]
    pub fn of(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dataset| dataset.id() == id)
    }

    /// The id in the manifest.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Institutions => "institutions",
            Self::Psd2Services => "psd2-services",
            Self::Agents => "agents",
        }
    }

    /// The upstream and the path of the list below its address.
    #[must_use]
    pub fn place(self) -> (&'static str, &'static str) {
        match self {
            Self::Institutions => (UPSTREAM, "/api/json"),
            Self::Psd2Services => (UPSTREAM, "/api/psd2"),
            Self::Agents => (AGENTS, ""),
        }
    }
}
