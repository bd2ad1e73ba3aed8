//! Look-ups that read the page of the insurer `VšZP`.

use lustra_sdk::testing::Answer;
use serde_json::{Value, json};

use super::{NOTHING, ask, host, list};
use crate::world::{VSZP, subject, value};

#[test]
fn unreadable_vszp_page_is_not_absence() {
    for answer in [
        Answer::ok("<html><table></table></html>"),
        Answer::ok(""),
        Answer::ok("{}"),
        Answer::ok(vec![0xff, 0x00, 0x9e]),
        Answer::status(403, NOTHING),
        Answer::status(429, NOTHING),
        Answer::status(500, NOTHING),
    ] {
        let (section, content) = ask(host().answer("vszp", VSZP, answer), subject());
        assert_eq!(
            (
                list(&content, "vszp")["state"].as_str(),
                &content["is_debtor"]
            ),
            (Some("unread"), &Value::Null)
        );
        assert_eq!(content["unread"][0]["since"], "2026-01-15T08:00:00Z");
        assert!(value(&section.unread, "vszp").is_some());
    }
}

/// The live form of the page: seven columns found by their headers, the IČO behind `<br />`, and for an empty result a
/// sentence with non-breaking spaces.
fn vszp_page(rows: &str, sentence: &str) -> String {
    format!(
        "<html><body><form><input type=\"hidden\" name=\"nazov\" value=\"99999901\"></form>\
         <table class=\"tabulkaStandard\"><thead><tr><th>Obchodné meno</th><th>Obec</th><th>Ulica</th><th>PSČ</th>\
         <th>Pohľadávka</th><th>Typ platiteľa</th><th>Rozsah</th></tr></thead><tbody></tbody>{rows}</table>\
         {sentence}</body></html>"
    )
}

#[test]
fn vszp_row_of_seven_columns_makes_a_debtor() {
    let row = "<tr><td>VZOROVÝ DLŽNÍK, S. R. O.<br />IČO: 99999901</td><td>VZOROVO</td><td>DLHÁ 1</td><td>99901</td>\
               <td>1&nbsp;342,62</td><td>Zamestnávateľ</td><td>-</td></tr>";
    let page = Answer::ok(vszp_page(row, ""));
    let (section, content) = ask(host().answer("vszp", VSZP, page), subject());
    assert_eq!(content["is_debtor"], true);
    let hit = &content["sources"][0];
    assert_eq!(
        (&hit["source"], &hit["debtor_name"], &hit["debt_amount"]),
        (
            &json!("vszp"),
            &json!("VZOROVÝ DLŽNÍK, S. R. O."),
            &json!(1342.62)
        )
    );
    assert_eq!(value(&section.unread, "vszp"), None);
}

#[test]
fn vszp_sentence_with_non_breaking_spaces_is_read() {
    let sentence = "<p>Nenašli&nbsp;sa\u{a0}žiadne&nbsp;záznamy.</p>";
    let page = Answer::ok(vszp_page("", sentence));
    let (_, content) = ask(host().answer("vszp", VSZP, page), subject());
    assert_eq!(content["is_debtor"], false);
    assert_eq!(list(&content, "vszp")["state"], "read");
}

#[test]
fn settings_move_the_page() {
    let path = "/x?typ=1&nazov=99999901&proceed=true&docid=9";
    let host = host()
        .setting("vszp_page", &json!("/x"))
        .setting("vszp_docid", &json!(9));
    let (_, content) = ask(host.answer("vszp", path, Answer::ok(NOTHING)), subject());
    assert_eq!(list(&content, "vszp")["state"], "read");
}
