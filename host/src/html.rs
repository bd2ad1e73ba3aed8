//! Text in HTML that is not made from a template.

/// Escapes a text for content and for attributes in quotes. Control characters become spaces.
#[must_use]
pub fn escaped(text: &str) -> String {
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
    use super::escaped;

    #[test]
    fn text_cannot_end_an_element_or_attribute() {
        assert_eq!(
            escaped("Mlyn & <b>\"'\n"),
            "Mlyn &amp; &lt;b&gt;&quot;&#39; "
        );
    }
}
