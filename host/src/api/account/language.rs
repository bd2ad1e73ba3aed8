//! The language of an account's e-mails.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use crate::accounts::Action;
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::body::Fields;
use crate::api::error::ApiError;
use crate::api::parameters::NoQuery;
use crate::handlers::routes;
use crate::language::Language;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(account_language, set_account_language))
}

/// The language of an account's e-mails.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct LanguageBody {
    /// ISO 639-1 code: `sk` (the default) or `en`.
    #[schema(example = "sk", pattern = "^(sk|en)$")]
    language: String,
}

/// Get the language of the account's e-mails.
///
/// Webhooks do not depend on it: their texts are in Slovak for every account.
#[utoipa::path(
    get,
    path = "/v1/account/language",
    tag = "Account",
    responses(
        (status = 200, description = "The language.", body = LanguageBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn account_language(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
) -> Result<Json<LanguageBody>, ApiError> {
    let keys = app.context.store.keys();
    let language = keys.language(caller.account_id).await?;
    let language = language.unwrap_or_else(|| Language::Slovak.code().to_owned());
    Ok(Json(LanguageBody { language }))
}

/// Set the language of the account's e-mails.
///
/// It applies from the next e-mail.
#[utoipa::path(
    post,
    path = "/v1/account/language",
    tag = "Account",
    request_body = LanguageBody,
    responses(
        (status = 200, description = "The new language.", body = LanguageBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn set_account_language(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<LanguageBody>, ApiError> {
    caller.ensure(Action::ChangeAlerts)?;
    let mut fields = Fields::read(&headers, body, app.body_bounds()).await?;
    let text = fields.text("language");
    let language = text.as_deref().and_then(Language::parse);
    if language.is_none() && !fields.is_wrong("language") {
        fields.wrong("language", "expected sk or en");
    }
    fields.end(&["language"])?;
    let Some(language) = language else {
        return Err(ApiError::invalid("language", "expected sk or en"));
    };
    let keys = app.context.store.keys();
    keys.set_language(caller.account_id, language.code())
        .await?;
    Ok(Json(LanguageBody {
        language: language.code().to_owned(),
    }))
}
