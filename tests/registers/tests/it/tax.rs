//! The tax authority's files and interface, and the Union's VAT validation.

use axum::http::{Method, StatusCode};

use crate::{Answer, Site};

const KEY: [(&str, &str); 1] = [("key", "demo-key")];

async fn api(site: &Site, path: &str) -> Answer {
    site.send(Method::GET, path, &KEY, "").await
}

#[tokio::test]
async fn each_file_is_a_zip_with_list_and_schema() {
    let site = Site::new(600);
    for slug in [
        "ds_dphs",
        "ds_dphz",
        "ds_dphv",
        "ds_dph_iban",
        "ds_iz_ran",
        "ds_dsdd",
        "ds_dsrdp",
        "ds_dphno",
        "ds_dpho",
        "ds_dppos",
        "ds_dph_oud",
        "ds_zvv",
        "ds_zoi",
        "ds_zpb",
        "ds_zrs",
    ] {
        let answer = site.get(&format!("/fs-reports/{slug}.zip")).await;
        assert_eq!(
            answer.header("last-modified"),
            "Thu, 15 Jan 2026 04:30:00 GMT"
        );
        assert_eq!(
            answer.header("content-length"),
            answer.body.len().to_string()
        );
        let files = answer.unzipped();
        assert_eq!(
            (&files[0].0, &files[1].0),
            (&format!("{slug}.xml"), &format!("{slug}.xsd"))
        );
        let xml = &files[0].1;
        assert!(xml.contains("<DatumAktualizacieZoznamu>15012026</DatumAktualizacieZoznamu>"));
        assert!(xml.contains(&format!("<{}>\n<ITEM>", slug.to_uppercase())));
    }
    assert_eq!(
        site.get("/fs-reports/ds_ids.zip").await.status,
        StatusCode::NOT_FOUND
    );
    let known = [("if-modified-since", "Thu, 15 Jan 2026 04:30:00 GMT")];
    let again = site
        .send(Method::GET, "/fs-reports/ds_dphs.zip", &known, "")
        .await;
    assert_eq!(again.status, StatusCode::NOT_MODIFIED);
}

#[tokio::test]
async fn rows_leave_out_what_is_empty() {
    let site = Site::new(600);
    let xml = site
        .get("/fs-reports/ds_dphs.zip")
        .await
        .unzipped()
        .remove(0)
        .1;
    assert!(xml.contains("<IC_DPH>SK2999999904</IC_DPH><ICO>99999994</ICO>"));
    assert!(
        xml.contains("<DRUH_REG_DPH>§4b</DRUH_REG_DPH>")
            && xml.contains("<DRUH_REG_DPH>§7a</DRUH_REG_DPH>")
    );
    assert!(
        xml.lines()
            .any(|line| line.contains("§5") && !line.contains("<ICO>")),
        "foreign payers have no IČO"
    );
    let doubled = xml.matches("<IC_DPH>SK2955999904</IC_DPH>").count();
    assert_eq!(doubled, 2);
    let debtors = site
        .get("/fs-reports/ds_dsdd.zip")
        .await
        .unzipped()
        .remove(0)
        .1;
    assert!(!debtors.contains("<ICO>"));
    assert!(debtors.contains("<NAZOV_SUBJEKTU>&quot;"));
}

#[tokio::test]
async fn some_rows_use_other_numbers_than_ico() {
    let site = Site::new(600);
    let file = async |slug: &str| {
        let answer = site.get(&format!("/fs-reports/{slug}.zip")).await;
        answer.unzipped().remove(0).1
    };
    let deductions = file("ds_dphno").await;
    let of_first = |line: &&str| line.contains("<DIC>2999999904</DIC>");
    let quarters: Vec<&str> = deductions.lines().filter(of_first).collect();
    assert_eq!(quarters.len(), 4, "a row for each quarter");
    assert!(quarters[0].contains("<ICO>99999994</ICO>") && quarters[0].contains("2025-4Q"));
    assert!(quarters[2].contains("<NADMERNY_ODPOCET>") && !quarters[2].contains("VLAST_DAN"));
    let by_number = deductions.lines().filter(|line| line.contains("<ITEM>"));
    assert!(by_number.filter(|line| !line.contains("<ICO>")).count() > 3);
    let research = file("ds_zvv").await;
    assert!(research.contains("<DIC>2999999904</DIC>") && !research.contains("<ICO>"));
    assert!(file("ds_dph_oud").await.contains("<IBAN>SK"));
    let lists = api(&site, "/fs-api/lists").await.json();
    let slugs = lists.as_array().into_iter().flatten();
    let found = slugs.filter(|list| {
        let name = list["name"].as_str().unwrap_or_default();
        name.contains("výskum")
    });
    assert_eq!(
        found.map(|list| list["slug"].clone()).collect::<Vec<_>>(),
        ["ds_zvv"]
    );
    let pages = api(&site, "/fs-api/data/ds_dphno?page=1").await.json();
    assert_eq!(
        pages["itemsCount"].as_u64(),
        Some(deductions.matches("<ITEM>").count() as u64)
    );
}

#[tokio::test]
async fn interface_requires_a_key() {
    let site = Site::new(12);
    assert_eq!(
        site.get("/fs-api/lists").await.status,
        StatusCode::UNAUTHORIZED
    );
    let lists = api(&site, "/fs-api/lists").await.json();
    assert_eq!(lists.as_array().map(Vec::len), Some(15));
    assert_eq!(lists[0]["searchable"], "ic_dph");
    assert_eq!(
        api(&site, "/fs-api/lists/ds_iz_ran").await.json()["update_date"],
        "2026-01-15 05:30:02"
    );
}

#[tokio::test]
async fn search_returns_nulls_and_a_miss_is_a_404() {
    let site = Site::new(12);
    let hit = api(
        &site,
        "/fs-api/data/ds_dphs/search?column=ic_dph&search=SK2999999904",
    )
    .await
    .json();
    assert_eq!(
        (&hit["page"], &hit["itemsPerPage"]),
        (&1.into(), &1000.into())
    );
    assert_eq!(hit["data"][0]["ic_dph"], "SK2999999904");
    assert!(hit["data"][0]["datum_zmeny_druhu_reg"].is_null());
    let accounts = api(
        &site,
        "/fs-api/data/ds_dph_iban/search?column=ic_dph&search=SK2999999904",
    )
    .await
    .json();
    assert_eq!(accounts["itemsCount"], 3);
    let miss = api(
        &site,
        "/fs-api/data/ds_dphs/search?column=ic_dph&search=SK2000000000",
    )
    .await;
    assert_eq!(miss.status, StatusCode::NOT_FOUND);
    assert_eq!(
        miss.text(),
        r#"{"status":"error","code":"404","message":"Page doesn't exists"}"#
    );
    for bad in ["column=ico&search=99999994", "column=ic_dph&search=9999"] {
        assert_eq!(
            api(&site, &format!("/fs-api/data/ds_dphs/search?{bad}"))
                .await
                .status,
            StatusCode::BAD_REQUEST
        );
    }
    let debtor = api(
        &site,
        "/fs-api/data/ds_dsdd/search?column=nazov_subjektu&search=tapkotrans",
    )
    .await
    .json();
    assert_eq!(debtor["itemsCount"], 1);
}

#[tokio::test]
async fn pages_of_a_list_add_up() {
    let site = Site::new(4_000);
    let first = api(&site, "/fs-api/data/ds_dph_iban?page=1").await.json();
    let (pages, count) = (
        first["pages"].as_u64().unwrap_or(0),
        first["itemsCount"].as_u64().unwrap_or(0),
    );
    assert!(pages > 1);
    let mut rows = 0;
    for page in 1..=pages {
        let page = api(&site, &format!("/fs-api/data/ds_dph_iban?page={page}"))
            .await
            .json();
        rows += page["data"].as_array().map_or(0, Vec::len) as u64;
    }
    assert_eq!(rows, count);
    let past = api(
        &site,
        &format!("/fs-api/data/ds_dph_iban?page={}", pages + 1),
    )
    .await;
    assert_eq!(past.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn vies_confirms_registered_companies() {
    let site = Site::new(12);
    let valid = site.get("/vies/ms/SK/vat/2999999904").await.json();
    assert_eq!(
        (&valid["isValid"], &valid["userError"]),
        (&true.into(), &"VALID".into())
    );
    assert_eq!(valid["viesApproximate"]["matchName"], 3);
    assert!(
        valid["requestDate"]
            .as_str()
            .is_some_and(|date| date.starts_with("2026-01-15T08:00:0") && date.ends_with('Z'))
    );
    for invalid in ["2999999871", "0000000000", "ABC"] {
        let answer = site.get(&format!("/vies/ms/SK/vat/{invalid}")).await.json();
        assert_eq!(
            (&answer["isValid"], &answer["userError"]),
            (&false.into(), &"INVALID".into())
        );
    }
    let body = r#"{"countryCode":"SK","vatNumber":"2999999904"}"#;
    let posted = site.post("/vies/check-vat-number", body).await.json();
    assert_eq!(
        (&posted["valid"], &posted["traderNameMatch"]),
        (&true.into(), &"NOT_PROCESSED".into())
    );
    assert!(
        posted["address"]
            .as_str()
            .is_some_and(|address| address.ends_with("\nSlovensko"))
    );
}

#[tokio::test]
async fn unavailable_state_has_one_error_body() {
    let site = Site::new(12);
    let expected = r#"{"actionSucceed":false,"errorWrappers":[{"error":"MS_UNAVAILABLE"}]}"#;
    assert_eq!(
        site.get("/vies/ms/SK/vat/2999999783").await.text(),
        expected
    );
    let body = r#"{"countryCode":"SK","vatNumber":"2999999783"}"#;
    assert_eq!(
        site.post("/vies/check-vat-number", body).await.text(),
        expected
    );
    let bad = site
        .post("/vies/check-vat-number", r#"{"countryCode":"SK"}"#)
        .await;
    assert_eq!(
        (bad.status, bad.json()["errorWrappers"][0]["error"].clone()),
        (StatusCode::BAD_REQUEST, "INVALID_INPUT".into())
    );
}
