//! The sandbox: ten invented companies with complete data for every scope of the specification.
//!
//! They are files of the program, so the sandbox answers whatever the registers and the store do.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::companies::Ico;

const FILES: [&str; 10] = [
    include_str!("sandbox/companies/01.json"),
    include_str!("sandbox/companies/02.json"),
    include_str!("sandbox/companies/03.json"),
    include_str!("sandbox/companies/04.json"),
    include_str!("sandbox/companies/05.json"),
    include_str!("sandbox/companies/06.json"),
    include_str!("sandbox/companies/07.json"),
    include_str!("sandbox/companies/08.json"),
    include_str!("sandbox/companies/09.json"),
    include_str!("sandbox/companies/10.json"),
];

/// The demo companies by registration number.
#[derive(Debug)]
pub struct Sandbox(BTreeMap<String, Value>);

/// A demo company that is no company.
#[derive(Debug, thiserror::Error)]
#[error("the demo company {0}: {1}")]
pub struct SandboxError(usize, String);

impl Sandbox {
    /// Reads the demo companies.
    ///
    /// # Errors
    /// [`SandboxError`] when a file of the program is damaged.
    pub fn read() -> Result<Self, SandboxError> {
        let mut companies = BTreeMap::new();
        for (at, text) in FILES.iter().enumerate() {
            let company: Value = serde_json::from_str(text)
                .map_err(|error| SandboxError(at + 1, error.to_string()))?;
            let ico = company
                .get("ico")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned();
            companies.insert(ico, company);
        }
        Ok(Self(companies))
    }

    /// All demo companies, by registration number.
    pub fn companies(&self) -> impl Iterator<Item = &Value> {
        self.0.values()
    }

    /// One demo company.
    #[must_use]
    pub fn company(&self, ico: &Ico) -> Option<&Value> {
        self.0.get(ico.as_str())
    }
}
