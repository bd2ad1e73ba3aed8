//! Fetches a list: an archive with one XML file, published every night.

use std::io::BufReader;

use super::settings::is_plain;
use super::{ListKind, ListRun, ListSettings};
use crate::charset::{Decoded, decoded};
use crate::http::{Body, BodyReader, Request};
use crate::{Batch, Failure, ImportRun, malformed};

/// The upstream of the published files.
const UPSTREAM: &str = "fs-reports";

/// A run over a list in its archive. The file borrows from the archive and must be dropped first,
/// so keep the order of the fields.
struct ArchiveRun<K: ListKind> {
    run: ListRun<K, BufReader<Decoded<BufReader<BodyReader>>>>,
    _archive: Body,
}

impl<K: ListKind> ImportRun for ArchiveRun<K> {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        self.run.next()
    }
}

/// Requests a list's newest edition from the upstream `fs-reports` and starts to read it.
///
/// # Errors
/// As [`ListRun::open`]; the upstream's failure; [`Failure::Misconfigured`] for a slug that would
/// change the path of the address.
pub fn open(
    kind: impl ListKind,
    list: ListSettings,
    cursor: Option<&str>,
) -> Result<Box<dyn ImportRun>, Failure> {
    if list.slug.is_empty() || !is_plain(&list.slug) {
        let id = kind.id();
        return Err(Failure::Misconfigured(format!(
            "the list {id} has no slug, or one of other signs than letters, digits, _ and -"
        )));
    }
    let response = Request::get(UPSTREAM, format!("/{}.zip", list.slug)).fetch()?;
    if response
        .header("content-type")
        .is_some_and(|kind| kind.trim_start().starts_with("text/html"))
    {
        return Err(Failure::Unavailable(format!(
            "{UPSTREAM} answered with a page of HTML instead of an archive"
        )));
    }
    let archive = response.body;
    let names = archive.unzip()?;
    let wanted = format!("{}.xml", list.slug);
    let is_wanted = |name: &&String| {
        name.rsplit('/')
            .next()
            .is_some_and(|last| last.eq_ignore_ascii_case(&wanted))
    };
    let Some(name) = names.iter().find(is_wanted) else {
        return Err(malformed(
            format!("{}.zip", list.slug),
            format!("a file {wanted}"),
            names.join(", "),
        ));
    };
    let input = decoded(archive.entry(name)?.reader());
    Ok(Box::new(ArchiveRun {
        run: ListRun::open(kind, list, input, cursor)?,
        _archive: archive,
    }))
}
