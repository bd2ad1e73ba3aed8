//! Traces: collects spans and sends them to a receiver of OTLP, as protobuf over HTTP.
//!
//! Spans wait in a bounded queue and are dropped when it is full, so a receiver that is slow or gone delays no request.
//! The library sends from a thread of its own; the requests themselves run on the host's runtime.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use http::{Request, Response};
use lustra::config::Telemetry;
use lustra::warning_limiter::WarningLimiter;
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tokio::runtime::Handle;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::filter_fn;

use super::{CliError, LogLayer};

/// Timeout of a request to the receiver.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Longest time that the end of the host waits for the last spans.
const LAST_SPANS: Duration = Duration::from_secs(5);

/// Spans of the log that are spans of traces too.
const SHARED: [&str; 3] = ["fetch company", "enrich", "import"];

/// Largest answer of the receiver that is read.
const MAX_ANSWER: usize = 64 << 10;

/// The running export of traces.
pub(super) struct Traces(SdkTracerProvider);

impl Traces {
    /// Begins to collect spans, if the settings name a receiver.
    pub(super) fn begin(settings: &Telemetry) -> Result<Option<Self>, CliError> {
        let Some(address) = &settings.otlp else {
            return Ok(None);
        };
        let failed = |error: &dyn std::error::Error| CliError(format!("telemetry: {error}"));
        let headers = settings.headers.iter();
        let headers = headers.map(|(name, value)| (name.clone(), value.reveal().to_owned()));
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_http_client(Sender::new().map_err(|error| failed(&error))?)
            .with_endpoint(format!("{}/v1/traces", address.trim_end_matches('/')))
            .with_headers(headers.collect::<HashMap<_, _>>())
            .with_timeout(TIMEOUT)
            .build()
            .map_err(|error| failed(&error))?;
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder()
            .with_service_name("lustra")
            .with_attribute(version)
            .build();
        // A trace of a client is followed only where the host accepts one.
        let root = Sampler::TraceIdRatioBased(settings.share);
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_sampler(Sampler::ParentBased(Box::new(root)))
            .with_resource(resource)
            .build();
        Ok(Some(Self(provider)))
    }

    /// The layer that collects the spans of this program, without the lines of the log.
    pub(super) fn layer(&self) -> LogLayer {
        let tracer = self.0.tracer("lustra");
        // Other spans give context to the log, and may name what traces must not contain.
        let of_traces = filter_fn(|metadata| {
            metadata.is_span()
                && (metadata.target() == "traces"
                    || metadata.target().starts_with("lustra") && SHARED.contains(&metadata.name()))
        });
        tracing_opentelemetry::layer()
            .with_tracer(tracer)
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_filter(of_traces)
            .boxed()
    }

    /// Sends the last spans.
    pub(super) async fn end(self) {
        let sending = move || self.0.shutdown_with_timeout(LAST_SPANS);
        match tokio::task::spawn_blocking(sending).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the last traces could not be sent"),
            Err(error) => tracing::warn!(%error, "sending the last traces panicked"),
        }
    }
}

/// Sends requests from the library's thread on the host's runtime.
#[derive(Debug)]
struct Sender {
    runtime: Handle,
    client: reqwest::Client,
}

impl Sender {
    fn new() -> Result<Self, reqwest::Error> {
        // Installing the provider twice returns an error; the first one wins.
        drop(rustls::crypto::ring::default_provider().install_default());
        let client = reqwest::Client::builder().no_proxy().timeout(TIMEOUT);
        let client = client.redirect(reqwest::redirect::Policy::none());
        Ok(Self {
            runtime: Handle::current(),
            client: client.build()?,
        })
    }
}

/// Limits repeated log lines about a receiver that cannot be reached.
static UNSENT: WarningLimiter = WarningLimiter::new();

#[async_trait]
impl HttpClient for Sender {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let sending = self.runtime.spawn(send(self.client.clone(), request));
        let sent = sending.await.map_err(HttpError::from).flatten();
        let why = match &sent {
            Ok(response) if response.status().is_success() => return sent,
            Ok(response) => format!("the receiver answered {}", response.status()),
            Err(error) => lustra_sandbox::egress::root_cause(&**error),
        };
        if let Some(times) = UNSENT.count(&why) {
            tracing::warn!(
                times,
                "traces not sent: {why}; repetitions of this reason are only counted"
            );
        }
        sent
    }
}

async fn send(
    client: reqwest::Client,
    request: Request<Bytes>,
) -> Result<Response<Bytes>, HttpError> {
    let mut answer = client.execute(request.try_into()?).await?;
    let mut body = BytesMut::new();
    while let Some(chunk) = answer.chunk().await? {
        let left = MAX_ANSWER.saturating_sub(body.len());
        body.extend_from_slice(&chunk[..chunk.len().min(left)]);
        if chunk.len() > left {
            break;
        }
    }
    let mut response = Response::new(body.freeze());
    *response.status_mut() = answer.status();
    response.headers_mut().clone_from(answer.headers());
    Ok(response)
}
