//! The lists that the connector imports.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dataset {
    /// The Union's consolidated list.
    EuFsf,
    /// The United States' list of specially designated nationals.
    OfacSdn,
    /// The United States' other lists, consolidated.
    OfacConsolidated,
}

impl Dataset {
    /// All of them, as the manifest lists them.
    pub const ALL: [Self; 3] = [Self::EuFsf, Self::OfacSdn, Self::OfacConsolidated];

    /// The dataset with an id.
    #[must_use]
    pub fn of(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dataset| dataset.id() == id)
    }

    /// The id in the manifest, which is also the `list` of a hit.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::EuFsf => "eu-fsf",
            Self::OfacSdn => "ofac-sdn",
            Self::OfacConsolidated => "ofac-consolidated",
        }
    }

    /// The upstream of the list.
    #[must_use]
    pub fn upstream(self) -> &'static str {
        match self {
            Self::EuFsf => "eu-fsf",
            Self::OfacSdn | Self::OfacConsolidated => "ofac",
        }
    }
}
