//! Tests of the layout of facts.

use serde_json::json;

use super::*;

fn html(value: &Value, schema: &Value) -> String {
    let layout = Layout::new(Language::Slovak);
    let members = value.as_object().expect("an object");
    layout.facts(members, &Guide::of(schema)).to_string()
}

#[test]
fn texts_of_registers_are_escaped() {
    let value = json!({
        "name": "<script>alert(1)</script>",
        "url": "https://example.com/?a=\"><b>",
        "bad": "javascript:alert(1)",
        "rows": [{ "a": "<i>" }],
    });
    let html = html(
        &value,
        &json!({ "properties": { "name": { "title": "<b>" } } }),
    );
    for tag in ["<script", "<b>", "<i>", "href=\"javascript"] {
        assert!(!html.contains(tag), "{html}");
    }
    assert!(
        html.contains("https://example.com/?a=%22%3E%3Cb%3E"),
        "{html}"
    );
}

#[test]
fn missing_verdict_is_not_known_and_empty_list_is_none() {
    let value = json!({ "is_debtor": null, "sources": [], "note": null });
    let html = html(&value, &json!({}));
    assert!(html.contains("nie je známe"), "{html}");
    assert!(html.contains("žiadne") && !html.contains("Note"), "{html}");
}

#[test]
fn years_become_columns_and_plots() {
    let item = |year: i64, revenue: i64| {
        json!({ "year": year, "revenue": revenue, "profit": -revenue, "currency": "EUR",
                "kind": "riadna", "origin": { "revenue": ["r. 1"] } })
    };
    let value = json!({ "statements": [item(2023, 1_500), item(2024, 2_000)] });
    let html = html(&value, &json!({}));
    let columns = html.find("2024").zip(html.find("2 000,00 EUR"));
    assert!(columns.is_some(), "{html}");
    assert_eq!(html.matches("<svg").count(), 2, "{html}");
    assert!(html.contains("r. 1"), "{html}");
}

#[test]
fn long_lists_are_folded_and_bounded() {
    let rows: Vec<Value> = (0..MAX_ITEMS + 5).map(|n| json!({ "number": n })).collect();
    let html = html(&json!({ "rows": rows }), &json!({}));
    assert!(html.contains("<details"), "{html}");
    let shown = html.matches("<td").count();
    assert_eq!(shown, MAX_ITEMS, "{html}");
    assert!(html.contains("chýba ich 5"), "{html}");
}
