//! The abilities of a connector. It implements those that its manifest names and lists them in
//! `export!`.

use crate::{Batch, Company, CompanyKey, Failure, Section, Subject};

/// Provides base companies, or the commercial-register details of companies.
pub trait CompanySource {
    /// Fetches one company by one of the keys that the manifest names. `Ok(None)`: the register
    /// was read and has no such company.
    ///
    /// # Errors
    /// A [`Failure`] if the register could not be read; never for an unknown company.
    fn fetch_company(key: CompanyKey) -> Result<Option<Company>, Failure>;
}

/// Provides sections of a company's profile.
pub trait Enrichment {
    /// Builds the section of one scope. For a company unknown to the register it returns a
    /// section that says so.
    ///
    /// # Errors
    /// A [`Failure`] if no source could be read. If only some could not, the section lists them
    /// as unread.
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure>;
}

/// Imports lists in bulk.
pub trait Importer {
    /// Starts a run over a dataset, or resumes one behind the batch whose cursor is given.
    ///
    /// # Errors
    /// A [`Failure`]; [`crate::failure::list_changed`] if the list behind the cursor no longer
    /// exists.
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure>;
}

/// One run over a dataset.
pub trait ImportRun {
    /// The next 500 to 1,000 records; `Ok(None)` at the end of the list.
    ///
    /// # Errors
    /// A [`Failure`]; the host resumes later at the last batch's cursor.
    fn next(&mut self) -> Result<Option<Batch>, Failure>;
}
