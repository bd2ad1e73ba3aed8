//! Formats of Slovak registers: company numbers, names of people, dates, amounts, encodings, tables.

pub mod amount;
pub mod calendar;
pub mod charset;
#[cfg(feature = "csv")]
pub mod csv;
pub mod date;
pub mod entities;
pub mod fingerprint;
#[cfg(feature = "html")]
pub mod html;
pub mod iban;
pub mod ico;
pub mod legal_form;
pub mod person;
#[cfg(feature = "sheet")]
pub mod sheet;
pub mod text;
#[cfg(feature = "xml")]
pub mod xml;
