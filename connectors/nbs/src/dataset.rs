//! The lists that the connector imports.

/// A list of the national bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dataset {
    /// All supervised subjects with their licences.
    Institutions,
    /// Payment services by the second payment services directive.
    Psd2Services,
}

impl Dataset {
    /// All of them, as the manifest lists them.
    pub const ALL: [Self; 2] = [Self::Institutions, Self::Psd2Services];

    /// The dataset with an id.
    #[must_use]
    pub fn of(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dataset| dataset.id() == id)
    }

    /// The id in the manifest, which is also the `source` of a licence.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Institutions => "institutions",
            Self::Psd2Services => "psd2-services",
        }
    }

    /// The path of the list below the upstream's address.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Institutions => "/api/json",
            Self::Psd2Services => "/api/psd2",
        }
    }
}
