//! Decides whether a company may be one that a list means. Pure functions of names, countries and towns.
//!
//! A name is written in plain letters ([`letters`], [`sounds`]) and loses its legal form ([`forms`]). Its words are
//! weighted by how many names contain them ([`words`], [`name`]). Names are compared word by word ([`words_alike`],
//! [`pairs`], [`compare`]). Other data of the entry, such as its town ([`towns`]), then raises or lowers the score
//! ([`judge`]).
//! Invariant: names without a common distinctive word do not match unless they are equal.

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
