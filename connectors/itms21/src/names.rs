//! The names of the upstream and of the datasets in the manifest, and of other sources in `unread`.

/// The upstream of the API.
pub const UPSTREAM: &str = "itms21";
/// What precedes every path of the API.
pub const BASE: &str = "/public/v1";
/// The dataset of projects.
pub const PROJECTS: &str = "projects";
/// The dataset of applications.
pub const APPLICATIONS: &str = "applications";
/// The details of projects, as `unread` names them.
pub const PROJECT_DETAILS: &str = "project-details";
/// The dataset of irregularities and receivables, off by default.
pub const IRREGULARITIES: &str = "irregularities";
/// The dataset of procurements and their contracts, off by default.
pub const PROCUREMENT: &str = "procurement";
