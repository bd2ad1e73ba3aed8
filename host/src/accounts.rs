//! What the people and the keys of an account may do.
//!
//! API and pages ask [`may`], so that both follow one table.

mod session;
pub mod sign_in_links;

pub use session::{ApiCalls, SignedIn};

use crate::store::MemberRole;

/// Who acts for an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    Member(MemberRole),
    /// A program with an API key. `manage` is the key's permission to manage the account.
    Key {
        manage: bool,
    },
}

/// Something that is done in an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Look companies up, one by one or in batches.
    LookUp,
    /// Read usage, credits, plan and ledger.
    ReadCredits,
    /// Read subscriptions, deliveries and events.
    ReadWatches,
    /// Change subscriptions and test their targets.
    ChangeWatches,
    /// Set the language and the thresholds of alerts.
    ChangeAlerts,
    /// Move the account to another plan.
    ChangePlan,
    /// List, create, limit, rotate and revoke keys without `manage`.
    ManageKeys,
    /// The same for keys with `manage`, which have the rights of an owner.
    ManageManagingKeys,
    /// Read names, addresses and roles of the people.
    ReadMembers,
    /// Invite and remove people, and change their roles.
    ManageMembers,
}

/// Whether an actor may do something in its account.
#[must_use]
pub fn may(actor: Actor, action: Action) -> bool {
    use MemberRole::{Billing, Developer, Owner, Read};
    // The roles, and whether a key without `manage` may.
    let (roles, any_key): (&[MemberRole], bool) = match action {
        Action::LookUp | Action::ReadCredits | Action::ReadWatches => {
            (&[Owner, Developer, Billing, Read], true)
        }
        Action::ChangeWatches => (&[Owner, Developer], true),
        Action::ChangeAlerts => (&[Owner, Billing], true),
        Action::ChangePlan => (&[Owner, Billing], false),
        Action::ManageKeys => (&[Owner, Developer], false),
        Action::ReadMembers => (&[Owner, Developer, Billing, Read], false),
        Action::ManageMembers | Action::ManageManagingKeys => (&[Owner], false),
    };
    match actor {
        Actor::Member(role) => roles.contains(&role),
        Actor::Key { manage } => manage || any_key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_owners_and_managing_keys_reach_owners_rights() {
        for action in [Action::ManageMembers, Action::ManageManagingKeys] {
            let allowed = MemberRole::ALL.iter();
            let allowed: Vec<_> = allowed
                .filter(|role| may(Actor::Member(**role), action))
                .collect();
            assert_eq!(allowed, [&MemberRole::Owner], "{action:?}");
        }
        for action in [
            Action::ChangePlan,
            Action::ManageKeys,
            Action::ReadMembers,
            Action::ManageMembers,
            Action::ManageManagingKeys,
        ] {
            assert!(!may(Actor::Key { manage: false }, action), "{action:?}");
            assert!(may(Actor::Key { manage: true }, action), "{action:?}");
        }
        let reader = Actor::Member(MemberRole::Read);
        assert!(may(reader, Action::ReadCredits) && !may(reader, Action::ChangeWatches));
    }
}
