//! Persistence for `SQLite` and `PostgreSQL`. Each aggregate has one file.
//!
//! All SQL is in this crate, and both databases run the same text. The store knows rows, not rules: callers decide what
//! is stale, what is preferred and what raises an event.
//! Invariants: no function does network calls to anything but the database, none reads the clock (callers pass `now`),
//! and on `SQLite` no write transaction is longer than one slice of a batch.

mod account_id;
pub mod backup;
mod batches;
mod billing;
mod bounded;
mod cause;
mod checked_name;
mod companies;
mod connect;
mod connector_id;
mod content;
mod datasets;
mod db;
mod deliveries;
mod details;
mod error;
mod events;
mod hosts;
mod ico;
mod idempotency;
mod inspect;
mod keys;
mod leases;
mod ledger_checks;
mod mail;
mod members;
mod migrations;
mod one_text;
mod operator_actions;
mod parts;
mod pool_metrics;
mod pools;
mod queue_samples;
mod readable;
mod recipients;
mod records;
mod retention;
mod rows;
mod schema;
mod schema_refusal;
mod scope_name;
mod sections;
mod send_limits;
mod sentinels;
mod sessions;
mod settings;
mod signals;
mod source_failure;
mod source_states;
mod subscriptions;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod wal_checkpoint;
mod watch_imports;
mod watches;
mod webhook_status;
mod write_back;

pub use account_id::AccountId;
pub use batches::{
    Backlog, Batch, BatchCounts, BatchKind, BatchPart, Batches, BatchesOfAccount, ClaimedPart,
    NewBatch,
};
pub use billing::{
    AccountBalance, Billing, BookingError, Bookings, Books, EntryKind, Grant, GrantKind,
    LedgerEntry, LockedAccount, LockedAccounts, Thresholds, UsageOfDay, Window, WindowSpan,
};
pub use companies::{
    BaseCompany, Companies, CompanyName, CompanyStatus, CompanyToFind, CompareCompanies,
    StoredCompany, Upserted,
};
pub use connector_id::{ConnectorId, InvalidConnectorId};
pub use datasets::{
    ChangedRecord, Checkpoint, Committed, DatasetKind, DatasetState, Datasets, Differences,
    ImportRun, ImportTime, ListPosition, Published, Record, Run, RunClaim, RunError, RunState,
};
pub use deliveries::{
    Attempt, AttemptOutcome, Channel, ClaimedDelivery, DeliveredEvent, Deliveries,
    DeliveriesOfAccount, DeliveryFilter, DeliveryStates, MissedTarget, ResendLimit, ShownAttempt,
    ShownDelivery, State,
};
pub use details::{Details, DetailsStore, StoredDetails};
pub use error::{Cause, StoreError};
pub use events::{
    ChangeSet, Choosing, Events, LogPosition, LoggedEvent, NewChange, NewDelivery, NewEvent,
    PendingEvent, StoredChange, Subscriber,
};
pub use hosts::Hosts;
pub use ico::{Ico, InvalidIco};
pub use idempotency::{IdempotencyKeys, KeyedOutcome, KeyedRequest, KnownRequest};
pub use inspect::Inspection;
pub use keys::{
    Account, AccountError, ApiKey, KeyChange, KeyCreation, KeyLimits, KeyOfAccount, Keys,
    KeysOfAccount, NewKeyOfAccount, OwnedKey, SealedKeyRequest,
};
pub use leases::Leases;
pub use ledger_checks::{LedgerCheck, LedgerChecks};
pub use mail::{ClaimedMail, Mail, MailOutcome, MailState, NewMail};
pub use members::{Invited, Member, MemberChange, MemberRole, MemberState, MembersOfAccount};
pub use operator_actions::{
    ActionResult, NewOperatorAction, OperatorAction, OperatorActions, RecordedAction,
};
pub use parts::StoredParts;
pub use pool_metrics::PoolState;
pub use queue_samples::{QueueSample, QueueSamples};
pub use recipients::{Consent, Recipients};
pub use records::{RecordName, Records, StateAndRecords, StoredRecord};
pub use retention::{OldRows, RetentionBound, SizeKind, StoreSize, TABLES, TableRule};
pub use schema_refusal::SchemaRefusal;
pub use scope_name::{InvalidScopeName, ScopeName};
pub use sections::{Baseline, FormerSection, Section, Sections, StoredSection};
pub use send_limits::{Granted, SendLimit, SendLimits};
pub use sentinels::{SentinelReading, Sentinels};
pub use sessions::{LinkCreation, Membership, Session, SessionOwner, Sessions};
pub use settings::DatabaseSettings;
pub use signals::Signals;
pub use source_failure::{FailureKind, SourceFailure};
pub use source_states::{Recording, SourceNow, SourceSpan, SourceStates};
pub use subscriptions::{
    EmailEnd, FailingWebhook, NewSubscription, SealedSecrets, SubscribedEmail, SubscribingAccount,
    Subscription, SubscriptionPut, Subscriptions, SubscriptionsOfAccount,
};
pub use watch_imports::{
    ClaimedWatchImport, NewWatchImport, WatchImport, WatchImportCounts, WatchImportCreation,
    WatchImports, WatchImportsOfAccount,
};
pub use watches::{ClaimedWatch, Watches};
pub use webhook_status::WebhookStatus;

pub use db::UnknownWord;
use db::{Db, Either, on};
use time::OffsetDateTime;

/// The database behind a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DatabaseKind {
    /// A file that belongs to this host.
    Sqlite,
    /// A server that several hosts share.
    Postgres,
}

/// Result of storing a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutOutcome {
    /// No earlier version was stored. This is a baseline, not a change.
    First,
    /// The document differs from the stored one.
    Changed,
    /// The document equals the stored one; its time of reading is updated.
    Unchanged,
}

impl PutOutcome {
    fn compare(previous_hash: Option<&str>, hash: &str) -> Self {
        match previous_hash {
            None => Self::First,
            Some(previous) if previous == hash => Self::Unchanged,
            Some(_) => Self::Changed,
        }
    }
}

/// The store of one host. Clones share the connection pools.
#[derive(Debug, Clone)]
pub struct Store {
    reads: Db,
    /// On `SQLite` a pool of one connection: writers queue here and not in the busy loop of `SQLite`.
    writes: Db,
    /// Credits. On `SQLite` a separate file with one writing connection that commits synchronously; on `PostgreSQL` the
    /// same pool as the rest.
    billing: Db,
    billing_reads: Db,
    signals: std::sync::Arc<Signals>,
}

impl Store {
    pub fn kind(&self) -> DatabaseKind {
        match self.reads {
            Either::Sqlite(_) => DatabaseKind::Sqlite,
            Either::Postgres(_) => DatabaseKind::Postgres,
        }
    }

    /// The id that the database received when it was created, a text.
    pub async fn identity(&self) -> Result<String, StoreError> {
        const IDENTITY: &str = "select id from store_identity";
        Ok(on!(&self.reads, |pool| sqlx::query_scalar(IDENTITY)
            .fetch_one(pool)
            .await)?)
    }

    /// Fails unless the database answers a trivial query.
    pub async fn ping(&self) -> Result<(), StoreError> {
        on!(&self.reads, |pool| sqlx::query("select 1")
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// The clock of the database server. `None` on `SQLite`, which has only the clock of this host.
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

    /// Closes every connection after the running statements end. On `SQLite` nothing is left in the write-ahead log
    /// then.
    pub async fn close(&self) {
        // `SQLite` moves the log into the file when the last connection is closed. Connections that are closed at the
        // same time can each see the other one, and leave the log as it is. So the only writing one is closed last.
        for pool in [
            &self.reads,
            &self.billing_reads,
            &self.writes,
            &self.billing,
        ] {
            on!(pool, |pool| pool.close().await);
        }
    }

    pub fn companies(&self) -> Companies<'_> {
        Companies { store: self }
    }

    /// Register data about companies beyond the base record.
    pub fn details(&self) -> DetailsStore<'_> {
        DetailsStore { store: self }
    }

    pub fn sections(&self) -> Sections<'_> {
        Sections { store: self }
    }

    /// Datasets and their import runs.
    pub fn datasets(&self) -> Datasets<'_> {
        Datasets { store: self }
    }

    /// Records of published datasets.
    pub fn records(&self) -> Records<'_> {
        Records::of(self)
    }

    pub fn keys(&self) -> Keys<'_> {
        Keys { store: self }
    }

    /// API keys of one account, as its owner manages them.
    pub fn keys_of(&self, account: AccountId) -> KeysOfAccount<'_> {
        KeysOfAccount {
            store: self,
            account,
        }
    }

    /// People of one account.
    pub fn members_of(&self, account: AccountId) -> MembersOfAccount<'_> {
        MembersOfAccount {
            store: self,
            account,
        }
    }

    /// Sign-in links and sessions of browsers.
    pub fn sessions(&self) -> Sessions<'_> {
        Sessions { store: self }
    }

    /// Credits of accounts: balances, grants, bookings and usage.
    pub fn billing(&self) -> Billing<'_> {
        Billing { store: self }
    }

    /// E-mail addresses that accounts send to, and their consent.
    pub fn recipients(&self) -> Recipients<'_> {
        Recipients { store: self }
    }

    /// Rate limit counters of outgoing messages.
    pub fn send_limits(&self) -> SendLimits<'_> {
        SendLimits { store: self }
    }

    /// The queue of outgoing e-mails.
    pub fn mail(&self) -> Mail<'_> {
        Mail { store: self }
    }

    pub fn batches(&self) -> Batches<'_> {
        Batches { store: self }
    }

    /// Imports of watch lists.
    pub fn watch_imports(&self) -> WatchImports<'_> {
        WatchImports { store: self }
    }

    pub fn idempotency_keys(&self) -> IdempotencyKeys<'_> {
        IdempotencyKeys { store: self }
    }

    /// The change history and the events that are published from it.
    pub fn events(&self) -> Events<'_> {
        Events { store: self }
    }

    pub fn subscriptions(&self) -> Subscriptions<'_> {
        Subscriptions { store: self }
    }

    pub fn subscriptions_of(&self, account: AccountId) -> SubscriptionsOfAccount<'_> {
        SubscriptionsOfAccount {
            store: self,
            account,
        }
    }

    /// The delivery queue of events to webhooks and e-mail addresses.
    pub fn deliveries(&self) -> Deliveries<'_> {
        Deliveries { store: self }
    }

    pub fn deliveries_of(&self, account: AccountId) -> DeliveriesOfAccount<'_> {
        DeliveriesOfAccount {
            store: self,
            account,
        }
    }

    /// Companies that have active subscriptions.
    pub fn watches(&self) -> Watches<'_> {
        Watches { store: self }
    }

    /// The audit log of operators.
    pub fn operator_actions(&self) -> OperatorActions<'_> {
        OperatorActions { store: self }
    }

    /// Lengths of the queues over time.
    pub fn queue_samples(&self) -> QueueSamples<'_> {
        QueueSamples { store: self }
    }

    /// The newest check of the ledger.
    pub fn ledger_checks(&self) -> LedgerChecks<'_> {
        LedgerChecks { store: self }
    }

    /// Wakes workers of this process after a write.
    #[must_use]
    pub fn signals(&self) -> &Signals {
        &self.signals
    }

    /// Hosts that share this database.
    pub fn hosts(&self) -> Hosts<'_> {
        Hosts { store: self }
    }

    /// Results of the daily check of known companies.
    pub fn sentinels(&self) -> Sentinels<'_> {
        Sentinels { store: self }
    }

    /// Recorded states of sources.
    pub fn source_states(&self) -> SourceStates<'_> {
        SourceStates { store: self }
    }

    /// Old rows that no other part of the store deletes, and the sizes of the tables.
    pub fn old_rows(&self) -> OldRows<'_> {
        OldRows { store: self }
    }

    /// Named leases: only one host at a time does the work.
    pub fn leases(&self) -> Leases<'_> {
        Leases { store: self }
    }
}
