//! The sections of a company's profile, one file per scope.

pub mod contacts;
pub mod procurement;
