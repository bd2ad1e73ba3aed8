//! One line of a watch list: from what was read to its outcome.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::WatchLists;
use crate::batches::{Likely, Resolved};
use crate::connectors::cache::hex;
use crate::store::{
    AccountId, ClaimedWatchImport, EmailEnd, NewSubscription, StoreError, SubscribedEmail,
    Subscription, SubscriptionPut, WebhookStatus,
};
use crate::tables::{self, Reason, Value};

/// What the subscriptions of an import have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The event kinds in their stored form; `None` means all.
    pub kinds: Option<String>,
    pub webhook_url: Option<String>,
    /// The queue of the webhook's host.
    pub webhook_endpoint: Option<String>,
    pub emails: Vec<String>,
    /// Maximum number of companies that the account may watch.
    pub most: u64,
    /// Whether new addresses must confirm before anything else is sent to them.
    pub confirm: bool,
}

/// A line that waits for its import.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredLine {
    line: i64,
    read: String,
    says: Says,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Says {
    Ico { ico: String, is_repaired: bool },
    Name(String),
    Empty,
    NotAnIco,
    CheckDigit,
}

impl StoredLine {
    pub(super) fn of(line: tables::Line) -> Self {
        Self {
            line: i64::try_from(line.number).unwrap_or(i64::MAX),
            read: line.read,
            says: match line.value {
                Value::Ico { ico, is_repaired } => Says::Ico {
                    ico: ico.as_str().to_owned(),
                    is_repaired,
                },
                Value::Name(name) => Says::Name(name),
                Value::Rejected(Reason::Empty) => Says::Empty,
                Value::Rejected(Reason::NotAnIco) => Says::NotAnIco,
                Value::Rejected(Reason::CheckDigit) => Says::CheckDigit,
            },
        }
    }
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ImportOutcome)]
pub enum LineOutcome {
    /// The account watches the company from now on.
    Created,
    /// The account watched the company already; its subscription has the new target now.
    Updated,
    /// The account watches the company already with the same target.
    Unchanged,
    /// Nothing was done; `reason` says why.
    Rejected,
}

/// Why a line was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ImportRejection)]
pub enum Rejection {
    /// The row has values, but no number and no name.
    Empty,
    /// The text is neither a registration number nor a name.
    NotAnIco,
    /// Digits are missing, and with leading zeros the check digit is wrong.
    CheckDigit,
    /// No register has the company.
    CompanyUnknown,
    /// No company has a name that is similar enough; `candidates` lists the nearest.
    NameUnknown,
    /// Several companies have the name; `candidates` lists them.
    NameAmbiguous,
    /// An earlier line means the same company; `duplicate_of` is its number.
    Duplicate,
    /// The register could not be read now. Send the line again later.
    Unreadable,
    /// The account watches as many companies as its plan allows.
    PlanLimit,
    /// Something went wrong in this service. Send the line again later.
    Failed,
}

/// The report about one line.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ImportLine)]
pub struct ReportLine {
    /// Number of the line or row in the file, from 1.
    line: i64,
    /// The text that was read.
    read: String,
    /// Registration number (IČO) of the company; null if none was found.
    #[schema(required)]
    ico: Option<String>,
    /// Whether missing leading zeros of the number were added.
    repaired: bool,
    pub(super) outcome: LineOutcome,
    /// Why the line was rejected; null otherwise.
    #[schema(required)]
    reason: Option<Rejection>,
    /// The earlier line with the same company; null if there is none.
    #[schema(required)]
    duplicate_of: Option<i64>,
    /// Companies that a name may mean; only for rejected names.
    candidates: Vec<Likely>,
    /// Id of the subscription; null in a dry run and if there is none.
    #[schema(required)]
    subscription_id: Option<String>,
}

impl ReportLine {
    fn rejected(line: &StoredLine, reason: Rejection) -> Self {
        Self {
            line: line.line,
            read: line.read.clone(),
            ico: None,
            repaired: false,
            outcome: LineOutcome::Rejected,
            reason: Some(reason),
            duplicate_of: None,
            candidates: Vec::new(),
            subscription_id: None,
        }
    }

    pub(super) fn failed(line: &StoredLine) -> Self {
        Self::rejected(line, Rejection::Failed)
    }

    fn with(mut self, candidates: Vec<Likely>) -> Self {
        self.candidates = candidates;
        self
    }
}

/// What a part knows of the lines before the current one.
#[derive(Default)]
pub(super) struct Known {
    /// The first line of each company.
    pub(super) first: HashMap<String, i64>,
    /// Companies that lines of this part named first.
    pub(super) new: Vec<(String, i64)>,
    /// Subscriptions that this import has created, or would have.
    pub(super) created: u64,
}

/// A company of a line.
struct Company<'a> {
    line: &'a StoredLine,
    ico: String,
    is_repaired: bool,
}

impl Company<'_> {
    fn report(self, outcome: LineOutcome, subscription_id: Option<String>) -> ReportLine {
        ReportLine {
            ico: Some(self.ico),
            repaired: self.is_repaired,
            outcome,
            reason: None,
            subscription_id,
            ..ReportLine::failed(self.line)
        }
    }

    fn rejected(self, reason: Rejection) -> ReportLine {
        ReportLine {
            ico: Some(self.ico),
            repaired: self.is_repaired,
            ..ReportLine::rejected(self.line, reason)
        }
    }
}

impl WatchLists {
    /// Imports one line of the list.
    pub(super) async fn line(
        &self,
        claimed: &ClaimedWatchImport,
        target: &Target,
        line: &StoredLine,
        known: &mut Known,
    ) -> Result<ReportLine, StoreError> {
        let company = match self.company(line).await {
            Ok(company) => company,
            Err(rejected) => return Ok(rejected),
        };
        if !known.first.contains_key(&company.ico) {
            // The company may be new to this part, but not to the import.
            let (imports, icos) = (self.store().watch_imports(), [company.ico.clone()]);
            known
                .first
                .extend(imports.first_lines(&claimed.id, &icos).await?);
        }
        if let Some(first) = known.first.get(&company.ico).copied() {
            let mut rejected = company.rejected(Rejection::Duplicate);
            rejected.duplicate_of = Some(first);
            return Ok(rejected);
        }
        known.first.insert(company.ico.clone(), line.line);
        known.new.push((company.ico.clone(), line.line));
        self.subscribe(claimed, target, company, known).await
    }

    /// The company that a line means, or the report if it means none.
    async fn company<'a>(&self, line: &'a StoredLine) -> Result<Company<'a>, ReportLine> {
        let rejected = |reason| ReportLine::rejected(line, reason);
        let batches = &self.0.batches;
        let (resolved, is_repaired, unknown) = match &line.says {
            Says::Ico { ico, is_repaired } => {
                let resolved = batches.resolve_ico(ico).await;
                (resolved, *is_repaired, Rejection::CompanyUnknown)
            }
            Says::Name(name) => {
                let resolved = batches.resolve_name(name).await;
                (resolved, false, Rejection::NameUnknown)
            }
            Says::Empty => return Err(rejected(Rejection::Empty)),
            Says::NotAnIco => return Err(rejected(Rejection::NotAnIco)),
            Says::CheckDigit => return Err(rejected(Rejection::CheckDigit)),
        };
        match resolved {
            Resolved::Company(ico) => Ok(Company {
                line,
                ico,
                is_repaired,
            }),
            Resolved::Unknown(candidates) => Err(rejected(unknown).with(candidates)),
            Resolved::Ambiguous(candidates) => {
                Err(rejected(Rejection::NameAmbiguous).with(candidates))
            }
            Resolved::Unreadable => Err(rejected(Rejection::Unreadable)),
        }
    }

    async fn subscribe(
        &self,
        claimed: &ClaimedWatchImport,
        target: &Target,
        company: Company<'_>,
        known: &mut Known,
    ) -> Result<ReportLine, StoreError> {
        let of_account = self.store().subscriptions_of(claimed.account_id);
        let id = subscription_id(&claimed.id, company.line.line);
        let existing = of_account.find(&company.ico).await?;
        if let Some(existing) = &existing
            && is_same(existing, target)
        {
            // A repeated part finds what its first attempt has created.
            let outcome = if existing.id == id {
                LineOutcome::Created
            } else {
                LineOutcome::Unchanged
            };
            return Ok(company.report(outcome, Some(existing.id.clone())));
        }
        if claimed.dry_run {
            if existing.is_some() {
                return Ok(company.report(LineOutcome::Updated, None));
            }
            let watched = u64::try_from(of_account.count().await?).unwrap_or_default();
            if watched + known.created >= target.most {
                return Ok(company.rejected(Rejection::PlanLimit));
            }
            known.created += 1;
            return Ok(company.report(LineOutcome::Created, None));
        }
        let new = NewSubscription {
            id,
            ico: company.ico.clone(),
            kinds: target.kinds.clone(),
            webhook_url: target.webhook_url.clone(),
            webhook_endpoint: target.webhook_endpoint.clone(),
            emails: target.emails.clone(),
            secret: claimed.secret.clone(),
            most: Some(target.most),
            confirm: target.confirm,
        };
        match of_account.put(&new, self.now()).await? {
            SubscriptionPut::Created { stored, asked } => {
                self.ask(claimed.account_id, &asked).await?;
                Ok(company.report(LineOutcome::Created, Some(stored.id)))
            }
            SubscriptionPut::Updated { stored, asked, .. } => {
                self.ask(claimed.account_id, &asked).await?;
                Ok(company.report(LineOutcome::Updated, Some(stored.id)))
            }
            SubscriptionPut::TooMany => Ok(company.rejected(Rejection::PlanLimit)),
            // Only requests with an idempotency key are repeated.
            SubscriptionPut::Repeated => Ok(company.rejected(Rejection::Failed)),
        }
    }

    async fn ask(&self, account: AccountId, addresses: &[String]) -> Result<(), StoreError> {
        if addresses.is_empty() {
            return Ok(());
        }
        self.0.notifier.ask(account, addresses).await
    }
}

/// Whether a subscription has a target already, so that sending it again would change nothing.
fn is_same(existing: &Subscription, target: &Target) -> bool {
    // An address that rejected mail is tried again; one whose owner unsubscribed stays ended.
    let stays = |email: &&SubscribedEmail| {
        email.ended_at.is_none() || email.reason == Some(EmailEnd::Unsubscribed)
    };
    let has = |address: &String| {
        let mut staying = existing.emails.iter().filter(stays);
        staying.any(|email| email.address == *address)
    };
    let is_wanted = |email: &SubscribedEmail| target.emails.contains(&email.address);
    let mut active = existing
        .emails
        .iter()
        .filter(|email| email.ended_at.is_none());
    let has_same_emails = target.emails.iter().all(has) && active.all(is_wanted);
    let is_active = matches!(existing.webhook_state, None | Some(WebhookStatus::Active));
    existing.webhook_url == target.webhook_url
        && existing.kinds == target.kinds
        && has_same_emails
        && is_active
}

/// The id of the subscription that a line creates. It is the same when the part is repeated.
fn subscription_id(import: &str, line: i64) -> String {
    let digest = Sha256::digest(format!("{import}/{line}"));
    let digest = hex(&digest);
    format!("sub_{}", &digest[..32])
}

/// Encodes what is stored as JSON.
pub(super) fn encode(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("texts and numbers always become JSON")
}

/// Decodes what was stored as JSON.
pub(super) fn decode<T: for<'a> Deserialize<'a>>(stored: &str) -> Result<T, StoreError> {
    serde_json::from_str(stored).map_err(|error| StoreError::Unreadable {
        table: "watch_import",
        why: error.to_string(),
    })
}
