//! Consent of e-mail recipients: owners of addresses confirm or unsubscribe by a link in an e-mail.

use std::collections::BTreeSet;

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::db::{Tx, list, millis, on, text_enum};
use super::deliveries::cancel_of_all;
use super::{AccountId, Store, StoreError};

/// The decision of an address's owner about one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Consent {
    /// A confirmation was requested and has not arrived yet.
    Asked,
    Confirmed,
    Unsubscribed,
}

text_enum!(Consent {
    Asked: "asked",
    Confirmed: "confirmed",
    Unsubscribed: "unsubscribed",
});

/// The normalised form of an address under which consent is stored.
pub(super) fn key(address: &str) -> String {
    address.trim().to_lowercase()
}

/// E-mail addresses that accounts send to, and their consent.
#[derive(Debug, Clone, Copy)]
pub struct Recipients<'a> {
    pub(super) store: &'a Store,
}

impl Recipients<'_> {
    /// The consent of these addresses for an account, in the same order. `None`: no decision yet.
    pub async fn consents(
        &self,
        account: AccountId,
        addresses: &[String],
    ) -> Result<Vec<Option<Consent>>, StoreError> {
        let db = &self.store.reads;
        let sql = format!(
            "select address, state from recipient where account_id = $1 and {}",
            db.is_listed("address", 2)
        );
        let keys: Vec<String> = addresses.iter().map(|address| key(address)).collect();
        let known: Vec<(String, String)> = on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(account)
            .bind(list(keys.iter().map(String::as_str)))
            .fetch_all(pool)
            .await)?;
        let of = |key: &String| {
            let known = known.iter().find(|known| known.0 == *key)?;
            Consent::try_from(known.1.clone()).ok()
        };
        Ok(keys.iter().map(of).collect())
    }

    /// Whether an active subscription of an account sends e-mail to an address.
    pub async fn is_subscribed(
        &self,
        account: AccountId,
        address: &str,
    ) -> Result<bool, StoreError> {
        const FIND: &str = "select count(*) from subscription_email e \
            join subscription s on s.number = e.subscription \
            where s.account_id = $1 and s.active and e.address = $2 and e.ended_at is null and not e.waiting";
        let found: i64 = on!(&self.store.reads, |pool| sqlx::query_scalar(FIND)
            .bind(account)
            .bind(address)
            .fetch_one(pool)
            .await)?;
        Ok(found > 0)
    }

    /// The account of a subscription. `None`: the subscription does not exist.
    pub async fn account_of(&self, subscription: i64) -> Result<Option<AccountId>, StoreError> {
        const ACCOUNT: &str = "select account_id from subscription where number = $1";
        Ok(on!(&self.store.reads, |pool| sqlx::query_scalar(ACCOUNT)
            .bind(subscription)
            .fetch_optional(pool)
            .await)?)
    }

    /// Ends all e-mail of an account to an address and cancels waiting deliveries.
    pub async fn unsubscribe(
        &self,
        account: AccountId,
        address: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut tx = self.store.writes.begin().await?;
        decide(&mut tx, account, address, Consent::Unsubscribed, now).await?;
        let rows = Rows::of(&mut tx, account, address).await?;
        let lock = format!(
            "select count(*) from (select number from subscription where {} order by number{}) locked",
            tx.is_numbered("number", 1),
            tx.locking_of("subscription")
        );
        let touch = format!(
            "update subscription set updated_at = $2 where {}",
            tx.is_numbered("number", 1)
        );
        let end = format!(
            "update subscription_email set ended_at = coalesce(ended_at, $3), reason = 'unsubscribed', waiting = false \
             where {}",
            Rows::condition(&tx)
        );
        let (subscriptions, spellings) = rows.bound();
        // While they are locked, a concurrent fan-out has either created its deliveries already, or sees the ended
        // address.
        let _locked: i64 = on!(&mut tx, |tx| sqlx::query_scalar(AssertSqlSafe(lock))
            .bind(&subscriptions)
            .fetch_one(&mut **tx)
            .await)?;
        on!(&mut tx, |tx| {
            sqlx::query(AssertSqlSafe(touch))
                .bind(&subscriptions)
                .bind(millis(now))
                .execute(&mut **tx)
                .await?;
            sqlx::query(AssertSqlSafe(end))
                .bind(&subscriptions)
                .bind(&spellings)
                .bind(millis(now))
                .execute(&mut **tx)
                .await
                .map(drop)
        })?;
        let spellings: Vec<&str> = rows.spellings.iter().map(String::as_str).collect();
        cancel_of_all(&mut tx, &rows.subscriptions, &spellings, now).await?;
        tx.commit().await
    }

    /// Records that the owner of an address agrees to the e-mails of an account. Also reverses an earlier
    /// unsubscription.
    pub async fn confirm(
        &self,
        account: AccountId,
        address: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut tx = self.store.writes.begin().await?;
        decide(&mut tx, account, address, Consent::Confirmed, now).await?;
        let (subscriptions, spellings) = Rows::of(&mut tx, account, address).await?.bound();
        let begin = format!(
            "update subscription_email set waiting = false, \
             ended_at = case when reason = 'unsubscribed' then null else ended_at end, \
             reason = case when reason = 'unsubscribed' then null else reason end where {}",
            Rows::condition(&tx)
        );
        on!(&mut tx, |tx| sqlx::query(AssertSqlSafe(begin))
            .bind(&subscriptions)
            .bind(&spellings)
            .execute(&mut **tx)
            .await
            .map(drop))?;
        tx.commit().await
    }
}

/// Stores the decision of an address's owner.
pub(super) async fn decide(
    tx: &mut Tx,
    account: AccountId,
    address: &str,
    consent: Consent,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    const DECIDE: &str = "insert into recipient (account_id, address, state, changed_at) values ($1, $2, $3, $4) \
        on conflict (account_id, address) do update set state = excluded.state, changed_at = excluded.changed_at";
    on!(tx, |tx| sqlx::query(DECIDE)
        .bind(account)
        .bind(key(address))
        .bind(consent.word())
        .bind(millis(now))
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

/// The decision of an address's owner about an account.
pub(super) async fn consent(
    tx: &mut Tx,
    account: AccountId,
    address: &str,
) -> Result<Option<Consent>, StoreError> {
    const FIND: &str = "select state from recipient where account_id = $1 and address = $2";
    let state: Option<String> = on!(tx, |tx| sqlx::query_scalar(FIND)
        .bind(account)
        .bind(key(address))
        .fetch_optional(&mut **tx)
        .await)?;
    Ok(state.and_then(|state| Consent::try_from(state).ok()))
}

/// The rows of an address in an account's subscriptions. Accounts may have tens of thousands of them, so each statement
/// changes all.
struct Rows {
    subscriptions: Vec<i64>,
    /// The address as it is written in the rows.
    spellings: BTreeSet<String>,
}

impl Rows {
    async fn of(tx: &mut Tx, account: AccountId, address: &str) -> Result<Self, StoreError> {
        const ROWS: &str = "select e.subscription, e.address from subscription_email e \
            join subscription s on s.number = e.subscription where s.account_id = $1";
        let rows: Vec<(i64, String)> = on!(tx, |tx| sqlx::query_as(ROWS)
            .bind(account)
            .fetch_all(&mut **tx)
            .await)?;
        let wanted = key(address);
        let rows = rows.into_iter().filter(|row| key(&row.1) == wanted);
        let (subscriptions, spellings) = rows.unzip();
        Ok(Self {
            subscriptions,
            spellings,
        })
    }

    /// SQL condition on a row of `subscription_email`, with the values of [`Self::bound`] as first parameters.
    fn condition(tx: &Tx) -> String {
        format!(
            "{} and {}",
            tx.is_numbered("subscription", 1),
            tx.is_listed("address", 2)
        )
    }

    fn bound(&self) -> (String, String) {
        (
            serde_json::Value::from(self.subscriptions.as_slice()).to_string(),
            list(self.spellings.iter().map(String::as_str)),
        )
    }
}
