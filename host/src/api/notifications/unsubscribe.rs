//! Pages on which the owner of an address stops or confirms an account's e-mails. They need no key, only the
//! link from an e-mail.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use utoipa_axum::router::OpenApiRouter;

use crate::api::App;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::parameters::types::{RequiredText, Text};
use crate::api::parameters::{Query, parameters};
use crate::handlers::routes;
use crate::mail::UnsubscribeFrom;
use crate::notifications::{Confirming, confirm_form};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(unsubscribe_page, unsubscribe))
        .routes(routes!(confirm_page, confirm))
}

parameters! {
    struct Link in Query {
        /// Part of the link in an e-mail about a subscription.
        subscription: Text,
        /// Part of the link in other e-mails of an account.
        account: Text,
        /// Part of the link in an e-mail.
        address: RequiredText,
        /// Part of the link in an e-mail.
        token: RequiredText,
    }
}

impl Link {
    /// # Errors
    /// 404 if this service sent no such link.
    fn check(&self, app: &App) -> Result<UnsubscribeFrom<'_>, ApiError> {
        let from = match (&self.subscription, &self.account) {
            (Some(number), None) => UnsubscribeFrom::Subscription(number),
            (None, Some(number)) => UnsubscribeFrom::Account(number),
            (Some(_), Some(_)) | (None, None) => return Err(no_such_link()),
        };
        let notifier = &app.notifier;
        if notifier.is_unsubscribe_link(from, &self.address, &self.token) {
            Ok(from)
        } else {
            Err(no_such_link())
        }
    }
}

fn no_such_link() -> ApiError {
    ApiError::new(Code::NotFound, "there is nothing at this link")
}

fn page(status: StatusCode, title: &str, form: &str) -> Response {
    let html = format!(
        "<!doctype html>\n<html lang=\"sk\">\n<head><meta charset=\"utf-8\"><title>{title}</title></head>\n\
         <body>\n<h1>{title}</h1>\n{form}</body>\n</html>\n"
    );
    (status, Html(html)).into_response()
}

/// Show the page for unsubscribing an address.
///
/// Opening the page changes nothing; its button unsubscribes.
#[utoipa::path(
    get,
    path = "/v1/notifications/unsubscribe",
    tag = "Notifications",
    params(Link),
    responses(
        (status = 200, description = "The page.", content_type = "text/html", body = String),
        (status = 404, description = "This service did not create the link.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
)]
async fn unsubscribe_page(
    State(app): State<App>,
    Query(link): Query<Link>,
) -> Result<Response, ApiError> {
    link.check(&app)?;
    let form = "<form method=\"post\"><button>Už neposielať / End these messages</button></form>\n";
    let title = "Ukončiť správy o spoločnostiach / End messages about companies";
    Ok(page(StatusCode::OK, title, form))
}

/// Unsubscribe an address.
///
/// Supports one-click unsubscription in mail programs (RFC 8058).
#[utoipa::path(
    post,
    path = "/v1/notifications/unsubscribe",
    tag = "Notifications",
    params(Link),
    responses(
        (status = 200, description = "The address is unsubscribed.", content_type = "text/html", body = String),
        (status = 410, description = "The link names a subscription that has been deleted. Links of newer e-mails name the account.", content_type = "text/html", body = String),
        (status = 404, description = "This service did not create the link.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
)]
async fn unsubscribe(
    State(app): State<App>,
    Query(link): Query<Link>,
) -> Result<Response, ApiError> {
    let from = link.check(&app)?;
    // Unsubscribing twice gives the same response.
    let notifier = &app.notifier;
    let again = notifier.unsubscribe(from, &link.address, &link.token);
    let Some(again) = again.await? else {
        let title = "Odkaz už neplatí; použite odkaz z novšej správy / \
            This link is no longer valid; use the link of a newer message";
        return Ok(page(StatusCode::GONE, title, ""));
    };
    let form = confirm_form(&again, "Chcem ich znova / I want them again");
    let title = "Ďalšie správy už neprídu / No more messages will be sent";
    Ok(page(StatusCode::OK, title, &form))
}

parameters! {
    struct Confirmation in Query {
        /// Part of the link in an e-mail.
        account: RequiredText,
        /// Part of the link in an e-mail.
        address: RequiredText,
        /// Part of the link in an e-mail.
        token: RequiredText,
    }
}

impl Confirmation {
    /// # Errors
    /// 404 if this service sent no such link.
    fn check(&self, app: &App) -> Result<(), ApiError> {
        if app.notifier.is_confirming(self.page()) {
            Ok(())
        } else {
            Err(no_such_link())
        }
    }

    fn page(&self) -> Confirming<'_> {
        Confirming {
            account: &self.account,
            address: &self.address,
            token: &self.token,
        }
    }
}

/// Show the page for confirming an address.
///
/// Opening the page changes nothing; its button confirms that the owner of the address wants the account's e-mails.
#[utoipa::path(
    get,
    path = "/v1/notifications/confirm",
    tag = "Notifications",
    params(Confirmation),
    responses(
        (status = 200, description = "The page.", content_type = "text/html", body = String),
        (status = 404, description = "This service did not create the link.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
)]
async fn confirm_page(
    State(app): State<App>,
    Query(link): Query<Confirmation>,
) -> Result<Response, ApiError> {
    link.check(&app)?;
    let form = "<form method=\"post\"><button>Súhlasím / I agree</button></form>\n";
    let title = "Posielať správy o spoločnostiach / Get messages about companies";
    Ok(page(StatusCode::OK, title, form))
}

/// Confirm an address.
///
/// Confirms that its owner wants the account's e-mails, also after unsubscribing.
#[utoipa::path(
    post,
    path = "/v1/notifications/confirm",
    tag = "Notifications",
    params(Confirmation),
    responses(
        (status = 200, description = "The address is confirmed.", content_type = "text/html", body = String),
        (status = 404, description = "This service did not create the link.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
)]
async fn confirm(
    State(app): State<App>,
    Query(link): Query<Confirmation>,
) -> Result<Response, ApiError> {
    link.check(&app)?;
    app.notifier.confirm(link.page()).await?;
    let title = "Správy vám budú chodiť / Messages will be sent";
    Ok(page(StatusCode::OK, title, ""))
}
