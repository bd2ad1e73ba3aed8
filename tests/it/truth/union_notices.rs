//! Expected values for notices of the Union's procurement journal.

use lustra_tests::register_simulator::population::union_notices::{UnionNotice, union_notices};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

use super::{cents, list, picked};

/// Maximum number of shown notices.
const LATEST: usize = 25;

/// Expected values on a day.
pub fn truth(_population: &Population, company: &Company, _day: u32) -> Value {
    let all = union_notices(company);
    let is_modified = |notice: &UnionNotice| {
        let mut others = all.iter();
        others.any(|other| other.modifies.as_ref() == Some(&notice.number))
    };
    let last = all.iter().filter(|notice| !is_modified(notice));
    let worths = last.filter_map(|notice| notice.value);
    let in_euros = worths.filter(|worth| worth.currency == "EUR");
    let without = all.iter().filter(|notice| notice.value.is_none());
    json!({
        "count": all.len(),
        "cents": in_euros.map(|worth| worth.amount.0).sum::<u64>(),
        "without_value": without.count(),
        "modifications": all.iter().filter(|notice| notice.modifies.is_some()).count(),
        "latest": all.iter().take(LATEST).map(item).collect::<Vec<_>>(),
    })
}

fn item(notice: &UnionNotice) -> Value {
    let worth = notice.value;
    let title = notice.titles.first();
    json!({
        "publication_number": notice.number,
        "publication_date": notice.date.map(|day| day.to_string()),
        "notice_type": notice.kind,
        "modifies": notice.modifies,
        "title": title.map(|(_, title)| title),
        "currency": worth.map(|worth| worth.currency),
        "cents": worth.map(|worth| worth.amount.0),
        "estimated": notice.estimate.map(|money| money.0),
    })
}

/// The same values, extracted from a response's `data`.
pub fn reported(data: &Value) -> Value {
    let section = &data["ted_tenders"];
    let latest = list(&section["latest"]).map(|item| {
        let names = [
            "publication_number",
            "publication_date",
            "notice_type",
            "modifies",
            "title",
            "currency",
        ];
        let mut reported = picked(item, &names);
        reported["cents"] = rounded(&item["value"]);
        reported["estimated"] = rounded(&item["estimated_value"]);
        reported
    });
    json!({
        "count": section["count"],
        "cents": rounded(&section["total_value"]),
        "without_value": section["without_value"],
        "modifications": section["modifications"],
        "latest": latest.collect::<Vec<_>>(),
    })
}

/// The cents of an amount, if there is one.
fn rounded(amount: &Value) -> Value {
    if amount.is_null() {
        return Value::Null;
    }
    cents(amount)
}
