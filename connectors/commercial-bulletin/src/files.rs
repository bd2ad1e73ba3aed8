//! The dataset `notices`: the mirror's files of the bulletin, each with the XML of one notice.

use lustra_sdk::Failure;
use serde::Deserialize;

use crate::forms;
use crate::notice::{self, FileName};
use crate::record::{Entry, Unreadable};
use crate::row::{Issued, Row, required};
use crate::table::{Reading, Said, Table};

/// One file of the bulletin.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct File {
    /// Mark, form and version.
    pub file_name: String,
    /// The XML; `None` for an attachment.
    #[serde(deserialize_with = "required")]
    pub content: Option<String>,
}

impl Table for File {
    const DATASET: &'static str = "notices";
    const PATH: &'static str = "/api/data/ov/raw_issues/sync";
    const MEMBERS: &'static str = "file_name, content";
    const TELLING: &'static str = "content and bulletin_issue";

    fn read(row: &Row<Self>, issued: Option<Issued>) -> Result<Reading, Failure> {
        let file = FileName::parse(&row.rest.file_name);
        let content = row.rest.content.as_deref();
        let content = content.filter(|content| !content.trim().is_empty());
        if content.is_none() && !file.is_form {
            return Ok(noted(Said::Nothing, "attachments"));
        }
        // The other dataset contains these notices. Reading them here would count a company twice.
        if forms::is_of_register(&file.form) {
            return Ok(noted(Said::Nothing, "register_entries"));
        }
        let (Some(content), Some(issued)) = (content, &issued) else {
            let why = if content.is_none() {
                "without content"
            } else {
                "without an issue"
            };
            return Ok(unreadable(file, issued, why));
        };
        let Ok(notice) = notice::read(&file, content) else {
            let why = "no XML that can be read";
            return Ok(unreadable(file, Some(issued.clone()), why));
        };
        if notice.is_of_register {
            return Ok(noted(Said::Nothing, "register_entries"));
        }
        let entry = |subject: &notice::Subject| Entry {
            form: Some(file.form.clone()),
            kind: None,
            section: None,
            number: issued.number.clone(),
            mark: file.mark.clone(),
            published_at: issued.published_at.clone(),
            heading: notice.heading.clone(),
            role: subject.role.word().to_owned(),
        };
        let about = notice.subjects.iter();
        let about = about.map(|subject| (subject.ico.clone(), entry(subject)));
        Ok(Reading {
            said: Said::About(about.collect()),
            notes: vec![
                ("odd_ids", notice.odd_ids),
                ("ambiguous_ids", notice.ambiguous_ids),
                ("unknown_forms", u64::from(notice.is_unknown)),
                ("without_company", u64::from(notice.subjects.is_empty())),
            ],
        })
    }
}

fn noted(said: Said, note: &'static str) -> Reading {
    Reading {
        said,
        notes: vec![(note, 1)],
    }
}

fn unreadable(file: FileName, issued: Option<Issued>, why: &str) -> Reading {
    let unreadable = Unreadable {
        form: Some(file.form),
        mark: file.mark,
        number: issued.map(|issued| issued.number),
        why: why.to_owned(),
    };
    noted(Said::Unreadable(unreadable), "unreadable")
}
