//! A notice as people read it: plain text and HTML of the same, made from what a webhook gets.

use serde_json::Value;

use crate::changes::UPDATED;

/// A notice for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// One line.
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// Writes a notice of an event. `unsubscribe` is the page that ends these messages.
#[must_use]
pub fn notice(kind: &str, payload: &Value, unsubscribe: Option<&str>) -> Notice {
    let data = &payload["data"];
    let said = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    };
    let ico = said(&data["ico"]);
    let name = said(&data["company"]["name"]);
    let company = if name.is_empty() {
        ico.clone()
    } else {
        format!("{name} ({ico})")
    };
    let what = title(kind);
    let mut lines: Vec<(&str, String)> =
        vec![("Company", company.clone()), ("Change", what.to_owned())];
    let fields = [
        ("What", &data["field"]),
        ("Before", &data["old_value"]),
        ("Now", &data["new_value"]),
        ("City", &data["company"]["city"]),
        ("Status", &data["company"]["status"]),
        ("Source", &data["source"]),
        ("Noticed at", &data["detected_at"]),
    ];
    let fields = fields.into_iter().map(|(name, value)| (name, said(value)));
    lines.extend(fields.filter(|(_, value)| !value.is_empty()));
    let end = unsubscribe.map(|url| format!("To end these messages: {url}"));
    let text = lines
        .iter()
        .map(|(name, value)| format!("{name}: {}", one_line(value)));
    let text: Vec<String> = text.chain([String::new()]).chain(end).collect();
    let rows: String = lines
        .iter()
        .map(|(name, value)| {
            format!(
                "<tr><th align=\"left\">{name}</th><td>{}</td></tr>\n",
                escaped(value)
            )
        })
        .collect();
    let end = unsubscribe.map(|url| {
        format!(
            "<p><a href=\"{}\">End these messages</a></p>\n",
            escaped(url)
        )
    });
    Notice {
        subject: one_line(&format!("{company}: {what}")),
        text: text.join("\n"),
        html: format!(
            "<!doctype html>\n<html lang=\"en\">\n<body>\n<h1>{}</h1>\n<table>\n{rows}</table>\n{}</body>\n</html>\n",
            escaped(&company),
            end.unwrap_or_default(),
        ),
    }
}

/// A kind in words.
fn title(kind: &str) -> &str {
    match kind {
        UPDATED => "data changed",
        "sanctions.match" => "found on a sanctions list",
        "debarred.updated" => "debarment from procurement changed",
        "debtor.added" => "listed as a debtor",
        "insolvency.opened" => "insolvency proceedings opened",
        "officers.changed" => "officers changed",
        "address.changed" => "address changed",
        "ted_tender.published" => "a tender was published",
        other => other,
    }
}

fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// A text that means itself in HTML.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_registers_say_is_text_and_nothing_else() {
        let payload = json!({ "data": {
            "ico": "99999901",
            "field": "name",
            "old_value": "A\r\nBcc: b@c.sk",
            "new_value": "<script>alert('x')</script> & \"B\"",
            "company": { "name": "<b>B</b>\nSubject: x" },
        }});
        let notice = notice(
            "company.updated",
            &payload,
            Some("https://a.sk/?a=1&b=\"2\""),
        );
        assert!(!notice.subject.contains('\n') && !notice.text.contains('\r'));
        assert!(notice.text.contains("Before: A  Bcc: b@c.sk"));
        assert!(!notice.html.contains("<script>") && !notice.html.contains("<b>B"));
        assert!(
            notice
                .html
                .contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;B&quot;")
        );
        assert!(
            notice
                .html
                .contains("href=\"https://a.sk/?a=1&amp;b=&quot;2&quot;\"")
        );
    }
}
