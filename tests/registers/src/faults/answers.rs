//! The layer in front of all registers: counts requests and applies the active fault.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use encoding_rs::WINDOWS_1250;
use futures_util::StreamExt;

use super::{Fault, Register};
use super::{bomb, echo, renamed};
use crate::World;
use crate::connections::Connection;

/// The delay of [`Fault::Slow`].
const SLOW: Duration = Duration::from_secs(30);
/// Larger answers keep their encoding.
const RECODED_LIMIT: usize = 64 << 20;

pub(crate) async fn layer(
    State(world): State<Arc<World>>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path().to_owned();
    let Some(register) = Register::of_path(&path) else {
        return next.run(request).await;
    };
    world.faults.count(register);
    match world.faults.get(register) {
        Fault::Off => next.run(request).await,
        Fault::Down => down(&request),
        Fault::Error500 => page(
            StatusCode::INTERNAL_SERVER_ERROR,
            "500 - Internal server error.",
        ),
        Fault::Forbidden => page(StatusCode::FORBIDDEN, "403 - Forbidden: Access is denied."),
        Fault::Throttled => {
            let answer = page(StatusCode::TOO_MANY_REQUESTS, "429 - Too Many Requests");
            ([(header::RETRY_AFTER, "30")], answer).into_response()
        }
        Fault::Html200 => page(
            StatusCode::OK,
            "Systém je dočasne nedostupný z dôvodu plánovanej odstávky.",
        ),
        Fault::Empty => StatusCode::OK.into_response(),
        Fault::Truncated => truncated(next.run(request).await).await,
        Fault::Garbage => garbage(&next.run(request).await),
        Fault::WrongCharset => recoded(next.run(request).await).await,
        Fault::Renamed => renamed::answer(next.run(request).await).await,
        Fault::Slow => {
            tokio::time::sleep(SLOW).await;
            next.run(request).await
        }
        Fault::RedirectAway => (
            StatusCode::FOUND,
            [(header::LOCATION, "http://127.0.0.1:9/elsewhere")],
        )
            .into_response(),
        Fault::ArchiveBomb => bomb::answer(&path),
        Fault::EchoOther => echo::answer(&world, request, next).await,
        Fault::Denies => echo::nothing(&world, request, next).await,
    }
}

/// Cuts the connection. Without a socket, returns a body that fails at once.
fn down(request: &Request) -> Response {
    if let Some(ConnectInfo(connection)) = request.extensions().get::<ConnectInfo<Connection>>() {
        connection.cut();
    }
    let broken = futures_util::stream::once(async {
        Err::<Bytes, _>(std::io::Error::other("the register is down"))
    });
    Response::new(Body::from_stream(broken))
}

fn page(status: StatusCode, text: &str) -> Response {
    let html = format!(
        "<!DOCTYPE html>\n<html lang=\"sk\"><head><meta charset=\"utf-8\"><title>{text}</title></head>\n\
         <body><h1>{text}</h1></body></html>\n"
    );
    (
        status,
        [(header::CONTENT_TYPE, "text/html; charset=utf-8")],
        html,
    )
        .into_response()
}

/// The first half of the first piece with a normal end, so that only the content shows the truncation.
async fn truncated(answer: Response) -> Response {
    let (mut head, body) = answer.into_parts();
    head.headers.remove(header::CONTENT_LENGTH);
    let first = body.into_data_stream().next().await;
    let half = first
        .and_then(Result::ok)
        .map(|piece| piece.slice(..piece.len() / 2))
        .unwrap_or_default();
    Response::from_parts(head, Body::from(half))
}

fn garbage(answer: &Response) -> Response {
    let mut dice =
        crate::population::dice::Dice::new(1, 0, crate::population::dice::Topic::Trouble);
    let noise: Vec<u8> = (0..512).flat_map(|_| dice.roll().to_le_bytes()).collect();
    let mut garbage = Response::new(Body::from(noise));
    let unknown = HeaderValue::from_static("application/octet-stream");
    let kind = answer
        .headers()
        .get(header::CONTENT_TYPE)
        .cloned()
        .unwrap_or(unknown);
    garbage.headers_mut().insert(header::CONTENT_TYPE, kind);
    garbage
}

/// Swaps the encoding: UTF-8 if the header says windows-1250, and the reverse.
async fn recoded(answer: Response) -> Response {
    let (mut head, body) = answer.into_parts();
    let kind = head
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    let is_text = kind.starts_with("text/") || kind.starts_with("application/json");
    let is_windows = kind.contains("windows-1250");
    if !is_text {
        return Response::from_parts(head, body);
    }
    let Ok(bytes) = axum::body::to_bytes(body, RECODED_LIMIT).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let recoded = if is_windows {
        Bytes::from(
            WINDOWS_1250
                .decode_without_bom_handling(&bytes)
                .0
                .into_owned(),
        )
    } else {
        Bytes::from(
            WINDOWS_1250
                .encode(&String::from_utf8_lossy(&bytes))
                .0
                .into_owned(),
        )
    };
    head.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(head, Body::from(recoded))
}
