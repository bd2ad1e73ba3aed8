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
mod hosts;
mod imports;
mod new_connector;
mod openapi;
mod operating;
mod outages;
mod python;
mod reload;
mod sandbox;
mod service;
mod settings;
mod support;
mod truth;
