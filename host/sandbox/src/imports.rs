//! Host functions of the contract, one file per imported interface. Every function checks its grant or limit first.

mod bounds;
pub mod companies;
pub mod http;
mod recorded;
pub mod records;
pub mod runtime;

use super::bindings::types::{Drift, Failure, Host};
use super::egress::EgressFailure;
use super::state::CallState;
use lustra_store::StoreError;

impl Host for CallState {}

impl From<EgressFailure> for Failure {
    fn from(failure: EgressFailure) -> Self {
        match failure {
            EgressFailure::Unavailable(why) => Self::Unavailable(why),
            EgressFailure::Throttled(seconds) => Self::Throttled(seconds),
            EgressFailure::Refused(why) => Self::Refused(why),
            EgressFailure::Malformed {
                what,
                expected,
                found,
            } => Self::Malformed(Drift {
                what,
                expected,
                found,
                evidence: None,
            }),
            EgressFailure::Misconfigured(why) => Self::Misconfigured(why),
        }
    }
}

/// Converts a store error. A failing store is not the connector's fault, and the guest gets no details.
fn of_store(error: &StoreError) -> Failure {
    tracing::error!(%error, "a connector's request to the store failed");
    Failure::Unavailable("the host's store did not answer".to_owned())
}
