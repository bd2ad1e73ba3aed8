//! Parses requests. The caller chooses the prefixes of the envelope.

use time::format_description::well_known::Rfc3339;
use time::{Date, OffsetDateTime};

use super::log::zone;
use crate::population::calendar::parse_iso;

/// The operations of the service.
pub(super) enum Question {
    ByIco {
        ico: String,
        page: usize,
        size: usize,
    },
    ByPeriod {
        from: Date,
        until: Date,
        page: usize,
        size: usize,
    },
    Detail {
        id: u64,
    },
    ChangesSince {
        from: OffsetDateTime,
        most: usize,
    },
    Courts,
}

impl Question {
    /// Parses an envelope, or returns the error message.
    pub(super) fn read(envelope: &str) -> Result<Self, String> {
        let is = |operation: &str| element(envelope, &format!("{operation}Request")).is_some();
        let number = |name: &str, default: Option<usize>| match element(envelope, name) {
            Some(text) => text
                .trim()
                .parse()
                .map_err(|error| format!("{name}: {text}: {error}")),
            None => default.ok_or_else(|| format!("{name} chýba")),
        };
        let date = |name: &str| {
            let text = element(envelope, name).unwrap_or_default();
            parse_iso(text.trim()).ok_or_else(|| format!("{name}: {text}"))
        };
        let page = || {
            Ok::<_, String>((
                number("Stranka", Some(0))?,
                number("VysledkovNaStranku", Some(10))?.max(1),
            ))
        };
        if is("getKonaniePodlaICO") {
            let (page, size) = page()?;
            let digits: String = element(envelope, "Ico")
                .ok_or("Ico chýba")?
                .chars()
                .filter(char::is_ascii_digit)
                .collect();
            Ok(Self::ByIco {
                ico: format!("{digits:0>8}"),
                page,
                size,
            })
        } else if is("getKonaniePreObdobie") {
            let (page, size) = page()?;
            Ok(Self::ByPeriod {
                from: date("DatumOd")?,
                until: date("DatumDo")?,
                page,
                size,
            })
        } else if is("getKonanieDetail") {
            Ok(Self::Detail {
                id: number("KonanieId", None)? as u64,
            })
        } else if is("vyhladajPoslednuZmenuOd") {
            let text = element(envelope, "ZmenyOd").unwrap_or_default();
            Ok(Self::ChangesSince {
                from: moment(text.trim()).ok_or_else(|| format!("ZmenyOd: {text}"))?,
                most: number("MaximalnyPocetVysledkov", Some(100))?,
            })
        } else if is("getZoznamSudov") {
            Ok(Self::Courts)
        } else {
            Err("Neznáma operácia".to_owned())
        }
    }
}

/// The items on a page.
pub(super) fn pages<T>(all: &[T], page: usize, size: usize) -> &[T] {
    let rest = all.get(page.saturating_mul(size)..).unwrap_or_default();
    rest.get(..size).unwrap_or(rest)
}

/// The content of the first element with a local name.
fn element<'a>(envelope: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = envelope;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let end = rest.find('>')?;
        let tag = rest[..end].trim_end_matches('/');
        let full = tag.split_whitespace().next().unwrap_or_default();
        if full.rsplit(':').next() == Some(name) && !full.starts_with('/') {
            if rest[..end].ends_with('/') {
                return Some("");
            }
            let inside = &rest[end + 1..];
            return inside
                .split_once(&format!("</{full}>"))
                .map(|(text, _)| text);
        }
    }
    None
}

/// A time with its zone; without a zone it is Bratislava time.
fn moment(text: &str) -> Option<OffsetDateTime> {
    let zoned = OffsetDateTime::parse(text, &Rfc3339).ok();
    zoned.or_else(|| {
        let zone = zone(parse_iso(text.get(..10)?)?);
        OffsetDateTime::parse(&format!("{text}+{:02}:00", zone.whole_hours()), &Rfc3339).ok()
    })
}
