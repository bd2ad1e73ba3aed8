//! The header `Retry-After` of responses.

use std::time::Duration;

use http::HeaderMap;
use http::header::RETRY_AFTER;
use time::OffsetDateTime;

/// How long to wait from `now` on, given as seconds or as an HTTP date (RFC 9110, 10.2.3). `None` without the header, for
/// another text, and for a date that has passed.
#[must_use]
pub fn retry_after(headers: &HeaderMap, now: OffsetDateTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = OffsetDateTime::from(httpdate::parse_http_date(text).ok()?);
    Duration::try_from(date - now).ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use time::macros::datetime;

    use super::*;

    #[test]
    fn seconds_and_dates_in_the_future_are_read() {
        let read = |text: &str| {
            let value = HeaderValue::from_str(text).expect("a header's value");
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value)]);
            retry_after(&headers, datetime!(2026-01-15 08:00 UTC))
        };
        assert_eq!(read("120"), Some(Duration::from_secs(120)));
        assert_eq!(read("0"), Some(Duration::ZERO));
        let minute = Some(Duration::from_secs(60));
        assert_eq!(read("Thu, 15 Jan 2026 08:01:00 GMT"), minute);
        assert_eq!(read("Thursday, 15-Jan-26 08:01:00 GMT"), minute);
        for nothing in ["", "soon", "-1", "1.5", "Wed, 21 Oct 2015 07:28:00 GMT"] {
            assert_eq!(read(nothing), None, "{nothing}");
        }
        assert_eq!(
            retry_after(&HeaderMap::new(), OffsetDateTime::UNIX_EPOCH),
            None
        );
    }
}
