//! The control interface and its error answers.

use axum::http::StatusCode;

use crate::Site;

#[tokio::test]
async fn advance_moves_day_and_clock() {
    let site = Site::new(12);
    let answer = site.post("/control/advance", r#"{"days":3}"#).await.json();
    assert_eq!(answer["day"], 3);
    assert!(
        answer["now"]
            .as_str()
            .is_some_and(|now| now.starts_with("2026-01-18T08:00:"))
    );
    let state = site.get("/control/state").await.json();
    assert_eq!(
        (&state["day"], &state["companies"]),
        (&3.into(), &12.into())
    );
    assert_eq!(state["showcase"].as_array().map(Vec::len), Some(12));
}

#[tokio::test]
async fn the_registers_follow_the_day() {
    let site = Site::new(12);
    let ask = "/vszp/platitelia/platenie-poistneho/zoznam-dlznikov.html?typ=1&nazov=99999919&proceed=true&docid=227";
    assert!(
        site.get(ask)
            .await
            .text()
            .replace('\u{a0}', " ")
            .contains("Nenašli sa žiadne záznamy")
    );
    site.advance(4).await;
    assert!(site.get(ask).await.text().contains("IČO: 99999919"));
}

#[tokio::test]
async fn invalid_request_gets_code_and_message() {
    let site = Site::new(12);
    for (path, body, status, code) in [
        (
            "/control/fault",
            r#"{"register":"zrsr","mode":"off"}"#,
            422,
            "unknown_register",
        ),
        (
            "/control/fault",
            r#"{"register":"rpo","mode":"asleep"}"#,
            422,
            "unknown_mode",
        ),
        ("/control/fault", "{}", 422, "invalid_body"),
        ("/control/advance", r#"{"days":0}"#, 422, "invalid_days"),
        ("/control/advance", r#"{"days":-1}"#, 422, "invalid_body"),
        (
            "/control/change",
            r#"{"ico":"99999994","kind":"sold"}"#,
            422,
            "unknown_kind",
        ),
        (
            "/control/change",
            r#"{"ico":"12345678","kind":"seat-moved"}"#,
            404,
            "not_found",
        ),
        (
            "/control/change",
            r#"{"ico":"99999951","kind":"seat-moved"}"#,
            409,
            "does_not_apply",
        ),
    ] {
        let answer = site.post(path, body).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()["error"].as_str()),
            (status, Some(code)),
            "{path} {body}"
        );
        assert!(
            answer.json()["message"]
                .as_str()
                .is_some_and(|message| !message.is_empty())
        );
    }
    assert_eq!(
        site.get("/control/company/12345678").await.status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn truth_has_named_members() {
    let truth = Site::new(12).get("/control/company/99999994").await.json();
    assert_eq!(truth["name"], "Vzorostav Čučoriedka, s. r. o.");
    assert_eq!(truth["legal_form"]["code"], "112");
    assert_eq!(truth["ic_dph"], "SK2999999904");
    assert_eq!(truth["vat"]["registration"]["kind"], "§4");
    assert_eq!(truth["names"][1]["until"], serde_json::Value::Null);
}

#[tokio::test]
async fn forced_change_is_visible_immediately() {
    let site = Site::new(12);
    let body = r#"{"ico":"99999994","kind":"debtor-appeared-vszp"}"#;
    let truth = site.post("/control/change", body).await.json();
    assert_eq!(truth["debts"][0]["list"], "vszp");
    let ask = "/vszp/platitelia/platenie-poistneho/zoznam-dlznikov.html?typ=1&nazov=vzorostav&proceed=true&docid=227";
    assert!(site.get(ask).await.text().contains("IČO: 99999994"));
    let moved = site
        .post(
            "/control/change",
            r#"{"ico":"99999994","kind":"seat-moved"}"#,
        )
        .await;
    assert_eq!(moved.status, StatusCode::OK);
    let daily = site
        .get("/rpo-dumps/batch-daily/actual_2026-01-15.json.gz")
        .await
        .gunzipped();
    assert!(daily.contains("99999994"));
}
