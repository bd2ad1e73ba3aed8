//! Imports of watch lists: a file of companies becomes subscriptions, with a report line by line.

mod report;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use super::targets::{emails, kinds, webhook};
use crate::accounts::Action;
use crate::api::App;
use crate::api::accept::ReportForm;
use crate::api::auth::Caller;
use crate::api::body::Fields;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::files::{FileForm, lines_of};
use crate::api::idempotency::{self, IdempotencyKey};
use crate::api::parameters::types::{Id, OneOf, Switch, Text};
use crate::api::parameters::{NoQuery, Path, Query, of_headers, parameters};
use crate::api::search::ListMeta;
use crate::clock::rfc3339;
use crate::config::Secret;
use crate::handlers::routes;
use crate::notifications::new_secret;
use crate::store::{AccountId, KeyedRequest, WatchImport, WatchImportCreation};
use crate::tables::{Line, PreferredColumn};
use crate::watch_lists::{ReportLine, Target};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(imports, import))
        .routes(routes!(import_report))
}

parameters! {
    struct ImportQuery in Query {
        /// URL to which webhooks are posted, for all companies of the file.
        webhook_url: Text,
        /// E-mail recipients for all companies, comma-separated, at most 20 addresses.
        notification_emails: Text,
        /// Event kinds to send, comma-separated. All kinds if this is missing, empty or `updated`.
        events: Text,
        /// `1`: only report what the import would do. Default 0.
        dry_run: Switch,
        /// `json` or `csv`. By default, the header `Accept` decides.
        format: OneOf<ReportForm>,
    }
}

parameters! {
    struct ImportHeaders in Header {
        /// Idempotency key of the client's choice, 1 to 255 characters. Within 24 hours (configurable), the same
        /// request with the same key returns the report of the import that the first request created.
        key as "Idempotency-Key": IdempotencyKey,
    }
}

parameters! {
    struct ImportPath in Path {
        /// Id of the import, from the response that created it.
        import_id: Id,
    }
}

parameters! {
    struct ReportQuery in Query {
        /// `json` or `csv`. By default, the header `Accept` decides.
        format: OneOf<ReportForm>,
    }
}

/// Report of an import: what became of each line so far.
#[derive(Serialize, ToSchema)]
struct ImportReport {
    /// The finished lines, in the order of the file.
    data: Vec<ReportLine>,
    meta: ImportMeta,
    /// Secret that signs the webhooks of all new subscriptions of the import. Shown only in the response that creates
    /// it.
    secret: Option<String>,
}

/// State of an import.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ImportState {
    Processing,
    Completed,
}

/// Progress of an import.
#[derive(Debug, Serialize, ToSchema)]
struct ImportMeta {
    id: String,
    status: ImportState,
    /// Whether only a report was wanted, and nothing is changed.
    dry_run: bool,
    /// Number of lines in the list.
    total: i64,
    /// Number of finished lines: the sum of the next four.
    processed: i64,
    created: i64,
    updated: i64,
    unchanged: i64,
    rejected: i64,
    /// RFC 3339, like all times.
    created_at: String,
    #[schema(required)]
    completed_at: Option<String>,
    /// When the report is deleted; null before the import has ended.
    #[schema(required)]
    expires_at: Option<String>,
}

impl ImportMeta {
    fn of(import: &WatchImport) -> Self {
        Self {
            id: import.id.clone(),
            status: match import.completed_at {
                Some(_) => ImportState::Completed,
                None => ImportState::Processing,
            },
            dry_run: import.dry_run,
            total: import.lines,
            processed: import.processed,
            created: import.created,
            updated: import.updated,
            unchanged: import.unchanged,
            rejected: import.rejected,
            created_at: rfc3339(import.created_at),
            completed_at: import.completed_at.map(rfc3339),
            expires_at: import.expires_at.map(rfc3339),
        }
    }
}

/// The newest imports of an account.
#[derive(Serialize, ToSchema)]
struct Imports {
    data: Vec<ImportMeta>,
    meta: ListMeta,
}

/// List the imports of watch lists.
///
/// Newest first, at most 50. Reports are kept for 7 days by default.
#[utoipa::path(
    get,
    path = "/v1/notifications/imports",
    tag = "Notifications",
    responses(
        (status = 200, description = "The newest imports.", body = Imports),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn imports(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
) -> Result<Json<Imports>, ApiError> {
    caller.ensure(Action::ReadWatches)?;
    let found = app.watch_lists.newest(caller.account_id).await?;
    Ok(Json(Imports {
        meta: ListMeta::whole(found.len() as u64),
        data: found.iter().map(ImportMeta::of).collect(),
    }))
}

/// Watch all companies of a file.
///
/// The body is a CSV file or an XLSX workbook with registration numbers or names; the columns are found by their headers
/// or by their content. Each line does what `POST /v1/notifications` does for one company, with the same webhook, addresses
/// and event kinds. A line that cannot be used is reported with a reason and does not affect the others. Sending a file
/// again changes nothing for companies that are watched with the same target. A form has the file in its field `file`.
#[utoipa::path(
    post,
    path = "/v1/notifications/imports",
    tag = "Notifications",
    params(ImportQuery, ImportHeaders),
    request_body(content(
        (String = "text/csv"),
        (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        (FileForm = "multipart/form-data"),
    ), description = "A list of companies."),
    responses(
        (status = 200, description = "The report about every line.", content(
            (ImportReport = "application/json"),
            (String = "text/csv"),
        )),
        (status = 202, description = "The import runs in the background; the lines that are finished.", content(
            (ImportReport = "application/json"),
            (String = "text/csv"),
        )),
        (status = 422, description = "A parameter is wrong, the file is not a table or too large a table, or the idempotency key was used for another request.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn import(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<ImportQuery>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let asked_at = Instant::now();
    caller.ensure(Action::ChangeWatches)?;
    let form = ReportForm::requested_or_accepted(query.format, &headers);
    let dry_run = query.dry_run;
    let target = target(&app, &caller, query).await?;
    let lines = lines_of(&app, &headers, body, PreferredColumn::Ico).await?;
    let ImportHeaders { key } = of_headers(&headers)?;
    let keyed = key.map(|key| keyed(&app, key, &target, dry_run, &lines));
    let order = ImportSubmission {
        app,
        account: caller.account_id,
        has_secret: target.webhook_url.is_some() && !dry_run,
        form,
        asked_at,
    };
    if let Some(repeated) = order.repeated(keyed.as_ref()).await? {
        return Ok(repeated);
    }
    let (account, secret) = (order.account, new_secret());
    let made = order
        .app
        .watch_lists
        .create(account, &target, &secret, dry_run, lines, keyed.as_ref())
        .await?;
    match made {
        WatchImportCreation::Created(import) => order.answer(import, Some(secret)).await,
        WatchImportCreation::TooMany => {
            let message = "the account has too many imports that have not ended";
            Err(ApiError::new(Code::RateLimitExceeded, message).retry_after(60))
        }
        // The same request was sent twice concurrently, and the other one won.
        WatchImportCreation::Repeated => order
            .repeated(keyed.as_ref())
            .await?
            .ok_or_else(ApiError::service_unavailable),
    }
}

/// Binds a key to a request: what is done with the target, and every line with its number and what was read.
fn keyed(app: &App, key: String, target: &Target, dry_run: bool, lines: &[Line]) -> KeyedRequest {
    let target = serde_json::to_string(target).expect("texts and numbers become JSON");
    let dry_run = dry_run.to_string();
    let lines: Vec<String> = lines
        .iter()
        .map(|line| format!("{} {}", line.number, line.read))
        .collect();
    let parts = ["watch-import", &target, &dry_run];
    let lines = lines.iter().map(String::as_str);
    idempotency::keyed(app, key, parts.into_iter().chain(lines))
}

/// A request for an import, and how its answer is written.
struct ImportSubmission {
    app: App,
    account: AccountId,
    /// Whether the answer has the secret of new webhooks.
    has_secret: bool,
    form: ReportForm,
    asked_at: Instant,
}

impl ImportSubmission {
    /// The answer if the same request was already processed.
    async fn repeated(&self, keyed: Option<&KeyedRequest>) -> Result<Option<Response>, ApiError> {
        let Some(known) = idempotency::known(&self.app, self.account, keyed).await? else {
            return Ok(None);
        };
        let lists = &self.app.watch_lists;
        let import = lists.find(self.account, &known.subject).await?;
        let import = import.ok_or_else(no_such_import)?;
        let secret = if self.has_secret {
            lists.secret(self.account, &import.id).await?
        } else {
            None
        };
        let answer = self.answer(import, secret).await?;
        Ok(Some(idempotency::replayed(answer)))
    }

    /// The report of an import, which is complete if the import is short.
    async fn answer(
        &self,
        import: WatchImport,
        secret: Option<Secret>,
    ) -> Result<Response, ApiError> {
        let lists = &self.app.watch_lists;
        let import = lists.ended(self.account, import, self.asked_at).await?;
        let status = match import.completed_at {
            Some(_) => StatusCode::OK,
            None => StatusCode::ACCEPTED,
        };
        let secret = secret.filter(|_| self.has_secret);
        let secret = secret.map(|secret| secret.reveal().to_owned());
        let mut response = report::response(&self.app, self.account, import, self.form, secret);
        *response.status_mut() = status;
        Ok(response)
    }
}

fn no_such_import() -> ApiError {
    ApiError::new(Code::NotFound, "there is no such import, or it has expired")
}

/// Get the report of an import.
///
/// While the import runs, the report has the lines that are finished.
#[utoipa::path(
    get,
    path = "/v1/notifications/imports/{import_id}",
    tag = "Notifications",
    params(ImportPath, ReportQuery),
    responses(
        (status = 200, description = "The report.", content(
            (ImportReport = "application/json"),
            (String = "text/csv"),
        )),
        (status = 404, description = "The account has no such import, or it has expired.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn import_report(
    State(app): State<App>,
    caller: Caller,
    Path(path): Path<ImportPath>,
    Query(query): Query<ReportQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    caller.ensure(Action::ReadWatches)?;
    let account = caller.account_id;
    let import = app.watch_lists.find(account, &path.import_id).await?;
    let import = import.ok_or_else(no_such_import)?;
    let form = ReportForm::requested_or_accepted(query.format, &headers);
    Ok(report::response(&app, account, import, form, None))
}

/// The target of an import, with the same checks as that of a subscription.
async fn target(app: &App, caller: &Caller, query: ImportQuery) -> Result<Target, ApiError> {
    let list = |text: String| {
        let items = text.split(',').map(str::trim);
        let items = items.filter(|item| !item.is_empty()).map(Value::from);
        Value::Array(items.collect())
    };
    let url = query.webhook_url.filter(|url| !url.trim().is_empty());
    let members = [
        ("webhook_url", url.map(Value::from)),
        ("notification_emails", query.notification_emails.map(list)),
        ("events", query.events.map(list)),
    ];
    let given = members
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let mut fields = Fields::of(given.collect());
    let webhook = webhook(app, &mut fields).await;
    let emails = emails(&mut fields, "notification_emails");
    let kinds = kinds(app, &mut fields);
    let targets = ["webhook_url", "notification_emails"];
    let are_right = !targets.iter().any(|name| fields.is_wrong(name));
    if webhook.is_none() && emails.is_empty() && are_right {
        let why = "a webhook, at least one address, or both are preferred";
        fields.wrong("webhook_url", why);
    }
    fields.end(&["webhook_url", "notification_emails", "events"])?;
    let endpoint = webhook.as_ref().map(|webhook| webhook.endpoint.clone());
    Ok(Target {
        kinds,
        webhook_url: webhook.map(|webhook| webhook.url),
        webhook_endpoint: endpoint,
        emails,
        most: caller.plan.watched_companies.into(),
        confirm: app.config.notifications.confirm_emails,
    })
}
