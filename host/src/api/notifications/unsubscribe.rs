//! Pages on which the owner of an address stops or confirms an account's e-mails. They need no key, only the
//! link from an e-mail.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::App;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::parameters::types::RequiredText;
use crate::api::parameters::{Query, parameters};
use crate::notifications::{Confirming, confirm_form};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(unsubscribe_page, unsubscribe))
        .routes(routes!(confirm_page, confirm))
}

parameters! {
    struct Link in Query {
        /// From the link of a message.
        subscription: RequiredText,
        /// From the link of a message.
        address: RequiredText,
        /// From the link of a message.
        token: RequiredText,
    }
}

impl Link {
    /// # Errors
    /// 404 if this service sent no such link.
    fn check(&self, app: &App) -> Result<(), ApiError> {
        let known = app
            .notifier
            .is_page(&self.subscription, &self.address, &self.token);
        if known { Ok(()) } else { Err(no_such_link()) }
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

/// A page with a button that ends the messages to an address. Programs that look at links end nothing.
#[utoipa::path(
    get,
    path = "/v1/notifications/unsubscribe",
    tag = "Notifications",
    params(Link),
    responses(
        (status = 200, description = "The page.", content_type = "text/html", body = String),
        (status = 404, description = "The link is none of this service.", body = ErrorBody),
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

/// Ends the messages to an address, as mail programs do with one click (RFC 8058).
#[utoipa::path(
    post,
    path = "/v1/notifications/unsubscribe",
    tag = "Notifications",
    params(Link),
    responses(
        (status = 200, description = "Nothing is sent there any more.", content_type = "text/html", body = String),
        (status = 404, description = "The link is none of this service.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
)]
async fn unsubscribe(
    State(app): State<App>,
    Query(link): Query<Link>,
) -> Result<Response, ApiError> {
    link.check(&app)?;
    // Unsubscribing twice, or after the subscription has ended, gives the same response.
    let again = app
        .notifier
        .unsubscribe(&link.subscription, &link.address, &link.token)
        .await?;
    let form = again.map(|path| confirm_form(&path, "Chcem ich znova / I want them again"));
    let title = "Ďalšie správy už neprídu / No more messages will be sent";
    Ok(page(StatusCode::OK, title, &form.unwrap_or_default()))
}

parameters! {
    struct Confirmation in Query {
        /// From the link of a letter.
        account: RequiredText,
        /// From the link of a letter.
        address: RequiredText,
        /// From the link of a letter.
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

/// A page with a button that confirms that the owner of an address wants the letters of an account. Programs that look at
/// links confirm nothing.
#[utoipa::path(
    get,
    path = "/v1/notifications/confirm",
    tag = "Notifications",
    params(Confirmation),
    responses(
        (status = 200, description = "The page.", content_type = "text/html", body = String),
        (status = 404, description = "The link is none of this service.", body = ErrorBody),
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

/// Confirms that the owner of an address wants the letters of an account, also after having unsubscribed.
#[utoipa::path(
    post,
    path = "/v1/notifications/confirm",
    tag = "Notifications",
    params(Confirmation),
    responses(
        (status = 200, description = "Letters will be sent.", content_type = "text/html", body = String),
        (status = 404, description = "The link is none of this service.", body = ErrorBody),
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
