//! Expected values for public sector partners.

use lustra_tests::register_simulator::population::Holder;
use lustra_tests::register_simulator::population::partners::{RegisterFile, Valid, register_files};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

/// Expected values on a day.
pub fn truth(_population: &Population, company: &Company, _day: u32) -> Value {
    let files = register_files(company);
    json!({
        "is_public_sector_partner": files.iter().any(RegisterFile::is_current),
        "registrations": sorted(files.iter().map(|file| registration(company, file))),
    })
}

/// The same values, extracted from a response's `data`. The connector's tests cover the order of lists.
pub fn reported(data: &Value) -> Value {
    let mut reported = data["rpvs"].clone();
    let registrations = reported["registrations"].as_array_mut();
    for registration in registrations.into_iter().flatten() {
        for list in LISTS {
            registration[list] = items(&registration[list]);
        }
    }
    reported["registrations"] = items(&reported["registrations"]);
    reported
}

const LISTS: [&str; 6] = [
    "beneficial_owners",
    "authorised_persons",
    "public_officials",
    "verifications",
    "qualified_complaints",
    "fines",
];

fn items(list: &Value) -> Value {
    let items = list.as_array().expect("a list that was read");
    sorted(items.iter().cloned())
}

fn sorted(items: impl Iterator<Item = Value>) -> Value {
    let mut items: Vec<Value> = items.collect();
    items.sort_by_cached_key(Value::to_string);
    Value::Array(items)
}

fn registration(company: &Company, file: &RegisterFile) -> Value {
    let newest = file.versions.last().expect("every file has a version");
    let oldest = file.versions.first().expect("every file has a version");
    let owners = file.owners.iter().map(|owner| {
        let mut row = held(file, owner.holder.as_ref(), owner.valid);
        row["is_public_official"] = json!(owner.is_public_official);
        row["citizenship"] = json!(owner.citizenship);
        row
    });
    let authorised = file
        .authorised
        .iter()
        .map(|one| held(file, Some(&one.holder), one.valid));
    let officials = file.officials.iter().map(|official| {
        let holder = Holder::Person(official.person.clone());
        let mut row = held(file, Some(&holder), official.valid);
        if let Some(row) = row.as_object_mut() {
            row.remove("ico");
        }
        row["function"] = json!(official.function);
        row
    });
    let verifications = file.verifications.iter().map(|verification| {
        json!({
            "verified_on": verification.on.to_string(), "statement": verification.statement,
            "valid_from": null, "valid_to": null,
        })
    });
    let complaints = file.complaints.iter().map(|complaint| {
        json!({
            "case_number": complaint.case_number,
            "started_at": complaint.started.to_string(),
            "ended_at": complaint.decided.map(|decided| decided.0.to_string()),
            "final_at": complaint.decided.map(|decided| decided.1.to_string()),
            "result": complaint.decided.map(|decided| decided.2),
        })
    });
    let fines = file
        .fine
        .iter()
        .map(|fine| json!({"recorded_on": fine.recorded.to_string(), "note": fine.note}));
    json!({
        "file_number": file.number,
        "business_name": newest.name(),
        "person_type": newest.form.word(),
        "ico": company.ico,
        "valid_from": oldest.valid.since.to_string(),
        "valid_to": file.ended().map(|ended| ended.to_string()),
        "current": file.is_current(),
        "erased_at": file.erasure.as_ref().map(|erasure| erasure.on.to_string()),
        "erasure_reason": file.erasure.as_ref().map(|erasure| erasure.reason),
        "beneficial_owners": sorted(owners),
        "authorised_persons": sorted(authorised),
        "public_officials": sorted(officials),
        "verifications": sorted(verifications),
        "qualified_complaints": sorted(complaints),
        "fines": sorted(fines),
        "url": format!("https://rpvs.gov.sk/rpvs/Partner/Partner/Detail/{}", file.id),
    })
}

/// A name with its number, and its validity in a registration that has not ended.
fn held(file: &RegisterFile, holder: Option<&Holder>, valid: Valid) -> Value {
    let ico = match holder {
        Some(Holder::Company { ico, .. }) => ico.as_deref(),
        Some(Holder::Person(_)) | None => None,
    };
    json!({
        "name": holder.map(Holder::name),
        "ico": ico,
        "valid_from": valid.since.to_string(),
        "valid_to": valid.until.map(|until| until.to_string()),
        "current": valid.until.is_none() && file.is_current(),
    })
}
