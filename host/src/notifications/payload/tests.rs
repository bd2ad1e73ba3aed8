use time::macros::datetime;

use super::*;
use crate::store::testing::scope_name;

/// An event that a store keeps with this content.
fn pending(content: &str) -> PendingEvent {
    PendingEvent {
        number: 1,
        id: "evt_0123456789abcdef0123456789abcdef".to_owned(),
        ico: "99999901".to_owned(),
        kind: "debtor.added".to_owned(),
        scope: Some(scope_name("debtor_status")),
        reading: "1".to_owned(),
        content: content.to_owned(),
        detected_at: datetime!(2026-03-05 08:00 UTC),
        payload: None,
    }
}

fn published(content: &str, company: WebhookCompany, tax_section: &str) -> String {
    let tax_info = tax_info_of(tax_section);
    let now = datetime!(2026-03-05 08:00:01 UTC);
    webhook_event(&pending(content), company, tax_info, now).to_json()
}

/// The content of an event with two differences, as 0.1 stores it.
const CONTENT: &str = concat!(
    r#"{"group":"risk","change_type":"added","field":"debtor_status.sources","old_value":"","#,
    r#""new_value":"Sociálna poisťovňa: 1 234,50 EUR","detected_at":"2026-03-05T08:00:00Z","#,
    r#""source":"insurance-debtors","scope":"debtor_status","changes":[{"path":"/debtor_status/sources/0","#,
    r#""op":"add","old":null,"new":{"source":"x","amount":1234.5,"zero":0.0,"large":9007199254740993,"a":[null,true]}},"#,
    r#"{"path":"/debtor_status/\"~1","op":"replace","old":"č\n</script>","new":-1}],"#,
    r#""lines":{"sk":[{"path":"/debtor_status/sources/0","happened":"item_added","label":"Zdroje","before":"","#,
    r#""after":"Sociálna poisťovňa","item":"Sociálna poisťovňa"}],"en":[]},"#,
    r#""part":{"sk":"Dlžníci","en":"Debtors"}}"#
);

/// The content of an event as the first version of the history stored it: null sides, and no texts for e-mails.
const FIRST_CONTENT: &str = concat!(
    r#"{"group":"company","change_type":"updated","field":"name","old_value":null,"new_value":"B","#,
    r#""detected_at":"2026-03-05T08:00:00Z","source":"rpo","scope":null,"#,
    r#""changes":[{"path":"/name","op":"add","old":null,"new":"B"}]}"#
);

#[test]
fn payload_of_a_stored_event_keeps_its_bytes() {
    let company = WebhookCompany {
        name: Some("Pekáreň \"U Žabky\", s. r. o.".to_owned()),
        legal_form: None,
        city: Some("Nitra".to_owned()),
        status: Some(CompanyStatus::Active),
    };
    let tax = r#"{"registration_type":"4","dic":"2999999901","ic_dph":null,"is_vat_payer":false}"#;
    assert_eq!(
        published(CONTENT, company, tax),
        concat!(
            r#"{"id":"evt_0123456789abcdef0123456789abcdef","event":"debtor.added","#,
            r#""timestamp":"2026-03-05T08:00:01Z","data":{"ico":"99999901","group":"risk","change_type":"added","#,
            r#""field":"debtor_status.sources","old_value":"","new_value":"Sociálna poisťovňa: 1 234,50 EUR","#,
            r#""detected_at":"2026-03-05T08:00:00Z","source":"insurance-debtors","scope":"debtor_status","changes":["#,
            r#"{"path":"/debtor_status/sources/0","op":"add","old":null,"#,
            r#""new":{"source":"x","amount":1234.5,"zero":0.0,"large":9007199254740993,"a":[null,true]}},"#,
            r#"{"path":"/debtor_status/\"~1","op":"replace","old":"č\n</script>","new":-1}],"#,
            r#""company":{"name":"Pekáreň \"U Žabky\", s. r. o.","legal_form":null,"city":"Nitra","status":"active"},"#,
            r#""tax_info":{"dic":"2999999901","ic_dph":null,"is_vat_payer":false}}}"#
        )
    );
}

#[test]
fn event_of_the_first_version_has_empty_texts_for_null() {
    let unknown = WebhookCompany::default();
    assert_eq!(
        published(FIRST_CONTENT, unknown, "null"),
        concat!(
            r#"{"id":"evt_0123456789abcdef0123456789abcdef","event":"debtor.added","#,
            r#""timestamp":"2026-03-05T08:00:01Z","data":{"ico":"99999901","group":"company","change_type":"updated","#,
            r#""field":"name","old_value":"","new_value":"B","detected_at":"2026-03-05T08:00:00Z","source":"rpo","#,
            r#""scope":null,"changes":[{"path":"/name","op":"add","old":null,"new":"B"}],"#,
            r#""company":{"name":null,"legal_form":null,"city":null,"status":null},"#,
            r#""tax_info":{"dic":null,"ic_dph":null,"is_vat_payer":null}}}"#
        )
    );
}

#[test]
fn event_with_unreadable_content_is_still_published() {
    for content in ["", "no JSON", "[]", r#"{"group":"risk"}"#] {
        let event = published(content, WebhookCompany::default(), "null");
        let event: WebhookEvent = serde_json::from_str(&event).expect("a whole event");
        let finding = event.data.finding;
        assert_eq!(
            (event.event.as_str(), event.data.ico.as_str()),
            ("debtor.added", "99999901")
        );
        assert_eq!(
            (finding.scope, finding.detected_at.as_str()),
            (Some(scope_name("debtor_status")), "2026-03-05T08:00:00Z")
        );
        assert_eq!(finding.changes, []);
    }
}

#[test]
fn unknown_status_does_not_make_an_event_unreadable() {
    let example = example("evt_1", datetime!(2026-03-05 08:00 UTC)).to_json();
    let dormant = example.replace(r#""status":"active""#, r#""status":"dormant""#);
    assert_ne!(dormant, example);
    let read = serde_json::from_str::<WebhookEvent>(&dormant).expect("an event");
    assert_eq!(read.data.company.status, None);
    assert_eq!(read.data.company.city.as_deref(), Some("Trnava"));
}

#[test]
fn published_event_reads_back_unchanged() {
    let example = example("evt_1", datetime!(2026-03-05 08:00 UTC));
    let read = serde_json::from_str::<WebhookEvent>(&example.to_json());
    assert_eq!(read.expect("an event"), example);
}
