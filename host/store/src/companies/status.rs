//! The status of a company in its base register.

use crate::db::text_enum;

/// Whether a company exists, as its base register states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompanyStatus {
    /// The company is entered and has not ended.
    Active,
    /// The company has ended.
    Terminated,
    /// The company was struck from the register.
    Deleted,
}

text_enum!(CompanyStatus {
    Active: "active",
    Terminated: "terminated",
    Deleted: "deleted",
});
