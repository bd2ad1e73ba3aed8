//! One page of a list of the API.

use lustra_sdk::http::{Request, read_json};
use lustra_sdk::serde_json::Value;
use lustra_sdk::{Failure, malformed};
use serde::Deserialize;

use crate::names::{BASE, UPSTREAM};

/// The envelope of every list. Some lists call the array `result`.
#[derive(Debug, Deserialize)]
struct Envelope {
    offset: i64,
    limit: i64,
    size: u64,
    #[serde(alias = "result")]
    results: Vec<Value>,
}

impl Envelope {
    fn page(self) -> Page {
        Page {
            rows: self.results,
            size: self.size,
        }
    }
}

/// A page of a list, by ascending id.
#[derive(Debug)]
pub struct Page {
    pub rows: Vec<Value>,
    /// The number of entries that the register states. It is not known whether it counts the page or the list.
    pub size: u64,
}

/// The limit with which the register gives a whole list.
const WHOLE: i64 = -1;

/// Requests the page of a list behind an id.
///
/// # Errors
/// The upstream's failure, and as [`read`].
pub fn ask(list: &str, limit: u32, after: u64) -> Result<Page, Failure> {
    let limit = i64::from(limit);
    let query = format!("limit={limit}&minId={after}");
    read(list, &text(list, &query)?, limit, after)
}

/// Requests a whole list with a filter, for short lists.
///
/// # Errors
/// The upstream's failure, and as [`read`].
pub fn ask_whole(list: &str, filter: &str) -> Result<Page, Failure> {
    let query = format!("limit={WHOLE}&{filter}");
    read(list, &text(list, &query)?, WHOLE, 0)
}

fn text(list: &str, query: &str) -> Result<String, Failure> {
    let response = Request::get(UPSTREAM, format!("{BASE}/{list}?{query}"))
        .header("accept", "application/json")
        .fetch()?;
    response.body.text(None)
}

/// Reads a page. The answer must repeat the limit, and its ids must be behind `after` and ascend: a register that
/// ignored either parameter gave another part of the list. A whole list must have as many rows as it states, in any
/// order. Rows without an id are part of the page; if no row of a full page has one, the list has another form.
///
/// # Errors
/// [`Failure::Malformed`] for another answer, [`Failure::Unavailable`] for a page of HTML.
pub fn read(list: &str, text: &str, limit: i64, after: u64) -> Result<Page, Failure> {
    let envelope: Envelope = read_json(UPSTREAM, text)?;
    let what = |member: &str| format!("list {list} behind {after}: /{member}");
    if envelope.limit != limit || envelope.offset != 0 {
        let found = format!("{} from {}", envelope.limit, envelope.offset);
        return Err(malformed(what("limit"), format!("{limit} from 0"), found));
    }
    let count = envelope.results.len() as u64;
    let fits = match u64::try_from(limit) {
        Ok(limit) => count <= limit.min(envelope.size),
        Err(_whole) => count == envelope.size,
    };
    if !fits {
        let expected = format!("rows by the limit {limit} and the size {}", envelope.size);
        return Err(malformed(what("results"), expected, count.to_string()));
    }
    let Ok(limit) = u64::try_from(limit) else {
        return Ok(envelope.page());
    };
    let mut last = after;
    for id in envelope.results.iter().filter_map(id) {
        if id <= last {
            let expected = format!("a number above {last}");
            return Err(malformed(what("results/id"), expected, id.to_string()));
        }
        last = id;
    }
    if last == after && count == limit {
        return Err(malformed(what("results/id"), "a number", "none"));
    }
    Ok(envelope.page())
}

/// The failure of a row without an id.
#[must_use]
pub fn without_id() -> Failure {
    malformed("/results/id", "a number", "none")
}

/// The number of a row.
#[must_use]
pub fn id(row: &Value) -> Option<u64> {
    row.get("id").and_then(Value::as_u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lustra_sdk::serde_json::json;

    fn page(answer: &Value) -> Result<Vec<u64>, Failure> {
        let page = read("projekt", &answer.to_string(), 2, 5)?;
        Ok(page.rows.iter().filter_map(id).collect())
    }

    #[test]
    fn answer_must_repeat_the_question() {
        let rows = json!([{"id": 6}, {"id": 9}]);
        let envelope = |limit: i64, offset: i64, size: u64, rows: &Value| json!({"offset": offset, "limit": limit, "size": size, "results": rows});
        assert_eq!(page(&envelope(2, 0, 7, &rows)).ok(), Some(vec![6, 9]));
        assert_eq!(page(&envelope(2, 0, 0, &json!([]))).ok(), Some(vec![]));
        let singular = json!({"offset": 0, "limit": 2, "size": 2, "result": rows});
        assert_eq!(page(&singular).ok(), Some(vec![6, 9]));
        for other in [
            envelope(-1, 0, 7, &rows),
            envelope(2, 2, 7, &rows),
            envelope(2, 0, 1, &rows),
            envelope(2, 0, 7, &json!([{"id": 5}])),
            envelope(2, 0, 7, &json!([{"id": 9}, {"id": 6}])),
            envelope(2, 0, 7, &json!([{"id": "6"}, {}])),
            envelope(2, 0, 7, &json!([{"id": 6}, {"id": 7}, {"id": 8}])),
            json!({"offset": 0, "limit": 2, "size": 2}),
            json!([]),
        ] {
            let failure = page(&other).err();
            assert!(matches!(failure, Some(Failure::Malformed(_))), "{other}");
        }
        // One row without an id costs only itself.
        let odd = envelope(2, 0, 7, &json!([{"id": "6"}, {"id": 7}]));
        assert_eq!(page(&odd).ok(), Some(vec![7]));
        let last = envelope(2, 0, 7, &json!([{"id": "8"}]));
        assert_eq!(page(&last).ok(), Some(vec![]));
        let whole = |size| read("projekt", &envelope(-1, 0, size, &rows).to_string(), -1, 0);
        assert_eq!(whole(2).map(|page| page.rows.len()).ok(), Some(2));
        assert!(whole(3).is_err(), "a part of a whole list");
    }
}
