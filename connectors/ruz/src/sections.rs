//! The sections, one file each.

pub mod financial_statements;
pub mod financials;
