//! Tests of the whole, through the API that users have.

mod auth;
mod bad_input;
mod clients;
mod command_line;
mod company;
mod faults_support;
mod freshness;
mod guest_components;
mod guest_imports;
mod guest_network;
mod guest_support;
mod guests;
mod imports;
mod openapi;
mod outages;
mod python;
mod sandbox;
mod service;
mod settings;
mod support;
mod truth;
