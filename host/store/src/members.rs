//! People of accounts: their addresses and roles.
//!
//! Addresses are stored in lower case, so that one person is one member. Removing a member deletes their sign-in links
//! and sessions with the row.
//! Invariant: the last owner of an account is neither removed nor given another role.

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::db::{MaybeMillis, Millis, Tx, millis, on, text_enum};
use super::keys::lock_account;
use super::{AccountId, Store, StoreError};

/// What a person may do in an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberRole {
    Owner,
    Developer,
    Billing,
    Read,
}

text_enum!(MemberRole {
    Owner: "owner",
    Developer: "developer",
    Billing: "billing",
    Read: "read",
});

/// Whether a person has signed in yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberState {
    Invited,
    Active,
}

text_enum!(MemberState {
    Invited: "invited",
    Active: "active",
});

/// A person of an account.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Member {
    pub id: i64,
    pub account_id: AccountId,
    /// E-mail address in lower case.
    pub email: String,
    pub name: String,
    #[sqlx(try_from = "String")]
    pub role: MemberRole,
    #[sqlx(try_from = "String")]
    pub state: MemberState,
    #[sqlx(try_from = "Millis")]
    pub created_at: OffsetDateTime,
    /// When the person first signed in.
    #[sqlx(try_from = "MaybeMillis")]
    pub joined_at: Option<OffsetDateTime>,
}

/// Result of an invitation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invited {
    Created(Member),
    /// The address belongs to this member already; nothing was changed.
    Existing(Member),
    /// The account has as many members as allowed.
    TooMany,
}

/// Result of changing or removing a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberChange {
    /// The member after the change, or as it was before its removal.
    Done(Member),
    NotFound,
    /// The account would have no owner.
    LastOwner,
}

const COLUMNS: &str = "id, account_id, email, name, role, state, created_at, joined_at";
const TABLE: &str = "account_member";

/// People of one account.
#[derive(Debug, Clone, Copy)]
pub struct MembersOfAccount<'a> {
    pub(super) store: &'a Store,
    pub(super) account: AccountId,
}

impl MembersOfAccount<'_> {
    /// All members in the order of their invitations.
    pub async fn list(&self) -> Result<Vec<Member>, StoreError> {
        let sql = format!("select {COLUMNS} from account_member where account_id = $1 order by id");
        on!(&self.store.reads, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(self.account)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Adds a person, unless the account has `most` members. The address is compared and stored in lower case.
    pub async fn invite(
        &self,
        email: &str,
        name: &str,
        role: MemberRole,
        most: u32,
        now: OffsetDateTime,
    ) -> Result<Invited, StoreError> {
        let sql = format!(
            "insert into account_member (account_id, email, name, role, state, created_at) \
             values ($1, $2, $3, $4, $5, $6) returning {COLUMNS}"
        );
        let email = email.to_lowercase();
        let mut tx = self.store.writes.begin().await?;
        lock_account(&mut tx, self.account).await?;
        let members = self.locked(&mut tx).await?;
        if let Some(existing) = members.iter().find(|member| member.email == email) {
            return Ok(Invited::Existing(existing.clone()));
        }
        if members.len() >= most as usize {
            return Ok(Invited::TooMany);
        }
        let member = on!(&mut tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
            .bind(self.account)
            .bind(&email)
            .bind(name)
            .bind(role.word())
            .bind(MemberState::Invited.word())
            .bind(millis(now))
            .fetch_one(&mut **tx)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        tx.commit().await?;
        Ok(Invited::Created(member))
    }

    /// Changes the name or the role of a member; `None` leaves it as it is.
    pub async fn change(
        &self,
        id: i64,
        name: Option<&str>,
        role: Option<MemberRole>,
    ) -> Result<MemberChange, StoreError> {
        let sql = format!(
            "update account_member set name = $2, role = $3 where id = $1 returning {COLUMNS}"
        );
        let mut tx = self.store.writes.begin().await?;
        lock_account(&mut tx, self.account).await?;
        let members = self.locked(&mut tx).await?;
        let Some(member) = members.iter().find(|member| member.id == id) else {
            return Ok(MemberChange::NotFound);
        };
        let role = role.unwrap_or(member.role);
        if role != MemberRole::Owner && is_last_owner(member, &members) {
            return Ok(MemberChange::LastOwner);
        }
        let changed = on!(&mut tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
            .bind(id)
            .bind(name.unwrap_or(&member.name))
            .bind(role.word())
            .fetch_one(&mut **tx)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        tx.commit().await?;
        Ok(MemberChange::Done(changed))
    }

    /// Removes a member with their links and sessions.
    pub async fn remove(&self, id: i64) -> Result<MemberChange, StoreError> {
        const REMOVE: &str = "delete from account_member where id = $1";
        let mut tx = self.store.writes.begin().await?;
        lock_account(&mut tx, self.account).await?;
        let members = self.locked(&mut tx).await?;
        let Some(member) = members.iter().find(|member| member.id == id) else {
            return Ok(MemberChange::NotFound);
        };
        if is_last_owner(member, &members) {
            return Ok(MemberChange::LastOwner);
        }
        on!(&mut tx, |tx| sqlx::query(REMOVE)
            .bind(id)
            .execute(&mut **tx)
            .await
            .map(drop))?;
        tx.commit().await?;
        Ok(MemberChange::Done(member.clone()))
    }

    /// The members, read after the account was locked.
    async fn locked(&self, tx: &mut Tx) -> Result<Vec<Member>, StoreError> {
        let sql = format!("select {COLUMNS} from account_member where account_id = $1 order by id");
        on!(tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
            .bind(self.account)
            .fetch_all(&mut **tx)
            .await)
        .map_err(StoreError::reading(TABLE))
    }
}

/// Whether a member is an owner without whom the account has none. An invited owner may never sign in, so it does not
/// replace an active one.
fn is_last_owner(member: &Member, members: &[Member]) -> bool {
    let is_other_owner = |other: &&Member| {
        other.id != member.id
            && other.role == MemberRole::Owner
            && (other.state == MemberState::Active || member.state == MemberState::Invited)
    };
    member.role == MemberRole::Owner && !members.iter().any(|other| is_other_owner(&other))
}
