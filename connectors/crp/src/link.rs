//! Links of the list, as paths below the register's address.

use crate::settings::Settings;

/// The path that a link leads to. `None` if it leads away from the register or not to a page.
#[must_use]
pub fn path(href: &str, settings: &Settings) -> Option<String> {
    let href = href.trim().split('#').next().unwrap_or_default();
    let host = settings.site.split("://").nth(1)?;
    let is_scheme = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let scheme_end = href.find(':').filter(|end| is_scheme(&href[..*end]));
    let path = match (scheme_end, href.strip_prefix("//")) {
        (Some(end), _) => {
            let is_web = matches!(&href[..end], "http" | "https");
            let rest = href[end + 1..].strip_prefix("//").filter(|_| is_web)?;
            below(rest, host)?
        }
        (None, Some(rest)) => below(rest, host)?,
        (None, None) if href.starts_with('/') => href.to_owned(),
        (None, None) if href.is_empty() => return None,
        (None, None) => {
            let list = settings.list_path.split('?').next().unwrap_or_default();
            let folder = list.rfind('/').map_or("/", |end| &list[..=end]);
            let is_query = href.starts_with('?');
            format!("{}{href}", if is_query { list } else { folder })
        }
    };
    (path.len() > 1).then(|| path.replace(' ', "%20"))
}

/// The path of an address without its scheme, if the host is the register's.
fn below(rest: &str, host: &str) -> Option<String> {
    let path = rest.strip_prefix(host)?;
    path.starts_with('/').then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_within_the_register_are_followed() {
        let settings = Settings::default();
        for (href, expected) in [
            ("/900123-sk/vzor/", Some("/900123-sk/vzor/")),
            (
                "https://www.crp.gov.sk/900123-sk/vzor/",
                Some("/900123-sk/vzor/"),
            ),
            ("http://www.crp.gov.sk/1/#top", Some("/1/")),
            ("//www.crp.gov.sk/1/", Some("/1/")),
            ("detail?id=1", Some("/5-sk/register-projektov/detail?id=1")),
            ("?id=1:2", Some("/5-sk/register-projektov/?id=1:2")),
            ("?id=1", Some("/5-sk/register-projektov/?id=1")),
            ("/a b/", Some("/a%20b/")),
            ("https://www.crp.gov.sk.example/1/", None),
            ("https://elsewhere.example/1/", None),
            ("//elsewhere.example/1/", None),
            ("javascript:open(1)", None),
            ("mailto:a@b.example", None),
            ("#top", None),
            ("", None),
            ("/", None),
        ] {
            assert_eq!(path(href, &settings).as_deref(), expected, "{href}");
        }
    }
}
