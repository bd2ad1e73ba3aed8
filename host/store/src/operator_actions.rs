//! The audit log: what operators did, through pages, calls and commands.

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::db::{Millis, millis, on, text_enum};
use super::{Store, StoreError};

/// Longest stored text of an action, in characters.
const MAX_CHARS: usize = 500;

/// Kinds of actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperatorAction {
    Reload,
    RestartWorker,
    ConfirmClock,
    /// A list was sent and checked, but not taken yet.
    UploadList,
    TakeList,
    DiscardList,
    /// The list before was put back.
    TakeBackList,
    /// The version of a connector before was put back.
    TakeBackVersion,
    ReleaseVersion,
    VerifyLedger,
    ImportDataset,
    CreateAccount,
    ChangePlan,
    ChangeOverage,
    GrantCredits,
    AdjustCredits,
    CreateKey,
    RotateKey,
    RevokeKey,
}

text_enum!(OperatorAction {
    Reload: "connectors.reload",
    RestartWorker: "worker.restart",
    ConfirmClock: "clock.confirm",
    UploadList: "list.upload",
    TakeList: "list.take",
    DiscardList: "list.discard",
    TakeBackList: "list.take_back",
    TakeBackVersion: "version.take_back",
    ReleaseVersion: "version.release",
    VerifyLedger: "ledger.verify",
    ImportDataset: "dataset.import",
    CreateAccount: "account.create",
    ChangePlan: "account.plan",
    ChangeOverage: "account.overage",
    GrantCredits: "credits.grant",
    AdjustCredits: "credits.adjust",
    CreateKey: "key.create",
    RotateKey: "key.rotate",
    RevokeKey: "key.revoke",
});

/// How an action ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionResult {
    Done,
    /// It was not possible in the present state, such as an object that does not exist.
    Refused,
    Failed,
}

text_enum!(ActionResult {
    Done: "done",
    Refused: "refused",
    Failed: "failed",
});

/// An action to record. Texts never contain secrets.
#[derive(Debug, Clone, Copy)]
pub struct NewOperatorAction<'a> {
    /// `cli`, or the address of the client.
    pub actor: &'a str,
    pub action: OperatorAction,
    /// What it was done to, such as the name of an account.
    pub object: &'a str,
    pub result: ActionResult,
    /// Values before and after, or the reason of a failure.
    pub about: &'a str,
}

/// A recorded action.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct RecordedAction {
    pub id: i64,
    #[sqlx(try_from = "Millis")]
    pub at: OffsetDateTime,
    pub actor: String,
    /// Word of an [`OperatorAction`]; a newer host may have written one that this version does not know.
    pub action: String,
    pub object: String,
    pub result: String,
    pub about: String,
}

#[derive(Debug, Clone, Copy)]
pub struct OperatorActions<'a> {
    pub(super) store: &'a Store,
}

const COLUMNS: &str = "id, at, actor, action, object, result, about";

impl OperatorActions<'_> {
    /// Records an action. Longer texts are cut.
    ///
    /// # Errors
    /// The database failed.
    pub async fn record(
        &self,
        action: NewOperatorAction<'_>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        const RECORD: &str = "insert into operator_action (at, actor, action, object, result, about) \
            values ($1, $2, $3, $4, $5, $6)";
        on!(&self.store.writes, |pool| sqlx::query(RECORD)
            .bind(millis(now))
            .bind(stored(action.actor))
            .bind(action.action.word())
            .bind(stored(action.object))
            .bind(action.result.word())
            .bind(stored(action.about))
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// At most `limit` actions older than the one with the id `before`, newest first.
    ///
    /// # Errors
    /// The database failed.
    pub async fn list(
        &self,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<RecordedAction>, StoreError> {
        let sql = format!(
            "select {COLUMNS} from operator_action where id < $1 order by id desc limit $2"
        );
        on!(&self.store.reads, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(before.unwrap_or(i64::MAX))
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("operator_action"))
    }

    /// Deletes at most `limit` actions before a time. Returns how many were deleted.
    ///
    /// # Errors
    /// The database failed.
    pub async fn sweep(&self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        const DUE: &str = "select 1 from operator_action where at < $1 limit 1";
        const SWEEP: &str = "delete from operator_action where id in \
            (select id from operator_action where at < $1 order by at limit $2)";
        // Check with a read first: most sweeps find nothing and must not take the write lock.
        let due: Option<i32> = on!(&self.store.reads, |pool| sqlx::query_scalar(DUE)
            .bind(millis(before))
            .fetch_optional(pool)
            .await)?;
        if due.is_none() {
            return Ok(0);
        }
        Ok(on!(&self.store.writes, |pool| sqlx::query(SWEEP)
            .bind(millis(before))
            .bind(i64::from(limit))
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?)
    }
}

/// A text within the bound. `PostgreSQL` does not store NUL.
fn stored(text: &str) -> String {
    text.chars()
        .filter(|c| *c != '\0')
        .take(MAX_CHARS)
        .collect()
}
