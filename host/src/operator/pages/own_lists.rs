//! Lists that operators supply, as the page of a source shows them.

use tokio::task::spawn_blocking;

use super::texts::Texts;
use super::{Problem, time_of, whole};
use crate::connectors::grant_of;
use crate::datasets::{ImportPreview, Progress};
use crate::language::Language;
use crate::operator::OperatorState;
use crate::operator::lists::{self, ListSource, OwnList, StoredFile, Upload, UploadState};

/// A list with its file.
pub(super) struct OwnListView {
    pub(super) dataset: String,
    pub(super) title: String,
    /// What the file has to be, in English.
    pub(super) about: String,
    /// Path of the granted file; empty without one.
    pub(super) path: String,
    /// Size and date of the file; empty if it does not exist.
    pub(super) present: String,
    /// The same of the file before.
    pub(super) previous: String,
    /// Tells that file from others.
    pub(super) previous_tag: String,
    /// Address that serves the list; empty without one.
    pub(super) address: String,
    /// The line of grants that the settings lack; empty if they lack none.
    pub(super) grants: String,
    /// Tables that the settings lack; empty if they lack none.
    pub(super) tables: String,
    pub(super) upload: Option<UploadView>,
}

/// A file that was sent.
pub(super) struct UploadView {
    pub(super) name: String,
    pub(super) facts: Vec<(&'static str, String)>,
    pub(super) is_under_way: bool,
    /// What happens now, or the verdict.
    pub(super) verdict: &'static str,
    /// Why it cannot be used, in English; empty otherwise.
    pub(super) rejected: String,
    /// Digest of a file that can be used; empty otherwise.
    pub(super) digest: String,
}

impl OwnListView {
    pub(super) fn is_under_way(&self) -> bool {
        self.upload
            .as_ref()
            .is_some_and(|upload| upload.is_under_way)
    }
}

/// The lists of a connector that the operator supplies.
pub(super) async fn own_lists(
    state: &OperatorState,
    id: &str,
    language: Language,
    t: &'static Texts,
) -> Result<Vec<OwnListView>, Problem> {
    let catalogue = state.companies.connectors().catalogue();
    let Some(entry) = catalogue.entries.get(id) else {
        return Ok(Vec::new());
    };
    let config = state.context.config();
    let granted = config.connector.get(id).map(|own| own.grants.clone());
    let wanted = entry.manifest.iter().flat_map(|manifest| {
        let upstreams = manifest.upstreams.values();
        upstreams.filter_map(|upstream| grant_of(upstream.address.as_deref()?))
    });
    let grants = granted.unwrap_or_else(|| wanted.collect());
    let mut views = Vec::new();
    for list in lists::of(entry, &grants, &config.data) {
        let upload = state.memory.uploads.get(id, &list.dataset);
        let upload = upload.map(|upload| upload_view(upload, language, t));
        views.push(view(list, upload, language).await?);
    }
    Ok(views)
}

async fn view(
    list: OwnList,
    upload: Option<UploadView>,
    language: Language,
) -> Result<OwnListView, Problem> {
    let mut view = OwnListView {
        dataset: list.dataset,
        title: list.title,
        about: list.about,
        path: String::new(),
        present: String::new(),
        previous: String::new(),
        previous_tag: String::new(),
        address: String::new(),
        grants: String::new(),
        tables: String::new(),
        upload,
    };
    match list.source {
        ListSource::Missing(missing) => {
            (view.grants, view.tables) = (missing.grants, missing.tables);
        }
        ListSource::Address(address) => view.address = address,
        ListSource::File(path) => {
            view.path = path.display().to_string();
            let looking = spawn_blocking(move || (lists::stored(&path), lists::previous_of(&path)));
            let (present, previous) = looking.await.map_err(|_panicked| Problem::Internal)?;
            view.previous_tag = previous.as_ref().map_or_else(String::new, StoredFile::tag);
            let text = |file: Option<StoredFile>| {
                file.map_or_else(String::new, |file| file_text(&file, language))
            };
            (view.present, view.previous) = (text(present), text(previous));
        }
    }
    Ok(view)
}

fn file_text(file: &StoredFile, language: Language) -> String {
    let bytes = format!("{} B", whole(file.bytes, language));
    match file.changed {
        Some(at) => format!("{bytes}, {}", time_of(at, language)),
        None => bytes,
    }
}

fn upload_view(upload: Upload, language: Language, t: &'static Texts) -> UploadView {
    let is_under_way = upload.is_under_way();
    let mut facts = vec![(t.at, time_of(upload.sent_at, language))];
    if upload.bytes > 0 {
        facts.push((t.file, format!("{} B", whole(upload.bytes, language))));
    }
    let (verdict, rejected, digest) = match upload.state {
        UploadState::Receiving => (t.receiving, String::new(), String::new()),
        UploadState::Checking(progress) => {
            facts.push((t.records, progress_text(progress, language)));
            (t.checking, String::new(), String::new())
        }
        UploadState::Rejected(why) => (t.list_rejected, why, String::new()),
        UploadState::Accepted(preview) => {
            facts.extend(preview_facts(preview, language, t));
            (t.list_accepted, String::new(), upload.digest)
        }
        UploadState::Taking(preview) => {
            facts.extend(preview_facts(preview, language, t));
            (t.list_accepted, String::new(), String::new())
        }
    };
    UploadView {
        name: upload.name,
        facts,
        is_under_way,
        verdict,
        rejected,
        digest,
    }
}

fn progress_text(progress: Progress, language: Language) -> String {
    let records = whole(progress.records, language);
    match progress.thousandths {
        Some(thousandths) => format!("{records} ({} %)", thousandths / 10),
        None => records,
    }
}

fn preview_facts(
    preview: ImportPreview,
    language: Language,
    t: &'static Texts,
) -> impl Iterator<Item = (&'static str, String)> {
    let counts = [
        (t.records, preview.records),
        (t.added, preview.added),
        (t.changed, preview.changed),
        (t.removed, preview.removed),
        (t.skipped, preview.skipped),
    ];
    let counts = counts.map(|(label, count)| (label, whole(count, language)));
    let date = preview.list_date.map(|date| (t.list_date, date));
    counts.into_iter().chain(date)
}
