//! Tests the simulator from outside: by its addresses and by the facts of its population.

mod administrators;
mod contracts;
mod control;
mod court_decisions;
mod dumps;
mod establishments;
mod executions;
mod faults;
mod fines;
mod funds;
mod leis;
mod licences;
mod lists;
mod notices;
mod pages;
mod partners;
mod population;
mod procurement;
mod projects;
mod register_entries;
mod replik;
mod sanctions;
mod statements;
mod supervision;
mod tax;
mod tenders;
mod union_notices;

use std::io::Read;
use std::net::SocketAddr;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use register_simulator::{Options, router};
use serde_json::Value;
use time::macros::datetime;
use tower::ServiceExt;

/// A small population that starts on Thursday, 15 January 2026.
fn options(companies: u32) -> Options {
    Options {
        companies,
        seed: 7,
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        start: datetime!(2026-01-15 08:00 UTC),
    }
}

/// A simulator without a socket.
struct Site {
    router: Router,
}

/// The parts of an HTTP answer.
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Site {
    fn new(companies: u32) -> Self {
        Self {
            router: router(&options(companies)),
        }
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request
            .body(Body::from(body.to_owned()))
            .expect("a valid request");
        let answer = self
            .router
            .clone()
            .oneshot(request)
            .await
            .expect("the router never fails");
        let (head, body) = answer.into_parts();
        let body = axum::body::to_bytes(body, 64 << 20)
            .await
            .expect("a whole body")
            .to_vec();
        Answer {
            status: head.status,
            headers: head.headers,
            body,
        }
    }

    async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], "").await
    }

    async fn post(&self, path: &str, body: &str) -> Answer {
        self.send(Method::POST, path, &[], body).await
    }

    async fn advance(&self, days: u32) {
        let answer = self
            .post("/control/advance", &format!("{{\"days\":{days}}}"))
            .await;
        assert_eq!(answer.status, StatusCode::OK);
    }

    async fn fault(&self, register: &str, mode: &str) {
        let body = format!("{{\"register\":\"{register}\",\"mode\":\"{mode}\"}}");
        assert_eq!(
            self.post("/control/fault", &body).await.status,
            StatusCode::OK
        );
    }
}

impl Answer {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("UTF-8")
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    fn windows_1250(&self) -> String {
        encoding_rs::WINDOWS_1250.decode(&self.body).0.into_owned()
    }

    fn gunzipped(&self) -> String {
        let mut text = String::new();
        flate2::read::GzDecoder::new(&self.body[..])
            .read_to_string(&mut text)
            .expect("gzip");
        text
    }

    fn unzipped(&self) -> Vec<(String, String)> {
        let mut archive =
            zip::ZipArchive::new(std::io::Cursor::new(&self.body)).expect("a ZIP file");
        (0..archive.len())
            .map(|place| {
                let mut file = archive.by_index(place).expect("a file of the archive");
                let name = file.name().expect("a readable name").into_owned();
                let mut text = String::new();
                file.read_to_string(&mut text).expect("UTF-8");
                (name, text)
            })
            .collect()
    }

    fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}
