//! A hostile or odd register for tests of limits. The path selects the answer; requests are counted.
//!
//! | path | answer |
//! | --- | --- |
//! | `/never` | none |
//! | `/around` | a redirect to itself |
//! | `/large` | 12 MiB |
//! | `/piece` | 2 MiB |
//! | `/bomb.gz` | 64 MiB of zeros, packed with gzip |
//! | `/bomb.zip`, `/crowd.zip` | an archive of such a file, and one with 300 files |
//! | `/broken` | 500 |
//! | `/licences?ico=…` | a licence as JSON, for the example in Python |
//! | others | `{}` |

use std::io::Write;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use tokio::sync::Notify;

/// Built once per process: packing is slow and must not affect measurements of a host.
struct Archives {
    gzip: Bytes,
    zip: Bytes,
    crowd: Bytes,
}

impl Archives {
    fn get() -> &'static Self {
        static MADE: OnceLock<Archives> = OnceLock::new();
        MADE.get_or_init(|| Self {
            gzip: gzip().into(),
            zip: zip(1, &vec![0; 64 << 20]).into(),
            crowd: zip(300, b"one of many").into(),
        })
    }
}

/// The register. It runs until it is dropped.
pub struct Rogue {
    address: SocketAddr,
    inner: Arc<Inner>,
    server: tokio::task::JoinHandle<()>,
}

struct Inner {
    archives: &'static Archives,
    requests: AtomicU64,
    mended: AtomicBool,
    arrived: Notify,
}

impl Rogue {
    /// Starts it on a free port.
    ///
    /// # Panics
    /// If there is no free port.
    pub async fn start() -> Self {
        let archives = tokio::task::spawn_blocking(Archives::get)
            .await
            .expect("memory takes everything");
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let inner = Arc::new(Inner {
            archives,
            requests: AtomicU64::default(),
            mended: AtomicBool::default(),
            arrived: Notify::default(),
        });
        let router = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&inner));
        let server = tokio::spawn(async move {
            axum::serve(listener, router)
                .await
                .expect("the listener stays");
        });
        Self {
            address,
            inner,
            server,
        }
    }

    /// Its URL, without a trailing slash.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The number of requests so far.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.inner.requests.load(Ordering::SeqCst)
    }

    /// From now on `/broken` and `/never` answer like every other path.
    pub fn mend(&self) {
        self.inner.mended.store(true, Ordering::SeqCst);
    }

    /// Waits for a request that it will never answer.
    pub async fn asked_for_ever(&self) {
        self.inner.arrived.notified().await;
    }
}

impl Drop for Rogue {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn answer(State(rogue): State<Arc<Inner>>, uri: Uri) -> Response {
    rogue.requests.fetch_add(1, Ordering::SeqCst);
    let mended = rogue.mended.load(Ordering::SeqCst);
    // The configured address may have a path; requests must stay below it.
    match uri.path().trim_start_matches("/base") {
        "/never" if !mended => {
            rogue.arrived.notify_one();
            std::future::pending().await
        }
        "/broken" if !mended => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        "/around" => (StatusCode::FOUND, [(header::LOCATION, "/around")]).into_response(),
        "/large" => vec![b'x'; 12 << 20].into_response(),
        "/piece" => vec![b'x'; 2 << 20].into_response(),
        "/bomb.gz" => Bytes::clone(&rogue.archives.gzip).into_response(),
        "/bomb.zip" => Bytes::clone(&rogue.archives.zip).into_response(),
        "/crowd.zip" => Bytes::clone(&rogue.archives.crowd).into_response(),
        "/licences" => licences(uri.query().unwrap_or_default()).into_response(),
        _ => "{}".into_response(),
    }
}

fn gzip() -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder
        .write_all(&vec![0; 64 << 20])
        .and_then(|()| encoder.finish())
        .expect("memory takes everything")
}

fn zip(files: u32, content: &[u8]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for number in 0..files {
        writer
            .start_file(number.to_string(), zip::write::SimpleFileOptions::default())
            .expect("memory takes everything");
        writer.write_all(content).expect("memory takes everything");
    }
    let archive = writer.finish().expect("memory takes everything");
    archive.into_inner()
}

/// Answers for the example, by the number's last digit: a licence, none, an unknown number, an unknown format, a case
/// that its author did not consider, errors that say nothing about the number, and answers for another number.
fn licences(query: &str) -> Response {
    const LICENCES: &str =
        r#"[{"number":"L-7","kind":"Chov rýb","validFrom":"2025-01-31","validTo":null}]"#;
    let ico = query.trim_start_matches("ico=");
    let found = format!(r#"{{"ico":"{ico}","licences":{LICENCES}}}"#);
    let unknown = |ico: &str| {
        let text = format!(r#"{{"ico":"{ico}","error":"unknown-ico"}}"#);
        (StatusCode::NOT_FOUND, text).into_response()
    };
    match ico.as_bytes().last() {
        Some(b'0') => found.replace(LICENCES, "[]").into_response(),
        Some(b'1') => unknown(ico),
        Some(b'2') => found.replace("licences", "permits").into_response(),
        Some(b'3') => found.replace("\"L-7\"", "7").into_response(),
        Some(b'4') => (StatusCode::NOT_FOUND, "<h1>404 Not Found</h1>").into_response(),
        Some(b'5') => unknown("99999999"),
        Some(b'6') => found.replace(ico, "99999999").into_response(),
        Some(b'7') => {
            let text = format!(r#"{{"ico":"{ico}","error":"no-such-page"}}"#);
            (StatusCode::NOT_FOUND, text).into_response()
        }
        _ => found.into_response(),
    }
}
