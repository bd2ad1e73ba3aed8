//! Register answers that the simulator generates once and a server serves from memory, so that figures exclude it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Cursor, Write};
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt;
use bytes::Bytes;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use lustra_demo as demo;
use lustra_tests::lustra::config::Config;
use lustra_tests::register_simulator::Simulator;
use serde_json::{Map, Value};
use tokio::runtime::Runtime;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// The list of subjects registered for VAT.
pub const VAT_LIST: &str = "/ds_dphs.zip";
/// The single part of the dump of the register of legal persons.
pub const DUMP: &str = "/batch-init/init_2026-01-03_001.json.gz";
const DUMP_LIST: &str = "/batch-init/init_2026-01-03_list.txt";

#[derive(Debug, Clone)]
pub struct File {
    pub content_type: String,
    pub bytes: Bytes,
}

/// Answers by path and query.
pub type Files = BTreeMap<String, File>;

/// Serves answers on a free port as long as the runtime lives. Returns the URL without a trailing slash.
pub fn serve(runtime: &Runtime, files: Files) -> String {
    async fn answer(State(files): State<Arc<Files>>, uri: Uri) -> Response {
        let asked = uri.path_and_query().map_or("", |asked| asked.as_str());
        match files.get(asked) {
            Some(file) => {
                let content_type = [(header::CONTENT_TYPE, file.content_type.clone())];
                (content_type, file.bytes.clone()).into_response()
            }
            None => StatusCode::NOT_FOUND.into_response(),
        }
    }
    let router = Router::new().fallback(answer).with_state(Arc::new(files));
    format!("http://{}", listen(runtime, router))
}

/// Serves a router on a free port as long as the runtime lives. Its sockets have the host's option `TCP_NODELAY`.
/// Without it the end of a large answer waits until the client has confirmed the rest.
pub fn listen(runtime: &Runtime, router: Router) -> SocketAddr {
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("a fresh socket"));
        tokio::spawn(axum::serve(listener, router).into_future());
        address
    })
}

/// Points a connector's upstream to an address, with a grant and an effectively unlimited rate.
pub fn point(config: &mut Config, connector: &str, upstream: &str, address: &str) {
    let connector = config
        .connector
        .get_mut(connector)
        .expect("the demo has the connector");
    connector.grants.push(address.to_owned());
    let upstream = connector
        .upstreams
        .get_mut(upstream)
        .expect("the demo has the upstream");
    upstream.address = Some(address.to_owned());
    upstream.requests_per_second = Some(1_000_000.0);
}

/// A simulator of this many companies.
pub fn simulator(runtime: &Runtime, companies: u32) -> Simulator {
    let started = runtime.block_on(demo::simulator(companies, 1, lustra_tests::START));
    started.expect("the simulator starts").0
}

/// One answer of a simulator.
pub fn fetch(runtime: &Runtime, simulator: &Simulator, path: &str) -> File {
    runtime.block_on(async {
        let answer = reqwest::get(format!("{}{path}", simulator.url()))
            .await
            .expect("the simulator answers");
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        let content_type = answer.headers().get(header::CONTENT_TYPE);
        let content_type = content_type.and_then(|value| value.to_str().ok());
        File {
            content_type: content_type.unwrap_or_default().to_owned(),
            bytes: answer.bytes().await.expect("the body arrives"),
        }
    })
}

/// The list of VAT payers with exactly so many of them.
pub fn vat_list(runtime: &Runtime, payers: u32) -> File {
    // About every fourth company is registered.
    let simulator = simulator(runtime, payers.saturating_mul(9) / 2 + 1_000);
    let whole = fetch(runtime, &simulator, "/fs-reports/ds_dphs.zip");
    let mut archive = ZipArchive::new(Cursor::new(whole.bytes)).expect("the simulator sends zip");
    let entry = archive.by_index(0).expect("the list is the first file");
    let options = SimpleFileOptions::default();
    let mut shortened = ZipWriter::new(Cursor::new(Vec::new()));
    shortened
        .start_file("ds_dphs.xml", options)
        .expect("a fresh archive");
    let mut items = 0;
    for line in BufReader::new(entry).lines() {
        let line = line.expect("the list is text");
        if line.starts_with("<ITEM>") {
            items += 1;
            if items > payers {
                continue;
            }
        }
        writeln!(shortened, "{line}").expect("memory takes it");
    }
    assert!(items >= payers, "the simulator has only {items} VAT payers");
    let bytes = shortened.finish().expect("memory takes it").into_inner();
    File {
        content_type: "application/zip".to_owned(),
        bytes: bytes.into(),
    }
}

/// A bucket with one full dump of exactly so many records, in one part.
pub fn bucket(runtime: &Runtime, records: u32) -> Files {
    let simulator = simulator(runtime, records);
    let parts = fetch(runtime, &simulator, &format!("/rpo-dumps{DUMP_LIST}"));
    let parts = String::from_utf8(parts.bytes.into()).expect("the list is text");
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    let mut written = 0;
    for part in parts.lines() {
        let part = fetch(
            runtime,
            &simulator,
            &format!("/rpo-dumps/batch-init/{part}"),
        );
        for line in gunzipped(&part.bytes).lines() {
            let line = line.expect("the dump is text");
            let is_header = line.starts_with("{\"exportDate\"");
            // One header, one end; the first record has no comma before it, wherever it stood.
            if line == "]}" || (is_header && written > 0) || (!is_header && written == records) {
                continue;
            }
            let comma = if is_header || written == 0 { "" } else { "," };
            writeln!(packed, "{comma}{}", line.trim_start_matches(',')).expect("memory takes it");
            written += u32::from(!is_header);
        }
    }
    assert!(
        written == records,
        "the simulator has only {written} records"
    );
    writeln!(packed, "]}}").expect("memory takes it");
    bucket_of(packed.finish().expect("memory takes it"))
}

/// The arrays of a record that are its history alone: the base company does not need them.
const HISTORIES: [&str; 11] = [
    "activities",
    "authorizations",
    "deposits",
    "equities",
    "organizationUnits",
    "otherLegalFacts",
    "predecessors",
    "shares",
    "stakeholders",
    "statutoryBodies",
    "successors",
];

/// A bucket with the same full dump, whose records lack the arrays of histories.
pub fn without_arrays(packed: &Bytes) -> Files {
    let mut bare = GzEncoder::new(Vec::new(), Compression::fast());
    for line in gunzipped(packed).lines() {
        let line = line.expect("the dump is text");
        let text = line.trim_start_matches(',');
        let Some(mut record) = record_of(text) else {
            writeln!(bare, "{line}").expect("memory takes it");
            continue;
        };
        for array in HISTORIES {
            record.remove(array);
        }
        let comma = &line[..line.len() - text.len()];
        writeln!(bare, "{comma}{}", Value::Object(record)).expect("memory takes it");
    }
    bucket_of(bare.finish().expect("memory takes it"))
}

/// The numbers of the companies in a dump.
pub fn icos(packed: &Bytes) -> Vec<String> {
    let lines = gunzipped(packed).lines();
    let records = lines.filter_map(|line| {
        let line = line.expect("the dump is text");
        record_of(line.trim_start_matches(','))
    });
    let number = |record: Map<String, Value>| {
        let rows = record.get("identifiers")?.as_array()?;
        let mut numbers = rows.iter().filter_map(|row| row["value"].as_str());
        let number = numbers.find(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
        Some(number.to_owned())
    };
    records.filter_map(number).collect()
}

/// A line's record. `None` for the first and the last line.
fn record_of(line: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(line).ok()
}

/// A bucket with one full dump in one part.
fn bucket_of(dump: Vec<u8>) -> Files {
    let name = DUMP.rsplit('/').next().unwrap_or_default();
    let file = |content_type: &str, bytes: Vec<u8>| File {
        content_type: content_type.to_owned(),
        bytes: bytes.into(),
    };
    let xml = |keys: &[&str]| file("application/xml", listing(keys).into_bytes());
    let asked = |prefix: &str| format!("/?list-type=2&prefix={prefix}&max-keys=1000");
    Files::from([
        (asked("batch-init/"), xml(&[DUMP_LIST, DUMP])),
        (asked("batch-daily/"), xml(&[])),
        (
            DUMP_LIST.to_owned(),
            file("text/plain", format!("{name}\n").into_bytes()),
        ),
        (DUMP.to_owned(), file("application/gzip", dump)),
    ])
}

fn listing(keys: &[&str]) -> String {
    let contents: String = keys
        .iter()
        .map(|key| {
            format!(
                "<Contents><Key>{}</Key></Contents>",
                key.trim_start_matches('/')
            )
        })
        .collect();
    format!(
        "<ListBucketResult><Name>bench</Name><IsTruncated>false</IsTruncated>{contents}</ListBucketResult>"
    )
}

/// A packed dump's text, as a native parser reads it.
pub fn gunzipped(packed: &Bytes) -> BufReader<MultiGzDecoder<Cursor<Bytes>>> {
    BufReader::with_capacity(64 * 1024, MultiGzDecoder::new(Cursor::new(packed.clone())))
}
