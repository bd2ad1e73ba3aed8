//! The abilities a connector may have. It implements those that its manifest names and lists them in `export!`.

use crate::{Batch, Company, CompanyKey, Failure, Section, Subject};

/// Gives base companies, or the commercial-register details of companies.
pub trait CompanySource {
    /// One company by one of the keys that the manifest names. `Ok(None)`: the register was read and knows none such.
    ///
    /// # Errors
    /// A [`Failure`] when the register could not be read; never for an unknown company.
    fn fetch_company(key: CompanyKey) -> Result<Option<Company>, Failure>;
}

/// Gives sections of a company's profile.
pub trait Enrichment {
    /// The section of one scope. A company that the register does not know gets a section that says so.
    ///
    /// # Errors
    /// A [`Failure`] when nothing could be read. Where only some sources could not, the section names them.
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure>;
}

/// Imports lists in bulk.
pub trait Importer {
    /// Starts a run over a dataset, or resumes one behind the batch whose cursor is given.
    ///
    /// # Errors
    /// A [`Failure`]; [`crate::failure::list_changed`] when the list behind the cursor is no longer there.
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure>;
}

/// One run over a dataset.
pub trait ImportRun {
    /// The next 500 to 1,000 records; `Ok(None)` when the list was read to its end.
    ///
    /// # Errors
    /// A [`Failure`]; the host resumes later at the last batch's cursor.
    fn next(&mut self) -> Result<Option<Batch>, Failure>;
}
