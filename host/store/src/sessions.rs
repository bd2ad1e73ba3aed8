//! Sign-in links and sessions of browsers. Only digests of their tokens are stored.
//!
//! A link signs one member in once. A session belongs to a member or to an API key. Deleting the session, the member or
//! the key ends it on every host.
//! Invariant: a link makes at most one session, however many hosts receive it at the same time.

use time::OffsetDateTime;

use super::db::{Millis, millis, on};
use super::members::{MemberRole, MemberState};
use super::{AccountId, SendLimit, Store, StoreError, send_limits};

/// Result of creating a sign-in link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkCreation {
    Created,
    /// Too many links were sent to the address; the next one is possible at this time.
    TooMany(Option<OffsetDateTime>),
}

/// A member whom an e-mail address belongs to.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Membership {
    pub member_id: i64,
    pub account_id: AccountId,
    /// Name of the account.
    pub account: String,
    /// E-mail address in lower case.
    pub email: String,
}

/// Who a session belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionOwner {
    Member {
        id: i64,
        email: String,
        name: String,
        role: MemberRole,
    },
    /// A browser that signed in with an API key.
    Key { id: i64, manage: bool },
}

/// A session that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub account_id: AccountId,
    /// The owner with the rights that it has now.
    pub owner: SessionOwner,
    pub created_at: OffsetDateTime,
    pub last_seen_at: OffsetDateTime,
    pub expires_at: OffsetDateTime,
}

#[derive(sqlx::FromRow)]
struct Row {
    account_id: AccountId,
    member_id: Option<i64>,
    email: Option<String>,
    name: Option<String>,
    role: Option<String>,
    key_id: Option<i64>,
    manage: Option<bool>,
    #[sqlx(try_from = "Millis")]
    created_at: OffsetDateTime,
    #[sqlx(try_from = "Millis")]
    last_seen_at: OffsetDateTime,
    #[sqlx(try_from = "Millis")]
    expires_at: OffsetDateTime,
}

/// Sign-in links and sessions of all accounts.
#[derive(Debug, Clone, Copy)]
pub struct Sessions<'a> {
    pub(super) store: &'a Store,
}

impl Sessions<'_> {
    /// Stores a sign-in link of a member, unless `limit` is reached; the caller names the address in its key.
    ///
    /// # Errors
    /// The store failed, or the member was removed.
    pub async fn create_link(
        &self,
        member_id: i64,
        digest: &[u8; 32],
        limit: &SendLimit,
        expires_at: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<LinkCreation, StoreError> {
        const CREATE: &str = "insert into sign_in_link (digest, member_id, created_at, expires_at) \
            values ($1, $2, $3, $4)";
        let mut tx = self.store.writes.begin().await?;
        let limits = std::slice::from_ref(limit);
        let granted = send_limits::take_in(&mut tx, limits, 1, now).await?;
        if granted.count == 0 {
            return Ok(LinkCreation::TooMany(granted.until));
        }
        on!(&mut tx, |tx| sqlx::query(CREATE)
            .bind(digest.as_slice())
            .bind(member_id)
            .bind(millis(now))
            .bind(millis(expires_at))
            .execute(&mut **tx)
            .await
            .map(drop))?;
        tx.commit().await?;
        Ok(LinkCreation::Created)
    }

    /// Uses a link up and begins a session of its member, who becomes active. `None`: the link is unknown, was used or
    /// has expired.
    pub async fn sign_in(
        &self,
        link: &[u8; 32],
        session: &[u8; 32],
        expires_at: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<Option<Session>, StoreError> {
        const USE: &str =
            "delete from sign_in_link where digest = $1 and expires_at > $2 returning member_id";
        let mut tx = self.store.writes.begin().await?;
        let member: Option<i64> = on!(&mut tx, |tx| sqlx::query_scalar(USE)
            .bind(link.as_slice())
            .bind(millis(now))
            .fetch_optional(&mut **tx)
            .await)?;
        let Some(member) = member else {
            return Ok(None);
        };
        on!(&mut tx, |tx| sqlx::query(ACTIVATE_MEMBER)
            .bind(member)
            .bind(MemberState::Active.word())
            .bind(millis(now))
            .execute(&mut **tx)
            .await
            .map(drop))?;
        on!(&mut tx, |tx| sqlx::query(BEGIN)
            .bind(session.as_slice())
            .bind(member)
            .bind(millis(now))
            .bind(millis(expires_at))
            .execute(&mut **tx)
            .await
            .map(drop))?;
        tx.commit().await?;
        self.find(session, now, now).await
    }

    /// The member that a link signs in. `None`: the link is unknown, was used or has expired.
    pub async fn member_of_link(
        &self,
        link: &[u8; 32],
        now: OffsetDateTime,
    ) -> Result<Option<Membership>, StoreError> {
        const FIND: &str = "select m.id as member_id, m.account_id, a.name as account, m.email \
            from sign_in_link l join account_member m on m.id = l.member_id \
            join account a on a.id = m.account_id where l.digest = $1 and l.expires_at > $2";
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(link.as_slice())
            .bind(millis(now))
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("sign_in_link"))
    }

    /// The memberships of an address in all accounts: those in use first, then by age. Letter case does not matter.
    pub async fn memberships(&self, email: &str) -> Result<Vec<Membership>, StoreError> {
        const LIST: &str = "select m.id as member_id, m.account_id, a.name as account, m.email \
            from account_member m join account a on a.id = m.account_id where m.email = $1 \
            order by m.state, m.id";
        on!(&self.store.reads, |pool| sqlx::query_as(LIST)
            .bind(email.to_lowercase())
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("account_member"))
    }

    /// Replaces the session of a member by one of the same person in another account. `None`: the session has ended,
    /// or the person is no such member.
    pub async fn switch(
        &self,
        former: &[u8; 32],
        member_id: i64,
        session: &[u8; 32],
        now: OffsetDateTime,
    ) -> Result<Option<Session>, StoreError> {
        // The session of the other account ends when the former one would have.
        const SWITCH: &str = "update web_session set digest = $2, member_id = $3, last_seen_at = $4 \
            where digest = $1 and expires_at > $4 and exists \
            (select 1 from account_member m join account_member o on o.email = m.email \
            where m.id = web_session.member_id and o.id = $3)";
        let mut tx = self.store.writes.begin().await?;
        let switched = on!(&mut tx, |tx| sqlx::query(SWITCH)
            .bind(former.as_slice())
            .bind(session.as_slice())
            .bind(member_id)
            .bind(millis(now))
            .execute(&mut **tx)
            .await
            .map(|done| done.rows_affected()))?;
        if switched == 0 {
            return Ok(None);
        }
        on!(&mut tx, |tx| sqlx::query(ACTIVATE_MEMBER)
            .bind(member_id)
            .bind(MemberState::Active.word())
            .bind(millis(now))
            .execute(&mut **tx)
            .await
            .map(drop))?;
        tx.commit().await?;
        self.find(session, now, now).await
    }

    /// Begins a session of a browser that presented an API key. The caller has checked that the key is valid. `false`:
    /// `hash` is not the digest of the key's current secret. A replaced secret begins no session, because the session
    /// would outlive it.
    pub async fn sign_in_by_key(
        &self,
        key_id: i64,
        hash: &[u8; 32],
        session: &[u8; 32],
        expires_at: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        const BEGIN: &str = "insert into web_session (digest, key_id, created_at, last_seen_at, expires_at) \
            select $1, id, $4, $4, $5 from api_key where id = $2 and hash = $3";
        let begun = on!(&self.store.writes, |pool| sqlx::query(BEGIN)
            .bind(session.as_slice())
            .bind(key_id)
            .bind(hash.as_slice())
            .bind(millis(now))
            .bind(millis(expires_at))
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?;
        Ok(begun > 0)
    }

    /// The session with this digest that was used at `used_since` or later. `None`: it ended, expired or was not used
    /// for longer, or its key was revoked or has expired.
    pub async fn find(
        &self,
        digest: &[u8; 32],
        used_since: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<Option<Session>, StoreError> {
        const FIND: &str = "select coalesce(m.account_id, k.account_id) as account_id, \
            s.member_id, m.email, m.name, m.role, s.key_id, k.manage, s.created_at, s.last_seen_at, s.expires_at \
            from web_session s left join account_member m on m.id = s.member_id \
            left join api_key k on k.id = s.key_id where s.digest = $1 and s.expires_at > $2 \
            and s.last_seen_at >= $3 and (s.key_id is null or \
                ((k.revoked_at is null or k.revoked_at > $2) and (k.expires_at is null or k.expires_at > $2)))";
        let row: Option<Row> = on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(digest.as_slice())
            .bind(millis(now))
            .bind(millis(used_since))
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("web_session"))?;
        row.map(Row::session).transpose()
    }

    /// Records that a session was used. Never moves a stored time back.
    pub async fn touch(&self, digest: &[u8; 32], now: OffsetDateTime) -> Result<(), StoreError> {
        const TOUCH: &str =
            "update web_session set last_seen_at = $2 where digest = $1 and last_seen_at < $2";
        on!(&self.store.writes, |pool| sqlx::query(TOUCH)
            .bind(digest.as_slice())
            .bind(millis(now))
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Ends a session. `false`: it had ended before.
    pub async fn end(&self, digest: &[u8; 32]) -> Result<bool, StoreError> {
        const END: &str = "delete from web_session where digest = $1";
        let ended = on!(&self.store.writes, |pool| sqlx::query(END)
            .bind(digest.as_slice())
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?;
        Ok(ended > 0)
    }

    /// Ends all sessions and unused links of a person in every account, and returns the number of sessions.
    pub async fn end_all(&self, member_id: i64) -> Result<u64, StoreError> {
        const LINKS: &str = "delete from sign_in_link where member_id in \
            (select o.id from account_member m join account_member o on o.email = m.email where m.id = $1)";
        const SESSIONS: &str = "delete from web_session where member_id in \
            (select o.id from account_member m join account_member o on o.email = m.email where m.id = $1)";
        let mut ended = 0;
        for sql in [LINKS, SESSIONS] {
            ended = on!(&self.store.writes, |pool| sqlx::query(sql)
                .bind(member_id)
                .execute(pool)
                .await
                .map(|done| done.rows_affected()))?;
        }
        Ok(ended)
    }

    /// Ends all sessions that began with a key, and returns how many.
    pub async fn end_all_of_key(&self, key_id: i64) -> Result<u64, StoreError> {
        const END: &str = "delete from web_session where key_id = $1";
        Ok(on!(&self.store.writes, |pool| sqlx::query(END)
            .bind(key_id)
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?)
    }

    /// Deletes up to `limit` expired links and as many expired or unused sessions, and returns how many.
    pub async fn sweep(
        &self,
        limit: u32,
        used_since: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<u64, StoreError> {
        const DUE: &str = "select 1 from sign_in_link where expires_at <= $1 union all \
            select 1 from web_session where expires_at <= $1 or last_seen_at < $2 limit 1";
        const LINKS: &str = "delete from sign_in_link where digest in \
            (select digest from sign_in_link where expires_at <= $1 and $2 <= $1 limit $3)";
        const SESSIONS: &str = "delete from web_session where digest in \
            (select digest from web_session where expires_at <= $1 or last_seen_at < $2 limit $3)";
        // Check with a read first: most sweeps find nothing and must not take the write lock.
        let due: Option<i32> = on!(&self.store.reads, |pool| sqlx::query_scalar(DUE)
            .bind(millis(now))
            .bind(millis(used_since))
            .fetch_optional(pool)
            .await)?;
        if due.is_none() {
            return Ok(0);
        }
        let mut swept = 0;
        for sql in [LINKS, SESSIONS] {
            swept += on!(&self.store.writes, |pool| sqlx::query(sql)
                .bind(millis(now))
                .bind(millis(used_since))
                .bind(i64::from(limit))
                .execute(pool)
                .await
                .map(|done| done.rows_affected()))?;
        }
        Ok(swept)
    }
}

/// Begins the session of a member.
const BEGIN: &str = "insert into web_session (digest, member_id, created_at, last_seen_at, expires_at) \
    values ($1, $2, $3, $3, $4)";

/// Records that a member has signed in.
const ACTIVATE_MEMBER: &str =
    "update account_member set state = $2, joined_at = coalesce(joined_at, $3) where id = $1";

impl Row {
    fn session(self) -> Result<Session, StoreError> {
        let unreadable = |why: String| StoreError::Unreadable {
            table: "web_session",
            why,
        };
        let owner = match (self.member_id, self.key_id) {
            (Some(id), _) => {
                let role = MemberRole::try_from(self.role.unwrap_or_default());
                SessionOwner::Member {
                    id,
                    email: self.email.unwrap_or_default(),
                    name: self.name.unwrap_or_default(),
                    role: role.map_err(|unknown| unreadable(unknown.to_string()))?,
                }
            }
            (None, Some(id)) => SessionOwner::Key {
                id,
                manage: self.manage.unwrap_or_default(),
            },
            (None, None) => return Err(unreadable("it has no owner".to_owned())),
        };
        Ok(Session {
            account_id: self.account_id,
            owner,
            created_at: self.created_at,
            last_seen_at: self.last_seen_at,
            expires_at: self.expires_at,
        })
    }
}
