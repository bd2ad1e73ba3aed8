//! Pages on which the owner of an address stops or confirms an account's e-mails. They need no key, only the
//! link from an e-mail.

use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::App;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::query::Parameters;
use crate::notifications::{Confirming, confirm_form};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(unsubscribe_page, unsubscribe))
        .routes(routes!(confirm_page, confirm))
}

struct Link {
    subscription: String,
    address: String,
    token: String,
}

impl Link {
    /// Reads the link of an e-mail. An invalid link gets 404.
    fn read(app: &App, query: Option<&str>) -> Result<Self, ApiError> {
        let parameters = Parameters::read(query, &["subscription", "address", "token"])?;
        let text = |name: &str| parameters.get(name).unwrap_or_default().to_owned();
        let link = Self {
            subscription: text("subscription"),
            address: text("address"),
            token: text("token"),
        };
        if app
            .notifier
            .is_page(&link.subscription, &link.address, &link.token)
        {
            Ok(link)
        } else {
            Err(ApiError::new(
                Code::NotFound,
                "there is nothing at this link",
            ))
        }
    }
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
    params(
        ("subscription" = String, Query, description = "From the link of a message."),
        ("address" = String, Query, description = "From the link of a message."),
        ("token" = String, Query, description = "From the link of a message."),
    ),
    responses(
        (status = 200, description = "The page.", content_type = "text/html", body = String),
        (status = 404, description = "The link is none of this service.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
)]
async fn unsubscribe_page(
    State(app): State<App>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    Link::read(&app, query.as_deref())?;
    let form = "<form method=\"post\"><button>Už neposielať / End these messages</button></form>\n";
    let title = "Ukončiť správy o spoločnostiach / End messages about companies";
    Ok(page(StatusCode::OK, title, form))
}

/// Ends the messages to an address, as mail programs do with one click (RFC 8058).
#[utoipa::path(
    post,
    path = "/v1/notifications/unsubscribe",
    tag = "Notifications",
    params(
        ("subscription" = String, Query, description = "From the link of a message."),
        ("address" = String, Query, description = "From the link of a message."),
        ("token" = String, Query, description = "From the link of a message."),
    ),
    responses(
        (status = 200, description = "Nothing is sent there any more.", content_type = "text/html", body = String),
        (status = 404, description = "The link is none of this service.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
)]
async fn unsubscribe(
    State(app): State<App>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let link = Link::read(&app, query.as_deref())?;
    // Unsubscribing twice, or after the subscription has ended, gives the same response.
    let again = app
        .notifier
        .unsubscribe(&link.subscription, &link.address, &link.token)
        .await?;
    let form = again.map(|path| confirm_form(&path, "Chcem ich znova / I want them again"));
    let title = "Ďalšie správy už neprídu / No more messages will be sent";
    Ok(page(StatusCode::OK, title, &form.unwrap_or_default()))
}

struct Confirmation {
    account: String,
    address: String,
    token: String,
}

impl Confirmation {
    /// Reads the link of an e-mail. An invalid link gets 404.
    fn read(app: &App, query: Option<&str>) -> Result<Self, ApiError> {
        let parameters = Parameters::read(query, &["account", "address", "token"])?;
        let text = |name: &str| parameters.get(name).unwrap_or_default().to_owned();
        let link = Self {
            account: text("account"),
            address: text("address"),
            token: text("token"),
        };
        if app.notifier.is_confirming(link.page()) {
            Ok(link)
        } else {
            Err(ApiError::new(
                Code::NotFound,
                "there is nothing at this link",
            ))
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
    params(
        ("account" = String, Query, description = "From the link of a letter."),
        ("address" = String, Query, description = "From the link of a letter."),
        ("token" = String, Query, description = "From the link of a letter."),
    ),
    responses(
        (status = 200, description = "The page.", content_type = "text/html", body = String),
        (status = 404, description = "The link is none of this service.", body = ErrorBody),
        (status = 422, description = "There is another parameter.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
)]
async fn confirm_page(
    State(app): State<App>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    Confirmation::read(&app, query.as_deref())?;
    let form = "<form method=\"post\"><button>Súhlasím / I agree</button></form>\n";
    let title = "Posielať správy o spoločnostiach / Get messages about companies";
    Ok(page(StatusCode::OK, title, form))
}

/// Confirms that the owner of an address wants the letters of an account, also after having unsubscribed.
#[utoipa::path(
    post,
    path = "/v1/notifications/confirm",
    tag = "Notifications",
    params(
        ("account" = String, Query, description = "From the link of a letter."),
        ("address" = String, Query, description = "From the link of a letter."),
        ("token" = String, Query, description = "From the link of a letter."),
    ),
    responses(
        (status = 200, description = "Letters will be sent.", content_type = "text/html", body = String),
        (status = 404, description = "The link is none of this service.", body = ErrorBody),
        (status = 422, description = "There is another parameter.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
)]
async fn confirm(State(app): State<App>, RawQuery(query): RawQuery) -> Result<Response, ApiError> {
    let link = Confirmation::read(&app, query.as_deref())?;
    app.notifier.confirm(link.page()).await?;
    let title = "Správy vám budú chodiť / Messages will be sent";
    Ok(page(StatusCode::OK, title, ""))
}
