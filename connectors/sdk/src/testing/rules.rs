//! The real host's rules of requests, which the test host applies: a request that it answers is one that the real host
//! sends.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::{env, fs, path::PathBuf};

use serde_json::Value;

use crate::Failure;
use crate::bindings::base::lustra::connector::http::Request;

/// Headers that only the host may set, besides those that begin with `proxy-`.
const HOST_ONLY_HEADERS: [&str; 10] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "accept-encoding",
    "keep-alive",
];

/// What the manifest of the crate under test declares.
struct Declared {
    upstreams: BTreeSet<String>,
    datasets: BTreeSet<String>,
}

/// `None` if the crate has no manifest, such as this one.
static DECLARED: LazyLock<Option<Declared>> = LazyLock::new(|| {
    let of_crate = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from)?;
    let text = fs::read_to_string(of_crate.join("manifest.json")).ok()?;
    Some(Declared::of(&serde_json::from_str(&text).ok()?))
});

impl Declared {
    fn of(manifest: &Value) -> Self {
        let upstreams = manifest["upstreams"].as_object().into_iter().flatten();
        let datasets = manifest["datasets"].as_array().into_iter().flatten();
        let ids = datasets.filter_map(|dataset| dataset["id"].as_str());
        Self {
            upstreams: upstreams.map(|(name, _)| name.clone()).collect(),
            datasets: ids.map(str::to_owned).collect(),
        }
    }
}

/// Refuses a request that the real host refuses before it sends it.
pub(super) fn check_request(request: &Request) -> Result<(), Failure> {
    let upstream = &request.upstream;
    if let Some(declared) = &*DECLARED
        && !declared.upstreams.contains(upstream)
    {
        let why = format!("the manifest names no upstream {upstream}");
        return Err(Failure::Refused(why));
    }
    if !lies_below(&request.path) {
        let path = request.path.split(['?', '#']).next().unwrap_or_default();
        return Err(Failure::Refused(format!(
            "the path {path} does not lie below the address of the upstream {upstream}"
        )));
    }
    let wrong = |field: &&crate::Field| !may_be_sent(&field.name, &field.value);
    match request.headers.iter().find(wrong) {
        Some(field) => Err(Failure::Refused(format!(
            "connectors may not send the header {}",
            field.name
        ))),
        None => Ok(()),
    }
}

/// Refuses a dataset that the manifest lacks.
pub(super) fn check_dataset(dataset: &str) -> Result<(), Failure> {
    match &*DECLARED {
        Some(declared) if !declared.datasets.contains(dataset) => Err(Failure::Misconfigured(
            format!("the manifest names no dataset {dataset}"),
        )),
        Some(_) | None => Ok(()),
    }
}

/// Whether the URL of a path is below any address. Another first character would extend the host's name.
fn lies_below(path: &str) -> bool {
    if !path.is_empty() && !path.starts_with(['/', '?']) {
        return false;
    }
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let mut depth = 0_i32;
    for segment in path.split(['/', '\\']).skip(1) {
        match &*segment.to_ascii_lowercase().replace("%2e", ".") {
            "." => {}
            ".." => depth -= 1,
            _ => depth += 1,
        }
        if depth < 0 {
            return false;
        }
    }
    true
}

/// Whether a connector may send a header: its name and value are of the form of HTTP, and it is not the host's.
fn may_be_sent(name: &str, value: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let lower = name.to_ascii_lowercase();
    !name.is_empty()
        && name.bytes().all(is_token)
        && value
            .bytes()
            .all(|byte| byte == b'\t' || (byte >= b' ' && byte != 127))
        && !HOST_ONLY_HEADERS.contains(&&*lower)
        && !lower.starts_with("proxy-")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn path_outside_the_address_is_refused() {
        for path in ["", "/", "/a/b?c=../..", "?a=1", "/a/../b", "/a//b"] {
            assert!(lies_below(path), "{path}");
        }
        for path in [
            "a",
            ".example/a",
            "#a",
            "/..",
            "/a/../../b",
            "/%2E%2e/b",
            "/a\\..\\..",
        ] {
            assert!(!lies_below(path), "{path}");
        }
    }

    #[test]
    fn header_of_the_host_is_refused() {
        assert!(may_be_sent("Accept", "application/json"));
        assert!(may_be_sent("x-key", "ľ\t1"));
        for name in [
            "Accept-Encoding",
            "host",
            "Expect",
            "proxy-authorization",
            "",
            "a b",
        ] {
            assert!(!may_be_sent(name, "x"), "{name}");
        }
        assert!(!may_be_sent("x-key", "a\r\nb"));
    }

    #[test]
    fn manifest_declares_upstreams_and_datasets() {
        let manifest = json!({ "upstreams": { "register": {} }, "datasets": [{ "id": "list" }] });
        let declared = Declared::of(&manifest);
        assert!(declared.upstreams.contains("register"));
        assert!(declared.datasets.contains("list"));
        assert!(DECLARED.is_none(), "this crate has no manifest");
    }
}
