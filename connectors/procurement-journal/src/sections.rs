//! The sections of a company's profile, one file a scope.

pub mod contacts;
pub mod procurement;
