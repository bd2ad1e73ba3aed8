//! The page that ends e-mail to an address: for people who have no key, only the link of a message.

use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::App;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::query::Parameters;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(unsubscribe_page, unsubscribe))
}

struct Link {
    subscription: String,
    address: String,
    token: String,
}

impl Link {
    /// The link of a message; one that is not ours is nothing at all.
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
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title}</title></head>\n\
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
    let form = "<form method=\"post\"><button>End these messages</button></form>\n";
    Ok(page(
        StatusCode::OK,
        "End messages about this company",
        form,
    ))
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
    // Somebody who does it twice, or whose subscription has ended, is told the same.
    app.notifier
        .unsubscribe(&link.subscription, &link.address, &link.token)
        .await?;
    Ok(page(StatusCode::OK, "No more messages will be sent", ""))
}
