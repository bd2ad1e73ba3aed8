//! Requests to the service: the records of a number, then only those parents that the record links to.

use lustra_sdk::http::Request;
use lustra_sdk::unread::{self, Gap};
use lustra_sdk::{Evidence, Failure, Section, Subject, ico, malformed};

use crate::answer::{self, PAGE, Record};
use crate::choice::{self, COUNTRY};
use crate::parent::{Parent, Reported, Which, reported};
use crate::section;
use crate::settings::Settings;

/// The upstream of the manifest.
const UPSTREAM: &str = "gleif";

/// Builds the section of a company. It is `null` if the service knows no record of it.
///
/// # Errors
/// The service is out of order, or its list of records has another format.
pub fn about(subject: &Subject) -> Result<Section, Failure> {
    ico::required(&subject.ico, "legal entity identifiers")?;
    let settings = Settings::read()?;
    let mut evidence = Vec::new();
    let answer = request(search(&subject.ico)).fetch()?;
    let text = answer.body.text(None)?;
    evidence.push(answer.body.evidence());
    answer::is_for(&text, &subject.ico)?;
    let records = answer::records(&text)?;
    let Some(chosen) = choice::of_company(records, &subject.ico, &settings.authorities)? else {
        return unread::section(&(), &[], evidence);
    };
    let mut missing = Vec::new();
    let [direct, ultimate] = Which::ALL.map(|which| {
        parent(&chosen.record, which, &mut evidence).unwrap_or_else(|failure| {
            let previous = subject.previous.as_deref();
            missing.push(Gap::Failed(failure).unread(which.source(), previous));
            Parent::default()
        })
    });
    let content = section::of(&chosen, direct, ultimate, missing, &settings)?;
    unread::section(&content, &content.unread, evidence)
}

/// The path of a search for a number's records. Brackets must be percent-encoded.
#[must_use]
pub fn search(ico: &str) -> String {
    format!(
        "/lei-records?filter%5Bentity.registeredAs%5D={ico}&filter%5Bentity.legalAddress.country%5D={COUNTRY}\
         &page%5Bsize%5D={PAGE}"
    )
}

fn request(path: String) -> Request {
    Request::get(UPSTREAM, path).header("accept", "application/vnd.api+json")
}

fn parent(record: &Record, which: Which, evidence: &mut Vec<Evidence>) -> Result<Parent, Failure> {
    let (lei, path) = (&record.attributes.lei, which.path());
    match reported(record, which) {
        Reported::Nothing => Ok(Parent::default()),
        Reported::Record => {
            let asked = format!("/lei-records/{lei}/{path}");
            let Some(text) = text_of(asked, evidence)? else {
                return Ok(Parent::default());
            };
            let (lei, name) = answer::named(&text)?;
            Ok(Parent {
                lei: Some(lei),
                name: lustra_sdk::text::present(&name),
                exception: None,
            })
        }
        Reported::Exception => {
            let asked = format!("/lei-records/{lei}/{path}-reporting-exception");
            let Some(text) = text_of(asked, evidence)? else {
                return Ok(Parent::default());
            };
            Ok(Parent {
                exception: Some(answer::exception(&text, lei, which.category())?),
                ..Parent::default()
            })
        }
        Reported::Unknown => Err(malformed(
            format!("data/relationships/{path}/links"),
            "lei-record or reporting-exception",
            "neither",
        )),
    }
}

/// An answer's text. `None` for a 404 with the service's own error document, which means *none*.
fn text_of(path: String, evidence: &mut Vec<Evidence>) -> Result<Option<String>, Failure> {
    let answer = request(path).send()?;
    if answer.status == 404 {
        let text = answer.body.text(None)?;
        evidence.push(answer.body.evidence());
        return if answer::is_refusal(&text) {
            Ok(None)
        } else {
            Err(answer.status_failure())
        };
    }
    if !(200..300).contains(&answer.status) {
        return Err(answer.status_failure());
    }
    let text = answer.body.text(None)?;
    evidence.push(answer.body.evidence());
    Ok(Some(text))
}
