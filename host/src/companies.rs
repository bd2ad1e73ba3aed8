//! Companies: putting a profile together from the store and the registers, knowing how old each part is, and bringing
//! old parts up to date.
//!
//! A profile is made of a **base** record, the **details** of other registers and the **sections** of the scopes that
//! were asked for; each such part is fetched, stored, dated and refreshed by itself.

mod answered;
mod assemble;
mod cache;
mod contradictions;
mod fetch;
mod freshness;
mod known;
mod profile;
mod refresh;
mod scopes;
mod sentinel;
mod stored;
mod watch;

pub use crate::store::{Ico, InvalidIco};
pub use assemble::{Profile, Source, base_json};
pub use contradictions::Contradictions;
pub use fetch::base_company;
pub use profile::{Answer, Companies, CompanyKey, ProfileError};
pub use scopes::{AllowedScopes, ScopeError};
pub use sentinel::{Round, Sentinel};
