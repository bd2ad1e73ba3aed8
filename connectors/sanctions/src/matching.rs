//! Whether a company may be one that a list means: pure functions of names, countries and towns.
//!
//! A name is written in plain letters ([`letters`], [`sounds`]), loses its legal form ([`forms`]) and becomes words that weigh by
//! how many names have them ([`words`], [`name`]). Names are compared word by word ([`words_alike`], [`pairs`], [`compare`]); what
//! else is known of the entry, such as its town ([`towns`]), then adds or takes off ([`judge`]).
//! Invariant: without a distinctive word in common, names are nothing to each other unless they are the same.

pub mod compare;
pub mod forms;
pub mod judge;
pub mod letters;
pub mod name;
pub mod pairs;
pub mod reasons;
pub mod sounds;
pub mod towns;
pub mod words;
pub mod words_alike;
