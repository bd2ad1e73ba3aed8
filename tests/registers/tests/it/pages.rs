//! The commercial register and the insurers: pages, archives and lists.

use axum::http::{Method, StatusCode};

use crate::Site;

#[tokio::test]
async fn commercial_register_uses_windows_1250() {
    let answer = Site::new(12)
        .get("/orsr/hladaj_ico.asp?ICO=99999994&SID=0")
        .await;
    assert!(answer.header("content-type").contains("windows-1250"));
    assert!(
        std::str::from_utf8(&answer.body).is_err(),
        "these bytes are not UTF-8"
    );
    // Č is a single byte.
    assert!(
        answer
            .body
            .windows(5)
            .any(|bytes| bytes == [0xC8, b'u', 0xE8, b'o', b'r'])
    );
    assert!(answer.windows_1250().contains("vypis.asp?ID=1000&SID="));
}

#[tokio::test]
async fn unknown_ico_returns_an_ordinary_page() {
    let site = Site::new(12);
    for (ico, echoed) in [("12345678", "12345678"), ("123", "neplatné")] {
        let page = site
            .get(&format!("/orsr/hladaj_ico.asp?ICO={ico}&SID=0"))
            .await
            .windows_1250();
        assert!(page.contains("Kritériám vyhľadávania nezodpovedá žiadny záznam!"));
        assert!(page.contains("Záznamy:&nbsp;<b>0&nbsp;-&nbsp;0&nbsp;/&nbsp;0</b>"));
        assert!(page.contains(echoed));
    }
    let trader = site
        .get("/orsr/hladaj_ico.asp?ICO=99999960&SID=0")
        .await
        .windows_1250();
    assert!(trader.contains("žiadny záznam!"));
}

/// The links of the rows for an IČO.
async fn files(site: &Site, ico: &str) -> Vec<String> {
    let page = site
        .get(&format!("/orsr/hladaj_ico.asp?ICO={ico}&SID=0"))
        .await
        .windows_1250();
    let links = page
        .split("<a href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    links
        .filter(|link| link.starts_with("vypis.asp?ID="))
        .map(|link| format!("/orsr/{link}"))
        .collect()
}

#[tokio::test]
async fn extract_has_labels_of_2020_or_2025() {
    let site = Site::new(12);
    let recent = site
        .get(&files(&site, "99999994").await[0])
        .await
        .windows_1250();
    let old = site
        .get(&files(&site, "99999978").await[0])
        .await
        .windows_1250();
    for (label, page, other) in [
        ("Predmet podnikania (činnosti):&nbsp;", &recent, &old),
        ("Výška základného imania:&nbsp;", &recent, &old),
        ("icon_ifo_green.gif", &recent, &old),
        ("<span class=\"tl\">Predmet činnosti:&nbsp;", &old, &recent),
        ("<span class=\"tl\">Základné imanie:&nbsp;", &old, &recent),
    ] {
        assert!(page.contains(label) && !other.contains(label), "{label}");
    }
    assert!(recent.contains("<span class='ra'>(od: "));
    assert!(
        recent.contains("<a class=lnm href=hladaj_osoba.asp?PR=Skúšobná&MENO=Jana&SID=0&T=f0&R=1>")
    );
    assert!(recent.contains("<span class='ra'> , PhD. </span>"));
}

#[tokio::test]
async fn only_the_full_extract_has_history() {
    let site = Site::new(12);
    let links = files(&site, "99999994").await;
    let (current, full) = (
        site.get(&links[0]).await.windows_1250(),
        site.get(&links[1]).await.windows_1250(),
    );
    assert!(!current.contains("class='ro'") && !current.contains(" do: "));
    assert!(
        full.contains("<span class='ro'>  Vzorostav, s. r. o. </span>") && full.contains(" do: ")
    );
}

#[tokio::test]
async fn ceded_file_is_marked_in_row_and_extract() {
    let site = Site::new(12);
    let links = files(&site, "99999897").await;
    assert_eq!(links.len(), 4);
    let page = site
        .get("/orsr/hladaj_ico.asp?ICO=99999897&SID=0")
        .await
        .windows_1250();
    assert_eq!(
        page.matches("postúpený z dôvodu miestnej nepríslušnosti")
            .count(),
        1
    );
    assert!(
        site.get(&links[0])
            .await
            .windows_1250()
            .contains("postúpený z dôvodu miestnej nepríslušnosti")
    );
    assert!(
        !site
            .get(&links[2])
            .await
            .windows_1250()
            .contains("postúpený z dôvodu")
    );
}

#[tokio::test]
async fn two_files_share_an_id_and_differ_by_court() {
    let site = Site::new(12);
    let (one, other) = (
        files(&site, "99999919").await,
        files(&site, "99999901").await,
    );
    let id = |link: &str| link.split(['=', '&']).nth(1).map(str::to_owned);
    assert_eq!(id(&one[0]), id(&other[0]));
    assert!(
        site.get(&one[0])
            .await
            .windows_1250()
            .contains("99 999 919")
    );
    assert!(
        site.get(&other[0])
            .await
            .windows_1250()
            .contains("99 999 901")
    );
}

#[tokio::test]
async fn a_foreign_officer_has_a_country_line() {
    let site = Site::new(12);
    let page = site
        .get(&files(&site, "99999927").await[0])
        .await
        .windows_1250();
    assert!(page.contains("Jürgen") && page.contains("republika </span><br>"));
}

#[tokio::test]
async fn social_insurer_file_moves_every_week() {
    let site = Site::new(300);
    let link = |page: &str| {
        page.split("href=\"/api")
            .nth(1)
            .and_then(|rest| rest.split('"').next())
            .map(str::to_owned)
    };
    let landing = "/socpoist/nastroje-sluzby/zoznam-dlznikov";
    let old = link(site.get(landing).await.text()).expect("a link");
    assert_eq!(old.trim_start_matches("/idsp/download/").len(), 36);
    let files = site.get(&format!("/socpoist/api{old}")).await.unzipped();
    assert_eq!(files[0].0, "dlznici_3_2026.csv");
    assert_eq!(files[1].0, "dlznici_3_2026.txt");
    let csv = &files[0].1;
    assert!(csv.as_bytes().starts_with(&[0xEF, 0xBB, 0xBF]));
    assert!(csv.contains("\"MENO / NÁZOV\",\"IČO\",\"ADRESA\",\"MESTO\",\"DLŽNÁ SUMA\"\r\n"));
    assert!(csv.contains("\"99999943\",\"") && csv.contains("\"1 785,98\""));
    assert!(csv.contains(",\"\",\""), "persons have no IČO");
    assert!(
        csv.replace("\r\n", "").contains('\n'),
        "values have line breaks"
    );
    site.advance(7).await;
    assert_eq!(
        site.get(&format!("/socpoist/api{old}")).await.status,
        StatusCode::NOT_FOUND
    );
    assert_ne!(link(site.get(landing).await.text()).expect("a link"), old);
}

#[tokio::test]
async fn health_insurer_states_an_empty_result() {
    let site = Site::new(12);
    let ask = |ico| {
        format!(
            "/vszp/platitelia/platenie-poistneho/zoznam-dlznikov.html?typ=1&nazov={ico}&proceed=true&docid=227"
        )
    };
    let hit = site.get(&ask("99999943")).await;
    assert!(hit.text().contains("<br />IČO: 99999943</td>"));
    assert!(hit.text().contains("<th>Typ platiteľa</th><th>Rozsah</th>"));
    assert!(hit.text().contains("6\u{a0}641,86</td>"));
    assert!(!hit.text().contains("Nenašli") && !hit.text().contains('€'));
    assert!(
        site.get(&ask("99999994"))
            .await
            .text()
            .contains("Nenašli\u{a0}sa žiadne\u{a0}záznamy.")
    );
}

#[tokio::test]
async fn union_asks_for_credentials() {
    let site = Site::new(400);
    let (path, body) = (
        "/union/ehip-server/rest/debtors",
        r#"{"start":0,"count":2,"vyhladavaciRetazec":""}"#,
    );
    assert_eq!(site.post(path, body).await.status, StatusCode::UNAUTHORIZED);
    let credentials = [("authorization", "Basic ZGVtbzpkZW1v")];
    let answer = site
        .send(Method::POST, path, &credentials, body)
        .await
        .json();
    assert_eq!(answer["rows"].as_array().map(Vec::len), Some(2));
    assert!(answer["totalRows"].as_u64() > Some(2));
    assert_eq!(
        (&answer["rows"][0]["rplIco"], &answer["rows"][0]["suma"]),
        (&"99999943".into(), &"312,40".into())
    );
    let one = r#"{"start":0,"count":10,"vyhladavaciRetazec":"99999943"}"#;
    assert_eq!(
        site.send(Method::POST, path, &credentials, one)
            .await
            .json()["totalRows"],
        1
    );
}

#[tokio::test]
async fn dovera_blocks_robots_but_operator_has_file() {
    let site = Site::new(12);
    assert_eq!(
        site.get("/dovera/overenia/dlznici/zoznam-dlznikov")
            .await
            .status,
        StatusCode::FORBIDDEN
    );
    let answer = site.get("/operator-files/dovera.csv").await;
    let mut lines = answer.text().lines();
    assert_eq!(lines.next(), Some("nazov;ico;ulica;psc;obec;suma;k_datumu"));
    assert!(
        lines.next().is_some_and(
            |line| line.contains(";99999943;") && line.ends_with(";12 045,50;15.01.2026")
        )
    );
}

#[tokio::test]
async fn present_extract_prints_the_end_of_a_term() {
    let site = Site::new(12);
    let board = files(&site, "99999919").await;
    let page = site.get(&board[0]).await.windows_1250();
    assert_eq!(page.matches(" do: ").count(), 1, "{page}");
}

#[tokio::test]
async fn changed_legal_form_is_joint_stock() {
    let site = Site::new(12);
    let shown = async || {
        let page = site
            .get(&files(&site, "99999927").await[0])
            .await
            .windows_1250();
        let entity = site.get("/rpo/entity/1000015").await;
        (page, entity.json())
    };
    let (page, entity) = shown().await;
    assert!(page.contains("Spoločnosť s ručením obmedzeným") && page.contains("Vklad: "));
    assert!(entity.to_string().contains("\"112\""), "{entity}");
    let changed = r#"{"ico":"99999927","kind":"legal-form-changed"}"#;
    assert_eq!(site.post("/control/change", changed).await.status, 200);
    assert_eq!(
        site.post("/control/advance", r#"{"days":1}"#).await.status,
        200
    );
    let (page, entity) = shown().await;
    for there in [
        "Akciová spoločnosť",
        "Predstavenstvo",
        ", a. s.",
        "Dozorná rada",
    ] {
        assert!(
            page.to_lowercase().contains(&there.to_lowercase()),
            "{there}: {page}"
        );
    }
    for gone in ["Spoločnosť s ručením obmedzeným", "Vklad: ", "konateľ"] {
        assert!(!page.contains(gone), "{gone}: {page}");
    }
    assert!(entity.to_string().contains("\"121\""), "{entity}");
}
