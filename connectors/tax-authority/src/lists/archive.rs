//! Fetching a list: an archive with one XML file, published each night.

use std::io::BufReader;

use lustra_sdk::http::{Body, BodyReader, Request};
use lustra_sdk::{Batch, Failure, ImportRun, malformed};

use super::Dataset;
use super::run::ListRun;
use crate::settings::ListSettings;

/// The upstream of the published files.
const UPSTREAM: &str = "fs-reports";

/// A run over a list in its archive. The archive must outlive its file, so the fields stay in this order.
struct ArchiveRun {
    run: ListRun<BufReader<BodyReader>>,
    _archive: Body,
}

impl ImportRun for ArchiveRun {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        self.run.next()
    }
}

/// Asks for a list's newest edition and begins to read it.
///
/// # Errors
/// As [`ListRun::open`], and what the upstream failed with.
pub fn open(dataset: Dataset, cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
    let list = ListSettings::of(dataset)?;
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
    let input = archive.entry(name)?.reader();
    Ok(Box::new(ArchiveRun {
        run: ListRun::open(dataset, list, input, cursor)?,
        _archive: archive,
    }))
}
