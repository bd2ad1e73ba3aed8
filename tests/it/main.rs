//! Tests of the whole, through the API that users have.

mod company;
mod settings;
