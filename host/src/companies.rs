//! Companies: assembles profiles from the store and the registers, tracks the age of each part and refreshes
//! stale parts.
//!
//! A profile consists of a **base** record, the **details** of other registers and the **sections** of the
//! requested scopes. Each of these parts is fetched, stored, dated and refreshed separately.

mod answered;
mod assemble;
mod cache;
mod contradictions;
mod fetch;
mod freshness;
mod profile;
mod refresh;
mod scopes;
mod sentinel;
mod stored;
mod stored_profile;
mod watch;

pub use crate::store::{Ico, InvalidIco};
pub use assemble::{Profile, Source, base_json};
pub use contradictions::Contradictions;
pub use fetch::base_company;
pub use profile::{Answer, Companies, CompanyKey, ProfileError};
pub use scopes::{AllowedScopes, ScopeError};
pub use sentinel::{Round, Sentinel};
