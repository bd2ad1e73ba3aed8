//! People of the account and their roles. Every call needs a key with `manage`.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use super::keys::name_in;
use crate::accounts::Action;
use crate::accounts::sign_in_links::{self, Occasion, Recipient, SendOutcome};
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::body::Fields;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::parameters::types::Id;
use crate::api::parameters::{NoQuery, Path, parameters};
use crate::api::search::ListMeta;
use crate::clock::rfc3339;
use crate::handlers::routes;
use crate::store::{Invited, Member, MemberChange, MemberRole, MemberState};

/// Maximum number of people of an account.
const MAX_MEMBERS: u32 = 100;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(members, invite_member))
        .routes(routes!(change_member, remove_member))
        .routes(routes!(invite_member_again))
}

parameters! {
    struct MemberPath in Path {
        /// Number of the member, from the list.
        member_id: Id,
    }
}

/// The people of the account.
#[derive(Serialize, ToSchema)]
struct Members {
    data: Vec<MemberBody>,
    meta: ListMeta,
}

/// A person of the account.
#[derive(Serialize, ToSchema)]
#[schema(as = Member)]
struct MemberBody {
    /// Number of the member.
    id: i64,
    /// E-mail address in lower case.
    email: String,
    /// Name of the person.
    name: String,
    /// `owner`, `developer`, `billing` or `read`.
    role: &'static str,
    /// `invited` until the first sign-in, then `active`.
    state: &'static str,
    /// When the person was invited, RFC 3339.
    created_at: String,
    /// When the person first signed in, RFC 3339; null before.
    #[schema(required)]
    joined_at: Option<String>,
}

impl MemberBody {
    fn of(member: Member) -> Self {
        Self {
            id: member.id,
            email: member.email,
            name: member.name,
            role: member.role.word(),
            state: member.state.word(),
            created_at: rfc3339(member.created_at),
            joined_at: member.joined_at.map(rfc3339),
        }
    }
}

/// A person to invite.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a body that `Fields` reads")]
struct NewMemberBody {
    /// E-mail address of the person. Upper and lower case are not distinguished.
    #[schema(example = "eva@shop.example")]
    email: String,
    /// Name of the person, 1 to 100 characters.
    #[schema(example = "Eva Malá")]
    name: String,
    /// `owner`, `developer`, `billing` or `read`.
    #[schema(example = "developer", pattern = "^(owner|developer|billing|read)$")]
    role: String,
}

/// A change of a member. What is not named stays as it is.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a body that `Fields` reads")]
struct MemberChangeBody {
    /// Name of the person, 1 to 100 characters.
    name: Option<String>,
    /// `owner`, `developer`, `billing` or `read`.
    #[schema(pattern = "^(owner|developer|billing|read)$")]
    role: Option<String>,
}

fn no_such_member() -> ApiError {
    ApiError::new(Code::NotFound, "the account has no such member")
}

fn number(path: &MemberPath) -> Result<i64, ApiError> {
    path.member_id.parse().ok().ok_or_else(no_such_member)
}

/// The role of a body. `None` if it is missing or wrong.
fn role_in(fields: &mut Fields) -> Option<MemberRole> {
    let role = MemberRole::try_from(fields.text("role")?);
    if role.is_err() {
        fields.wrong("role", "expected owner, developer, billing or read");
    }
    role.ok()
}

/// List the people of the account.
///
/// In the order of their invitations.
#[utoipa::path(
    get,
    path = "/v1/account/members",
    tag = "Account",
    responses(
        (status = 200, description = "All people of the account.", body = Members),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn members(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
) -> Result<Json<Members>, ApiError> {
    caller.ensure(Action::ReadMembers)?;
    let of_account = app.context.store.members_of(caller.account_id);
    let members = of_account.list().await?;
    Ok(Json(Members {
        meta: ListMeta::whole(members.len() as u64),
        data: members.into_iter().map(MemberBody::of).collect(),
    }))
}

/// Invite a person to the account.
///
/// The person gets an e-mail with a link that signs them in within 7 days, if the server has a mail server and a public
/// address. A person is a member once. Repeating the same invitation answers with the member. An account has at most 100 people.
#[utoipa::path(
    post,
    path = "/v1/account/members",
    tag = "Account",
    request_body = NewMemberBody,
    responses(
        (status = 200, description = "The person is a member already, with the same name and role.", body = MemberBody),
        (status = 201, description = "The invited person.", body = MemberBody),
        (status = 403, description = "The key may not manage the account, or the account has 100 people.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn invite_member(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    caller.ensure(Action::ManageMembers)?;
    let mut fields = Fields::read(&headers, body, app.body_bounds()).await?;
    let email = fields.text("email").map(|email| email.trim().to_owned());
    let is_address = email.as_deref().is_some_and(crate::mail::is_address);
    if !is_address && !fields.is_wrong("email") {
        fields.wrong("email", "expected an e-mail address");
    }
    let (name, role) = (name_in(&mut fields), role_in(&mut fields));
    for (field, is_missing) in [("name", name.is_none()), ("role", role.is_none())] {
        if is_missing && !fields.is_wrong(field) {
            fields.wrong(field, "it is missing");
        }
    }
    fields.end(&["email", "name", "role"])?;
    let (Some(email), Some(name), Some(role)) = (email, name, role) else {
        return Err(ApiError::internal());
    };
    let of_account = app.context.store.members_of(caller.account_id);
    let now = app.context.now();
    match of_account
        .invite(&email, &name, role, MAX_MEMBERS, now)
        .await?
    {
        Invited::Created(member) => {
            // The person is invited in any case; the e-mail can be sent again.
            if let SendOutcome::TooMany(_) = write_to(&app, &caller, &member).await? {
                tracing::info!(
                    member = member.id,
                    "an invitation was not sent: its address had too many e-mails within an hour"
                );
            }
            Ok((StatusCode::CREATED, Json(MemberBody::of(member))).into_response())
        }
        Invited::Existing(member) if member.name == name && member.role == role => {
            Ok(Json(MemberBody::of(member)).into_response())
        }
        Invited::Existing(_) => {
            let why = "the person is a member already, with another name or role";
            Err(ApiError::invalid("email", why))
        }
        Invited::TooMany => Err(ApiError::new(
            Code::Forbidden,
            format!("the account has {MAX_MEMBERS} people; remove one first"),
        )),
    }
}

/// Send an invitation again.
///
/// For a person who has not signed in yet. An address gets a limited number of e-mails within an hour.
#[utoipa::path(
    post,
    path = "/v1/account/members/{member_id}/invitation",
    tag = "Account",
    params(MemberPath),
    responses(
        (status = 200, description = "The e-mail is on its way.", body = MemberBody),
        (status = 404, description = "The account has no such member.", body = ErrorBody),
        (status = 422, description = "The person has signed in before.", body = ErrorBody),
        (status = 503, description = "The server cannot send e-mails with links.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn invite_member_again(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    Path(path): Path<MemberPath>,
) -> Result<Json<MemberBody>, ApiError> {
    caller.ensure(Action::ManageMembers)?;
    let id = number(&path)?;
    let members = app
        .context
        .store
        .members_of(caller.account_id)
        .list()
        .await?;
    let member = members.into_iter().find(|member| member.id == id);
    let member = member.ok_or_else(no_such_member)?;
    if member.state == MemberState::Active {
        let why = "the person has signed in before and needs no invitation";
        return Err(ApiError::invalid("member_id", why));
    }
    match write_to(&app, &caller, &member).await? {
        SendOutcome::Queued => Ok(Json(MemberBody::of(member))),
        SendOutcome::TooMany(until) => {
            let now = app.context.now();
            let seconds = until.map_or(3_600, |until| (until - now).whole_seconds().max(1));
            let message = "the address had too many e-mails within an hour";
            let error = ApiError::new(Code::RateLimitExceeded, message);
            Err(error.retry_after(seconds.unsigned_abs()))
        }
        SendOutcome::NoMail => {
            let message = "the server has no mail server or no public address for links";
            Err(ApiError::new(Code::ServiceUnavailable, message))
        }
    }
}

/// Sends an invitation in the language of the account.
async fn write_to(app: &App, caller: &Caller, member: &Member) -> Result<SendOutcome, ApiError> {
    let (store, config) = (&app.context.store, app.context.config());
    let to = Recipient {
        member_id: member.id,
        email: &member.email,
        account: &caller.customer.account,
        language: caller.customer.language,
    };
    let (occasion, now) = (Occasion::Invitation, app.context.now());
    let sent = sign_in_links::send(store, &config, &app.sealer, to, occasion, now);
    Ok(sent.await?)
}

/// Change the name or the role of a member.
///
/// A new role applies to running sessions at once. The last owner keeps the role.
#[utoipa::path(
    patch,
    path = "/v1/account/members/{member_id}",
    tag = "Account",
    params(MemberPath),
    request_body = MemberChangeBody,
    responses(
        (status = 200, description = "The changed member.", body = MemberBody),
        (status = 404, description = "The account has no such member.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn change_member(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    Path(path): Path<MemberPath>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<MemberBody>, ApiError> {
    caller.ensure(Action::ManageMembers)?;
    let mut fields = Fields::read(&headers, body, app.body_bounds()).await?;
    let (name, role) = (name_in(&mut fields), role_in(&mut fields));
    fields.end(&["name", "role"])?;
    let of_account = app.context.store.members_of(caller.account_id);
    let changed = of_account.change(number(&path)?, name.as_deref(), role);
    answer(changed.await?, "role")
}

/// Remove a member.
///
/// Sign-in links and sessions of the person end on every server. The last owner stays.
#[utoipa::path(
    delete,
    path = "/v1/account/members/{member_id}",
    tag = "Account",
    params(MemberPath),
    responses(
        (status = 200, description = "The member, as it was.", body = MemberBody),
        (status = 404, description = "The account has no such member.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn remove_member(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    Path(path): Path<MemberPath>,
) -> Result<Json<MemberBody>, ApiError> {
    caller.ensure(Action::ManageMembers)?;
    let of_account = app.context.store.members_of(caller.account_id);
    answer(of_account.remove(number(&path)?).await?, "member_id")
}

/// The answer to a change; `parameter` is named if the change would leave no owner.
fn answer(change: MemberChange, parameter: &str) -> Result<Json<MemberBody>, ApiError> {
    match change {
        MemberChange::Done(member) => Ok(Json(MemberBody::of(member))),
        MemberChange::NotFound => Err(no_such_member()),
        MemberChange::LastOwner => {
            let why = "the account needs an owner; make another person owner first";
            Err(ApiError::invalid(parameter, why))
        }
    }
}
