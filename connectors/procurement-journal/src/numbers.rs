//! Organisation numbers in notices that cannot be read, so that only sections of these companies name the gap.
//!
//! Only values that the text marks as such numbers are used: a notice is full of other numbers with eight digits, such
//! as CPV codes and dates.

use std::collections::BTreeSet;

use crate::organisation::{OFFICE, ico};

/// Parts of names of XML elements and attributes that hold the number of an organisation.
const MARKS: [&str; 6] = [
    "ico",
    "cin",
    "companyid",
    "nationalid",
    "national_id",
    "bt-501",
];
const MARK_OF_JSON: &str = "BT-501-Organization-Company";

/// The numbers in a notice as JSON that may be cut short, or wrapped into a text.
#[must_use]
pub fn in_json(text: &str) -> BTreeSet<String> {
    let text = text.replace('\\', "");
    let values = text.split(MARK_OF_JSON).skip(1).filter_map(|rest| {
        let component = rest.split('}').next()?;
        let (_, value) = component.split_once("\"value\"")?;
        let value = value.trim_start().strip_prefix(':')?.trim_start();
        let value = value.strip_prefix('"').unwrap_or(value);
        value.split(['"', ',']).next().map(str::to_owned)
    });
    without_office(values.filter_map(|value| ico(&value)))
}

/// The numbers in a notice as XML, whatever its schema. Broken XML is accepted.
#[must_use]
pub fn in_xml(text: &str) -> BTreeSet<String> {
    let text = text.replace("<![CDATA[", "").replace("]]>", "");
    let mut found = Vec::new();
    // Whether the open elements hold a number, the innermost last.
    let mut open: Vec<bool> = Vec::new();
    for part in text.split('<').skip(1) {
        let Some((tag, content)) = part.split_once('>') else {
            continue;
        };
        if tag.starts_with('/') {
            open.pop();
        } else if !tag.starts_with(['?', '!']) {
            let lower = tag.to_lowercase();
            let is_number = open.last().copied().unwrap_or_default()
                || MARKS.iter().any(|mark| lower.contains(mark));
            if is_number {
                found.extend(ico(content));
                found.extend(tag.split(['"', '\'']).filter_map(ico));
            }
            if !tag.ends_with('/') {
                open.push(is_number);
            }
        }
    }
    without_office(found.into_iter())
}

/// Nearly every notice names the office, as the review body.
fn without_office(found: impl Iterator<Item = String>) -> BTreeSet<String> {
    found.filter(|ico| ico != OFFICE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_numbers_of_xml_are_found() {
        for (xml, expected) in [
            (
                "<org><name>A</name><ico>99000024</ico></org>",
                Some("99000024"),
            ),
            (
                "<cbc:CompanyID schemeName=\"x\"> 99 000 024\n</cbc:CompanyID>",
                Some("99000024"),
            ),
            (
                "<c key=\"BT-501-Organization-Company\"><v>99000024</v></c>",
                Some("99000024"),
            ),
            ("<org ICO='99000024'/>", Some("99000024")),
            ("<ico><![CDATA[99000024]]></ico>", Some("99000024")),
            ("<ico>99000024", Some("99000024")),
            ("<ico>31797903</ico>", None),
            ("<ico>2999999904</ico>", None),
            ("<ico/><cpv>45233161</cpv><date>20260203</date>", None),
            ("<notice/>", None),
            ("<", None),
        ] {
            let found: Vec<String> = in_xml(xml).into_iter().collect();
            assert_eq!(found.first().map(String::as_str), expected, "{xml}");
        }
    }

    #[test]
    fn numbers_of_broken_json_are_found() {
        for (json, expected) in [
            (
                r#"[{"key":"BT-501-Organization-Company-CIN","value":"99 000 024"},{"key":"#,
                Some("99000024"),
            ),
            (
                r#"{"itemData":"{\"key\":\"BT-501-Organization-Company-CIN\",\"value\":\"99000024"#,
                Some("99000024"),
            ),
            (
                r#"{"key":"BT-501-Organization-Company-CIN"},{"value":"99000024"}"#,
                None,
            ),
            (r#"{"key":"BT-262-Procedure","value":"45233161"}"#, None),
            ("", None),
        ] {
            let found: Vec<String> = in_json(json).into_iter().collect();
            assert_eq!(found.first().map(String::as_str), expected, "{json}");
        }
    }
}
