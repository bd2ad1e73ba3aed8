//! The import and the section of a company.

use lustra_sdk::testing::listed::OperatorList;
use lustra_social_enterprises::SocialEnterprises;
use serde_json::{Value, json};

use crate::manifest::manifest;

/// The company that is looked up most.
const ICO: &str = "99000113";

/// A list as an operator would supply it.
const LIST: &str = "\
IČO;Druh podniku;Číslo osvedčenia;Dátum priznania štatútu;Dátum zrušenia;Stav
99000113;integračný podnik;902/2019_RSP;1.10.2019;31.7.2025;zrušený
99000113;všeobecný registrovaný sociálny podnik;903/2026_RSP;2.1.2026;;platný
99000229;integračný podnik;904/2020_RSP;1.3.2020;;zrušený
99000334;sociálny podnik bývania;905/2020_RSP;1.3.2020;31.1.2026;
";

fn operator() -> OperatorList {
    OperatorList {
        manifest: manifest(),
        list: LIST,
        ico: ICO,
    }
}

/// The section of a company by the imported list on a day.
fn section(day: &str, ico: &str) -> Value {
    operator().content_on::<SocialEnterprises>(day, ico)
}

#[test]
fn list_connector_conforms() {
    operator().assert_usual::<SocialEnterprises>();
}

#[test]
fn registration_in_force_is_shown() {
    assert_eq!(
        section("2026-01-15", ICO),
        json!({
            "is_registered": true, "type": "všeobecný registrovaný sociálny podnik", "granted_at": "2026-01-02",
            "revoked_at": null, "certificate_number": "903/2026_RSP", "status": "platný",
        })
    );
}

#[test]
fn revoked_status_does_not_count() {
    let ended = section("2026-01-15", "99000229");
    assert_eq!(
        (
            &ended["is_registered"],
            &ended["status"],
            &ended["granted_at"]
        ),
        (&json!(false), &json!("zrušený"), &json!("2020-03-01"))
    );
    let until = section("2026-01-31", "99000334");
    assert_eq!(until["is_registered"], true);
    let over = section("2026-02-01", "99000334");
    assert_eq!(
        (&over["is_registered"], &over["revoked_at"]),
        (&json!(false), &json!("2026-01-31"))
    );
    assert_eq!(
        section("2026-01-15", "99000440"),
        json!({
            "is_registered": false, "type": null, "granted_at": null, "revoked_at": null,
            "certificate_number": null, "status": null,
        })
    );
}
