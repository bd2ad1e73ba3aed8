//! Companies: assembles profiles from the store and the registers, tracks the age of each part and refreshes
//! stale parts.
//!
//! A profile consists of a **base** record, the **details** of other registers and the **sections** of the
//! requested scopes. Each of these parts is fetched, stored, dated and refreshed separately.

mod answered;
mod assemble;
mod base;
mod cache;
mod contradictions;
mod fetch;
mod freshness;
mod part;
mod profile;
mod reasons;
mod refresh;
mod scopes;
mod sentinel;
mod state;
mod stored;
mod stored_profile;
mod watch;

pub use crate::store::{Ico, InvalidIco};
pub use assemble::{Profile, Source, base_json};
pub use base::base_company;
pub use cache::CacheState;
pub use contradictions::Contradictions;
pub use profile::{Answer, CompanyKey, ProfileError};
pub use scopes::{AllowedScopes, ScopeError};
pub use sentinel::{Round, Sentinel};
pub use state::Companies;
