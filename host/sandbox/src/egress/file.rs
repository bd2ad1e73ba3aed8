//! Operator-supplied files, served as if they were HTTP responses.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;
use std::sync::Arc;

use http::Method;
use time::OffsetDateTime;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use tokio::task::spawn_blocking;

use super::allowance::Allowance;
use super::body::Body;
use super::failure::{EgressFailure, Refusal};
use super::source::{Disk, Source};
use super::{Answer, Outgoing, Upstream};

/// Date format of HTTP headers.
const HTTP_DATE: &[BorrowedFormatItem<'_>] = format_description!(
    "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT"
);

/// Serves a granted file with status 200, its length and its modification time. Ignores the request's headers.
pub(super) async fn open(
    upstream: &Upstream,
    path: &Path,
    outgoing: &Outgoing,
    allowance: &Arc<Allowance>,
) -> Result<Answer, EgressFailure> {
    if !upstream.grants.iter().any(|grant| grant.allows_file(path)) {
        let what = format!("the file of the upstream {}", upstream.name);
        return Err(Refusal::NotGranted { what }.into());
    }
    if !outgoing.path.is_empty() || outgoing.method != Method::GET {
        let upstream = upstream.name.clone();
        return Err(Refusal::FileRequest { upstream }.into());
    }
    allowance.take_request()?;
    let owned = path.to_owned();
    let opened = spawn_blocking(move || open_regular(&owned)).await;
    let (file, metadata) = opened
        .map_err(io::Error::other)
        .flatten()
        .map_err(|error| trouble(upstream, path, &error))?;
    let mut headers = vec![("content-length".to_owned(), metadata.len().to_string())];
    if let Some(changed) = changed(&metadata) {
        headers.push(("last-modified".to_owned(), changed));
    }
    let source = Source::Disk(Disk::new(Arc::new(file), 0, metadata.len()));
    Ok(Answer {
        status: 200,
        headers,
        body: Body::new(source, upstream.name.clone(), None, Arc::clone(allowance)),
    })
}

/// Checks the file type before opening, because opening a named pipe waits for its writer.
fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    Ok((file, metadata))
}

/// Names the file without its folder: the guest also reads this text, and the operator knows the setting.
fn trouble(upstream: &Upstream, path: &Path, error: &io::Error) -> Refusal {
    let kind = error.kind();
    let trouble = if kind == io::ErrorKind::NotFound {
        "is missing".to_owned()
    } else if kind == io::ErrorKind::InvalidInput {
        "is not a regular file".to_owned()
    } else {
        format!("can't be read: {kind}")
    };
    Refusal::File {
        upstream: upstream.name.clone(),
        file: path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        trouble,
    }
}

fn changed(metadata: &Metadata) -> Option<String> {
    let changed = OffsetDateTime::from(metadata.modified().ok()?);
    changed.format(HTTP_DATE).ok()
}
