//! Subscriptions, deliveries and changes. All of these calls are free.

mod deliveries;
mod events;
mod history;
mod imports;
mod pausing;
mod repeated;
mod rotation;
mod shapes;
mod subscriptions;
mod targets;
mod unsubscribe;

use utoipa_axum::router::OpenApiRouter;

use super::App;
use super::auth::Caller;
use super::parameters::parameters;
use super::parameters::types::{Id, Whole};
use super::search::ListMeta;
use crate::companies::AllowedScopes;
use crate::store::ScopeName;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .merge(subscriptions::routes())
        .merge(rotation::routes())
        .merge(pausing::routes())
        .merge(history::routes())
        .merge(imports::routes())
        .merge(deliveries::routes())
        .merge(events::routes())
        .merge(unsubscribe::routes())
}

parameters! {
    pub(super) struct SubscriptionPath in Path {
        /// Id of the subscription, from the response that created it.
        subscription_id: Id,
    }
}

/// The parameter `limit` of a list.
type Limit = Whole<1, 100, 50>;

/// The parameter `offset` of a list; its maximum is that of 32 bits.
type Offset = Whole<0, 0xffff_ffff, 0>;

/// Which part of a list a request wants, for the store.
#[derive(Debug, Clone, Copy)]
struct Page {
    limit: u32,
    offset: u32,
}

impl Page {
    /// Numbers that [`Limit`] and [`Offset`] have checked.
    fn new(limit: u64, offset: u64) -> Self {
        let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            limit: number(limit),
            offset: number(offset),
        }
    }

    /// The metadata of this page. `total` counts the whole list, `given` the entries of the page.
    fn meta(self, total: i64, given: usize) -> ListMeta {
        let total = u64::try_from(total).unwrap_or_default();
        ListMeta::of(total, self.limit.into(), self.offset.into(), given as u64)
    }
}

/// The scopes of the caller's plan.
fn scopes_of(app: &App, caller: &Caller) -> Vec<ScopeName> {
    let catalogue = app.companies.connectors().catalogue();
    let allowed = AllowedScopes::of_plans(&[&caller.plan], &catalogue);
    allowed.iter().cloned().collect()
}
