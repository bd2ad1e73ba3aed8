//! Everything that is kept: one door to `SQLite` or `PostgreSQL`, one file an aggregate.
//!
//! All SQL is in this crate and the same text runs on both databases. The store knows rows, not
//! rules: what is stale, preferred or worth telling is decided by its callers.
//! Invariants: no function waits for the network, none looks at the clock (`now` is given), and on `SQLite` no write
//! transaction is longer than one slice of a batch.

mod batches;
mod billing;
mod bounded;
mod cause;
mod companies;
mod connect;
mod datasets;
mod db;
mod deliveries;
mod details;
mod error;
mod events;
mod hosts;
mod ico;
mod idempotency;
mod keys;
mod leases;
mod log;
mod mail;
mod migrations;
mod recipients;
mod records;
mod rows;
mod sections;
mod sendings;
mod sentinels;
mod settings;
mod signals;
mod subscriptions;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod waits;
mod watches;

pub use batches::{
    Backlog, Batch, BatchKind, BatchPart, Batches, BatchesOfAccount, ClaimedPart, Counts, NewBatch,
};
pub use billing::{
    Billing, BookingError, Bookings, Books, Entry, EntryKind, Grant, GrantKind, Opened,
    OpenedAccount, Standing, Thresholds, UsageOfDay, Window, WindowSpan,
};
pub use companies::{
    BaseCompany, Companies, CompanyName, CompanyToFind, CompareCompanies, StoredCompany, Upserted,
};
pub use datasets::{
    ChangedRecord, Checkpoint, Claimed, Committed, DatasetKind, DatasetState, Datasets,
    Differences, ImportRun, Published, Record, Run, RunError, RunState, UnknownWord,
};
pub use deliveries::{
    Attempt, ClaimedDelivery, DeliveredEvent, Deliveries, DeliveriesOfAccount, Outcome,
    ResendLimit, ShownAttempt, ShownDelivery, State, WhichDeliveries,
};
pub use details::{Details, DetailsStore, StoredDetails};
pub use error::{Cause, StoreError};
pub use events::{
    Choosing, EventToTell, Events, Found, LoggedEvent, NewChange, NewDelivery, NewEvent, Position,
    StoredChange, Subscriber,
};
pub use hosts::Hosts;
pub use ico::{Ico, InvalidIco};
pub use idempotency::{IdempotencyKeys, KeyedOutcome, KeyedRequest, KnownRequest};
pub use keys::{Account, AccountError, ApiKey, KeyOfAccount, Keys};
pub use leases::Leases;
pub use mail::{ClaimedMail, Mail, MailOutcome, MailState, NewMail};
pub use recipients::{Consent, Recipients};
pub use records::{RecordName, Records, StoredRecord};
pub use sections::{Section, Sections, StoredSection};
pub use sendings::{Granted, SendingLimit, Sendings};
pub use sentinels::{SentinelReading, Sentinels};
pub use settings::DatabaseSettings;
pub use signals::Signals;
pub use subscriptions::{
    FailingWebhook, NewSubscription, Put, SealedSecrets, SubscribedEmail, SubscribingAccount,
    Subscription, Subscriptions, SubscriptionsOfAccount,
};
pub use waits::PoolState;
pub use watches::{ClaimedWatch, Watches};

use db::{Db, Either, on};
use time::OffsetDateTime;

/// Which database a store is kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A file of this host.
    Sqlite,
    /// A server that several hosts share.
    Postgres,
}

/// What became of a document that was put in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// Nothing was known before: a baseline, not a change.
    First,
    /// It differs from the stored one.
    Changed,
    /// It equals the stored one, which is as fresh now.
    Unchanged,
}

impl Written {
    fn compare(previous_hash: Option<&str>, hash: &str) -> Self {
        match previous_hash {
            None => Self::First,
            Some(previous) if previous == hash => Self::Unchanged,
            Some(_) => Self::Changed,
        }
    }
}

/// The store of one host. Clones share their connections.
#[derive(Debug, Clone)]
pub struct Store {
    reads: Db,
    /// On `SQLite` a pool of one connection, so that writers queue here and not in `SQLite`'s busy loop.
    writes: Db,
    /// Credits. On `SQLite` a file of their own, likewise with one connection that writes, which commits synchronously;
    /// on `PostgreSQL` the same pool.
    billing: Db,
    billing_reads: Db,
    signals: std::sync::Arc<Signals>,
}

impl Store {
    /// Which database this is.
    pub fn kind(&self) -> Kind {
        match self.reads {
            Either::Sqlite(_) => Kind::Sqlite,
            Either::Postgres(_) => Kind::Postgres,
        }
    }

    /// The id that this database has had since it was made, a text.
    pub async fn identity(&self) -> Result<String, StoreError> {
        const IDENTITY: &str = "select id from store_identity";
        Ok(on!(&self.reads, |pool| sqlx::query_scalar(IDENTITY)
            .fetch_one(pool)
            .await)?)
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        on!(&self.reads, |pool| sqlx::query("select 1")
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// The database's own time. `None`: it has no clock but this host's.
    pub async fn database_time(&self) -> Result<Option<OffsetDateTime>, StoreError> {
        const NOW: &str = "select (extract(epoch from clock_timestamp()) * 1000)::bigint";
        let Either::Postgres(pool) = &self.reads else {
            return Ok(None);
        };
        let millis: db::Millis = sqlx::query_scalar(NOW).fetch_one(pool).await?;
        let now = OffsetDateTime::try_from(millis);
        now.map(Some).map_err(|error| StoreError::Unreadable {
            table: "clock_timestamp()",
            why: error.to_string(),
        })
    }

    /// Closes every connection, after the statements under way.
    pub async fn close(&self) {
        for pool in [
            &self.writes,
            &self.billing,
            &self.reads,
            &self.billing_reads,
        ] {
            on!(pool, |pool| pool.close().await);
        }
    }

    /// Base records of companies.
    pub fn companies(&self) -> Companies<'_> {
        Companies { store: self }
    }

    /// What registers say about companies beyond the base record.
    pub fn details(&self) -> DetailsStore<'_> {
        DetailsStore { store: self }
    }

    /// Sections of profiles.
    pub fn sections(&self) -> Sections<'_> {
        Sections { store: self }
    }

    /// Imported lists and the runs that bring them.
    pub fn datasets(&self) -> Datasets<'_> {
        Datasets { store: self }
    }

    /// Records of published lists.
    pub fn records(&self) -> Records<'_> {
        Records::of(self)
    }

    /// Accounts and their keys.
    pub fn keys(&self) -> Keys<'_> {
        Keys { store: self }
    }

    /// What accounts may spend and have spent.
    pub fn billing(&self) -> Billing<'_> {
        Billing { store: self }
    }

    /// Addresses that accounts write to.
    pub fn recipients(&self) -> Recipients<'_> {
        Recipients { store: self }
    }

    /// Counters of what is sent to others.
    pub fn sendings(&self) -> Sendings<'_> {
        Sendings { store: self }
    }

    /// Messages on their way.
    pub fn mail(&self) -> Mail<'_> {
        Mail { store: self }
    }

    /// Batches of look-ups.
    pub fn batches(&self) -> Batches<'_> {
        Batches { store: self }
    }

    /// Idempotency keys of requests.
    pub fn idempotency_keys(&self) -> IdempotencyKeys<'_> {
        IdempotencyKeys { store: self }
    }

    /// What changed, and what is told of it.
    pub fn events(&self) -> Events<'_> {
        Events { store: self }
    }

    /// Subscriptions of all accounts.
    pub fn subscriptions(&self) -> Subscriptions<'_> {
        Subscriptions { store: self }
    }

    /// The subscriptions of one account.
    pub fn subscriptions_of(&self, account: i64) -> SubscriptionsOfAccount<'_> {
        SubscriptionsOfAccount {
            store: self,
            account,
        }
    }

    /// Events on their way to targets.
    pub fn deliveries(&self) -> Deliveries<'_> {
        Deliveries { store: self }
    }

    /// The deliveries of one account.
    pub fn deliveries_of(&self, account: i64) -> DeliveriesOfAccount<'_> {
        DeliveriesOfAccount {
            store: self,
            account,
        }
    }

    /// Watched companies.
    pub fn watches(&self) -> Watches<'_> {
        Watches { store: self }
    }

    /// What tells others in this process that something was written.
    #[must_use]
    pub fn signals(&self) -> &Signals {
        &self.signals
    }

    /// Hosts on this store.
    pub fn hosts(&self) -> Hosts<'_> {
        Hosts { store: self }
    }

    /// Readings of known companies.
    pub fn sentinels(&self) -> Sentinels<'_> {
        Sentinels { store: self }
    }

    /// Work that one host does at a time.
    pub fn leases(&self) -> Leases<'_> {
        Leases { store: self }
    }
}
