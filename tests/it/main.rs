//! Tests of the whole, through the API that users have.

mod auth;
mod author_kit;
mod author_shipped;
mod bad_input;
mod clients;
mod command_line;
mod company;
mod faults_support;
mod freshness;
mod guests;
mod imports;
mod openapi;
mod outages;
mod sandbox;
mod service;
mod settings;
mod support;
mod truth;
