//! The sections, one file per scope.

pub mod financial_statements;
pub mod financials;
