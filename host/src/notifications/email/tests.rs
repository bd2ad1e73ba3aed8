use serde_json::{Value, json};

use super::*;

/// An event as the store keeps it.
fn stored(kind: &str, old_value: &Value, content: &Value) -> DeliveredEvent {
    let payload = json!({
        "id": "evt_1",
        "event": kind,
        "timestamp": "2026-03-05T08:00:01Z",
        "data": {
            "ico": "99999901",
            "group": "company",
            "change_type": "updated",
            "field": "registered_capital",
            "old_value": old_value,
            "new_value": "6 000 EUR",
            "detected_at": "2026-03-05T08:00:00Z",
            "source": "orsr",
            "scope": null,
            "changes": [],
            "company": { "name": "<b>B</b>\nSubject: x", "legal_form": null, "city": "Nitra", "status": "active" },
            "tax_info": { "dic": null, "ic_dph": null, "is_vat_payer": null },
        },
    });
    DeliveredEvent {
        number: 1,
        id: "evt_1".to_owned(),
        ico: "99999901".to_owned(),
        kind: kind.to_owned(),
        payload: payload.to_string(),
        content: content.to_string(),
    }
}

fn event(kind: &str, lines: &Value) -> Announced {
    let content = json!({
        "lines": { "sk": lines, "en": lines },
        "part": { "sk": "Obchodný register", "en": "Commercial register" },
    });
    Announced::read(&stored(kind, &json!("5 000 EUR"), &content)).expect("an event")
}

fn written(language: Language, events: &[Announced], links: &Links) -> EmailBody {
    email(&events[0], &events[1..], language, links)
}

fn officer() -> Value {
    json!([
        {
            "path": "/statutory_body/0", "happened": "item_removed", "label": "Štatutárny orgán",
            "before": "Ján Starý (konateľ)", "after": "", "item": "Ján Starý", "role": "konateľ",
        },
        {
            "path": "/statutory_body/1", "happened": "item_added", "label": "Štatutárny orgán",
            "before": "", "after": "Jana Nová (konateľ)", "item": "Jana Nová", "role": "konateľ",
        },
    ])
}

#[test]
fn text_of_registers_cannot_add_markup_or_headers() {
    let lines = json!([{
        "path": "/name", "happened": "changed", "label": "Obchodné meno",
        "before": "A\r\nBcc: b@c.sk", "after": "<script>alert('x')</script> & \"B\"",
    }]);
    let links = Links {
        company: None,
        unsubscribe: Some("https://a.sk/?a=1&b=\"2\"".to_owned()),
    };
    let email = written(Language::Slovak, &[event(UPDATED, &lines)], &links);
    assert!(!email.subject.contains('\n') && !email.text.contains('\r'));
    assert!(
        email.text.contains("predtým A  Bcc: b@c.sk, teraz"),
        "{}",
        email.text
    );
    assert!(!email.html.contains("<script>") && !email.html.contains("<b>B"));
    assert!(
        email
            .html
            .contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;B&quot;")
    );
    assert!(
        email
            .html
            .contains("href=\"https://a.sk/?a=1&amp;b=&quot;2&quot;\"")
    );
}

#[test]
fn change_of_two_events_is_one_sentence_in_either_language() {
    let both = [
        event(UPDATED, &officer()),
        event("officers.changed", &officer()),
    ];
    let links = Links {
        company: Some("https://example.com/99999901".to_owned()),
        unsubscribe: None,
    };
    let slovak = written(Language::Slovak, &both, &links);
    assert_eq!(
        slovak.subject,
        "Zmena v spoločnosti <b>B</b> Subject: x: nový konateľ Jana Nová a ďalšie zmeny (1)"
    );
    assert_eq!(
        slovak.text,
        "<b>B</b> Subject: x (IČO 99999901)\n\nObchodný register\n\
         - Štatutárny orgán: už neplatí – Ján Starý (konateľ).\n\
         - Štatutárny orgán: nový záznam – Jana Nová (konateľ).\n\n\
         Obec: Nitra\nStav: aktívna\nZistené: 5. 3. 2026\n\
         Údaje o spoločnosti: https://example.com/99999901"
    );
    let english = written(Language::English, &both, &links);
    assert_eq!(
        english.subject,
        "Change at <b>B</b> Subject: x: new konateľ Jana Nová and more (1)"
    );
    assert!(
        english
            .text
            .contains("- Štatutárny orgán: new – Jana Nová (konateľ).")
    );
    assert!(
        english.text.contains("Noticed: 5 March 2026"),
        "{}",
        english.text
    );
}

#[test]
fn event_without_lines_is_worded_from_its_values() {
    // Earlier versions stored null for an absent value.
    for (old_value, wanted) in [
        (
            json!("5 000 EUR"),
            "- Registered capital: before 5 000 EUR, now 6 000 EUR.",
        ),
        (Value::Null, "- Registered capital: before , now 6 000 EUR."),
    ] {
        let event = Announced::read(&stored(UPDATED, &old_value, &json!({})));
        let events = [event.expect("an event")];
        let email = written(Language::English, &events, &Links::default());
        assert!(email.text.contains(wanted), "{}", email.text);
    }
}
