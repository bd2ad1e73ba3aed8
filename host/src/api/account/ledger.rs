//! The ledger of the account: every change of its credits, as pages of JSON or as one CSV file.

use std::collections::BTreeMap;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use futures_util::{TryStreamExt, stream};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use super::shapes::GrantLeft;
use crate::accounts::Action;
use crate::api::App;
use crate::api::accept::ReportForm;
use crate::api::auth::Caller;
use crate::api::error::ApiError;
use crate::api::files::{CSV, download};
use crate::api::parameters::types::{EntryCursor, OneOf, Whole};
use crate::api::parameters::{Query, parameters};
use crate::clock::rfc3339;
use crate::handlers::routes;
use crate::store::{self, AccountId, Grant, Store, StoreError};
use crate::tables::csv::{Cell, append_row};

/// Entries that are read at a time for the CSV file.
const PAGE: i64 = 1_000;

const COLUMNS: [&str; 12] = [
    "entry",
    "booked_at",
    "kind",
    "amount",
    "balance",
    "grant",
    "grant_kind",
    "grant_granted",
    "grant_expires_at",
    "operation",
    "part",
    "about",
];

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(account_ledger))
}

parameters! {
    struct LedgerQuery in Query {
        /// `json` or `csv`. By default, the header `Accept` decides.
        format: OneOf<ReportForm>,
        /// Maximum number of entries of a JSON page, 1 to 1000. Default 100.
        limit: Whole<1, 1000, 100>,
        /// `meta.next_cursor` of the previous JSON page. CSV always has all entries.
        cursor: EntryCursor,
    }
}

/// A page of the ledger, newest entries first.
#[derive(Serialize, ToSchema)]
struct LedgerAnswer {
    data: Vec<LedgerEntry>,
    meta: LedgerMeta,
}

/// The position of a page in the ledger.
#[derive(Serialize, ToSchema)]
struct LedgerMeta {
    /// Maximum number of entries on this page.
    limit: u64,
    /// The `cursor` of the next page with older entries; null on the last page.
    #[schema(required)]
    next_cursor: Option<String>,
}

/// A change of the account's credits.
#[derive(Serialize, ToSchema)]
struct LedgerEntry {
    /// Number of the entry; entries are numbered from 1 without gaps.
    entry: i64,
    /// When it was booked, RFC 3339.
    booked_at: String,
    /// `grant`, `charge`, `refund`, `adjustment`, `expiry`, `overage` or `overage-refund`.
    kind: &'static str,
    /// Credits; negative if they were taken. Those of overage are not part of the balance.
    amount: i64,
    /// The balance after the entry.
    balance: i64,
    /// The grant whose credits changed, with its end; null for overage.
    #[schema(required)]
    grant: Option<GrantLeft>,
    /// Id of the operation; for calls the `X-Request-Id`.
    operation: String,
    /// Number of the entry within its operation, from 0.
    part: i64,
    /// The endpoint, the reference or the reason.
    about: String,
}

/// Get the ledger of the account.
///
/// As JSON, newest entries first and in pages. With `Accept: text/csv` or `format=csv`, all entries in the order of booking
/// as one CSV file (RFC 4180); texts that a spreadsheet would calculate begin with an apostrophe.
#[utoipa::path(
    get,
    path = "/v1/account/ledger",
    tag = "Account",
    params(LedgerQuery),
    responses(
        (status = 200, description = "A page of the ledger, or the whole ledger as CSV.", content(
            (LedgerAnswer = "application/json"),
            (String = "text/csv"),
        )),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn account_ledger(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<LedgerQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    caller.ensure(Action::ReadCredits)?;
    let (store, account) = (&app.context.store, caller.account_id);
    let form = ReportForm::requested_or_accepted(query.format, &headers);
    if form == ReportForm::Csv {
        return Ok(as_csv(store.clone(), account));
    }
    let most = i64::try_from(query.limit).unwrap_or(PAGE);
    let billing = store.billing();
    // One more than wanted tells whether there is another page.
    let mut entries = billing
        .entries_before(account, query.cursor, most + 1)
        .await?;
    let has_more = entries.len() as u64 > query.limit;
    if has_more {
        entries.pop();
    }
    let grants = grants_of(store, account, &entries).await?;
    let next_cursor = entries.last().filter(|_| has_more);
    Ok(Json(LedgerAnswer {
        meta: LedgerMeta {
            limit: query.limit,
            next_cursor: next_cursor.map(|entry| entry.number.to_string()),
        },
        data: entries
            .into_iter()
            .map(|entry| LedgerEntry::of(entry, &grants))
            .collect(),
    })
    .into_response())
}

/// The grants of entries, by their numbers.
async fn grants_of(
    store: &Store,
    account: AccountId,
    entries: &[store::LedgerEntry],
) -> Result<BTreeMap<i64, Grant>, StoreError> {
    let mut numbers: Vec<i64> = entries.iter().filter_map(|entry| entry.grant).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let grants = store.billing().grants_numbered(account, &numbers).await?;
    Ok(grants
        .into_iter()
        .map(|grant| (grant.number, grant))
        .collect())
}

impl LedgerEntry {
    fn of(entry: store::LedgerEntry, grants: &BTreeMap<i64, Grant>) -> Self {
        let grant = entry.grant.and_then(|number| grants.get(&number));
        Self {
            entry: entry.number,
            booked_at: rfc3339(entry.booked_at),
            kind: entry.kind.word(),
            amount: entry.amount,
            balance: entry.balance,
            grant: grant.map(GrantLeft::of),
            operation: entry.operation,
            part: entry.part,
            about: entry.about,
        }
    }
}

/// The whole ledger as a stream of pages, each read when the client has taken the one before.
fn as_csv(store: Store, account: AccountId) -> Response {
    let mut head = String::new();
    append_row(&mut head, COLUMNS.map(Cell::Text));
    let pages = stream::try_unfold(0, move |behind| {
        let store = store.clone();
        async move {
            let entries = store.billing().entries(account, behind, PAGE).await?;
            let Some(last) = entries.last().map(|entry| entry.number) else {
                return Ok(None);
            };
            let grants = grants_of(&store, account, &entries).await?;
            let mut table = String::new();
            for entry in &entries {
                append_entry(&mut table, entry, &grants);
            }
            Ok(Some((Bytes::from(table), last)))
        }
    });
    let pages = pages.inspect_err(|error: &StoreError| {
        // The status has been sent, so ending the stream early is the only way to signal the failure.
        tracing::error!(%error, "reading the ledger failed; the CSV file ends early");
    });
    let head = stream::iter([Ok(Bytes::from(head))]);
    let table = futures_util::StreamExt::chain(head, pages);
    download(CSV, "ledger.csv", Body::from_stream(table))
}

fn append_entry(table: &mut String, entry: &store::LedgerEntry, grants: &BTreeMap<i64, Grant>) {
    let grant = entry.grant.and_then(|number| grants.get(&number));
    let booked_at = rfc3339(entry.booked_at);
    let expires_at = grant.and_then(|grant| grant.expires_at).map(rfc3339);
    append_row(
        table,
        [
            Cell::Number(entry.number),
            Cell::Text(&booked_at),
            Cell::Text(entry.kind.word()),
            Cell::Number(entry.amount),
            Cell::Number(entry.balance),
            entry.grant.map_or(Cell::Empty, Cell::Number),
            grant.map_or(Cell::Empty, |grant| Cell::Text(grant.kind.word())),
            grant.map_or(Cell::Empty, |grant| Cell::Number(grant.granted)),
            expires_at.as_deref().map_or(Cell::Empty, Cell::Text),
            Cell::Text(&entry.operation),
            Cell::Number(entry.part),
            Cell::Text(&entry.about),
        ],
    );
}
