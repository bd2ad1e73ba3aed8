//! `/rpo-dumps`: the bucket with the exports of the register of legal persons.
//!
//! A full export is dated the first Saturday of a month; a daily export has the records that changed that day.
//! Files older than 45 days are deleted. Nothing is stored: a file is generated and compressed while it is
//! sent.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Deserialize;
use time::{Date, Duration, Weekday};

use super::json::Json;
use super::rpo;
use crate::World;
use crate::bodies;
use crate::population::Population;
use crate::population::calendar::{Iso, days_between, parse_iso};

/// Number of companies in one part of a full export at realistic size.
const PART: u32 = 65_000;
/// Number of days until a file is deleted.
const RETENTION: i64 = 45;
const MAX_KEYS: usize = 1_000;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route("/rpo-dumps", get(listing))
        .route("/rpo-dumps/", get(listing))
        .route("/rpo-dumps/batch-init/{name}", get(full))
        .route("/rpo-dumps/batch-daily/{name}", get(daily))
}

/// The latest first Saturday of a month that is not after the given day.
fn first_saturday(mut date: Date) -> Date {
    while date.weekday() != Weekday::Saturday || date.day() > 7 {
        date -= Duration::DAY;
    }
    date
}

/// The dates of the available full exports, oldest first. The newest is always available.
fn full_dates(today: Date) -> Vec<Date> {
    let newest = first_saturday(today);
    let earlier = first_saturday(newest - Duration::DAY);
    let kept = (today - earlier).whole_days() <= RETENTION;
    if kept {
        vec![earlier, newest]
    } else {
        vec![newest]
    }
}

/// The companies of each part; there are always at least two.
fn parts(population: &Population) -> Vec<Range<u32>> {
    let all = population.len();
    let size = PART.min(all.div_ceil(2));
    (0..all.div_ceil(size))
        .map(|part| part * size..((part + 1) * size).min(all))
        .collect()
}

fn part_name(date: Date, part: usize) -> String {
    format!("init_{}_{:03}.json.gz", Iso(date), part + 1)
}

/// The keys of the bucket with their dates, in the bucket's order.
fn keys(world: &World) -> Vec<(String, Date, u64)> {
    let today = world.clock.today();
    let mut keys = Vec::new();
    let oldest = today - Duration::days(RETENTION - 1);
    for days in 0..RETENTION {
        let date = oldest + Duration::days(days);
        // Last night's export exists. There is none for days before the population's first export.
        let size = 4_000 + u64::from(world.population.len());
        keys.push((
            format!("batch-daily/actual_{}.json.gz", Iso(date)),
            date,
            size,
        ));
    }
    for date in full_dates(today) {
        let parts = parts(&world.population);
        for (part, companies) in parts.iter().enumerate() {
            let size = u64::from(companies.end - companies.start) * 480;
            keys.push((format!("batch-init/{}", part_name(date, part)), date, size));
        }
        keys.push((
            format!("batch-init/init_{}_list.txt", Iso(date)),
            date,
            28 * parts.len() as u64,
        ));
    }
    keys.sort();
    keys
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct ListingQuery {
    prefix: String,
    max_keys: Option<usize>,
    list_type: Option<String>,
    continuation_token: Option<String>,
    start_after: Option<String>,
    marker: Option<String>,
}

/// The listing in either API version. Sizes are approximate, since files are generated on request.
async fn listing(State(world): State<Arc<World>>, Query(query): Query<ListingQuery>) -> Response {
    let is_second = query.list_type.as_deref() == Some("2");
    let limit = query.max_keys.unwrap_or(MAX_KEYS).min(MAX_KEYS);
    let after = query
        .continuation_token
        .as_deref()
        .or(query.start_after.as_deref())
        .or(query.marker.as_deref());
    let wanted = keys(&world)
        .into_iter()
        .filter(|(key, _, _)| key.starts_with(&query.prefix));
    let mut wanted = wanted
        .filter(|(key, _, _)| after.is_none_or(|after| key.as_str() > after))
        .peekable();
    let page: Vec<_> = wanted.by_ref().take(limit).collect();
    let is_truncated = wanted.peek().is_some();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml.push_str("<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
    xml.push_str(&format!(
        "<Name>susr-rpo</Name><Prefix>{}</Prefix><MaxKeys>{limit}</MaxKeys>",
        query.prefix
    ));
    xml.push_str(&format!("<IsTruncated>{is_truncated}</IsTruncated>"));
    if is_second {
        xml.push_str(&format!("<KeyCount>{}</KeyCount>", page.len()));
    }
    if let Some((last, _, _)) = page.last().filter(|_| is_truncated) {
        let name = if is_second {
            "NextContinuationToken"
        } else {
            "NextMarker"
        };
        xml.push_str(&format!("<{name}>{last}</{name}>"));
    }
    for (key, date, size) in &page {
        xml.push_str(&format!(
            "<Contents><Key>{key}</Key><LastModified>{}T03:12:45.000Z</LastModified><ETag>\"{:016x}\"</ETag>\
             <Size>{size}</Size><StorageClass>STANDARD</StorageClass></Contents>",
            Iso(*date),
            etag(key)
        ));
    }
    xml.push_str("</ListBucketResult>");
    ([(header::CONTENT_TYPE, "application/xml")], xml).into_response()
}

fn etag(key: &str) -> u64 {
    key.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn no_such_key(key: &str) -> Response {
    let xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>NoSuchKey</Code>\
         <Message>The specified key does not exist.</Message><Key>{key}</Key></Error>"
    );
    (
        StatusCode::NOT_FOUND,
        [(header::CONTENT_TYPE, "application/xml")],
        xml,
    )
        .into_response()
}

async fn full(State(world): State<Arc<World>>, Path(name): Path<String>) -> Response {
    for date in full_dates(world.clock.today()) {
        let parts = parts(&world.population);
        if name == format!("init_{}_list.txt", Iso(date)) {
            let lines: String = (0..parts.len())
                .map(|part| part_name(date, part) + "\n")
                .collect();
            return ([(header::CONTENT_TYPE, "text/plain")], lines).into_response();
        }
        let asked = parts
            .into_iter()
            .enumerate()
            .find(|(part, _)| name == part_name(date, *part));
        if let Some((_, companies)) = asked {
            let day = days_between(world.population.start(), date);
            return export(world, date, day, companies);
        }
    }
    no_such_key(&format!("batch-init/{name}"))
}

async fn daily(State(world): State<Arc<World>>, Path(name): Path<String>) -> Response {
    let today = world.clock.today();
    let text = name
        .strip_prefix("actual_")
        .and_then(|name| name.strip_suffix(".json.gz"));
    let date = text
        .and_then(parse_iso)
        .filter(|date| (0..RETENTION).contains(&(today - *date).whole_days()));
    let Some(date) = date else {
        return no_such_key(&format!("batch-daily/{name}"));
    };
    let day = (date - world.population.start()).whole_days();
    let changed: Vec<u32> = {
        let world = Arc::clone(&world);
        let all = move || {
            (0..world.population.len())
                .filter(|index| world.population.is_exported(*index, day))
                .collect()
        };
        match tokio::task::spawn_blocking(all).await {
            Ok(changed) => changed,
            Err(_) => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    };
    export(world, date, u32::try_from(day).unwrap_or(0), changed)
}

/// A file: a header line, then one record per line, each except the first preceded by a comma.
fn export(
    world: Arc<World>,
    date: Date,
    day: u32,
    companies: impl IntoIterator<Item = u32, IntoIter: Send> + Send + 'static,
) -> Response {
    let body = bodies::produced(move |pieces| {
        let mut file = GzEncoder::new(pieces, Compression::fast());
        write(&mut file, &world.population, date, day, companies)?;
        file.finish().map(drop)
    });
    ([(header::CONTENT_TYPE, "application/gzip")], body).into_response()
}

/// Writes the uncompressed text of a file.
fn write(
    file: &mut impl Write,
    population: &Population,
    date: Date,
    day: u32,
    companies: impl IntoIterator<Item = u32>,
) -> io::Result<()> {
    writeln!(file, "{{\"exportDate\":\"{}\",\"results\":[", Iso(date))?;
    let mut json = Json::new();
    let mut is_first = true;
    for index in companies {
        rpo::export(&mut json, &population.company(index, day), |record| {
            if !is_first {
                file.write_all(b",")?;
            }
            is_first = false;
            file.write_all(record.as_bytes())?;
            file.write_all(b"\n")
        })?;
    }
    file.write_all(b"]}\n")
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::{first_saturday, full_dates};

    #[test]
    fn full_exports_are_dated_the_first_saturday() {
        assert_eq!(first_saturday(date!(2026 - 01 - 15)), date!(2026 - 01 - 03));
        assert_eq!(first_saturday(date!(2026 - 01 - 02)), date!(2025 - 12 - 06));
        assert_eq!(first_saturday(date!(2026 - 01 - 03)), date!(2026 - 01 - 03));
        assert_eq!(
            full_dates(date!(2026 - 01 - 15)),
            [date!(2025 - 12 - 06), date!(2026 - 01 - 03)]
        );
        assert_eq!(full_dates(date!(2026 - 01 - 31)), [date!(2026 - 01 - 03)]);
    }
}
