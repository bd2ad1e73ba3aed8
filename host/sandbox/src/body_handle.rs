//! The host's side of the contract's resource `http.body`.

use time::OffsetDateTime;

use super::egress::Body;

/// A body that the guest holds a handle to.
pub struct BodyHandle {
    pub(super) body: Body,
    // From the host's clock, which tests and the demo control; facts are dated with it.
    pub(super) arrived_at: OffsetDateTime,
}
