//! Lists whose slugs are found by their names.

use lustra_sdk::Failure;
use lustra_sdk::serde_json::json;
use lustra_sdk::tax_lists::ListKind;
use lustra_sdk::testing::{Answer, TestHost, run_import};
use lustra_tax_lists::TaxLists;
use lustra_tax_lists::catalogue::{Listed, chosen};
use lustra_tax_lists::dataset::Dataset;
use lustra_tax_lists::settings::default_names;

const RESEARCH: &str = "<Z><DatumAktualizacieZoznamu>15012026</DatumAktualizacieZoznamu><DS_VV><ITEM><DIC>2999999904</DIC><VYSKA_ODPOCTU>1 200,50</VYSKA_ODPOCTU><ZDAN_OBDOBIE>2024</ZDAN_OBDOBIE></ITEM></DS_VV></Z>";

fn listed(names: &[(&str, &str)]) -> Vec<Listed> {
    names
        .iter()
        .map(|(slug, name)| Listed {
            name: (*name).to_owned(),
            slug: (*slug).to_owned(),
        })
        .collect()
}

fn lists() -> Vec<Listed> {
    listed(&[
        (
            "ds_dphs",
            "Zoznam daňových subjektov registrovaných pre DPH",
        ),
        (
            "ds_dphz",
            "Zoznam platiteľov DPH, u ktorých nastali dôvody na zrušenie registrácie",
        ),
        (
            "ds_dsrdp",
            "Zoznam daňových subjektov registrovaných na daň z príjmov",
        ),
        ("ds_vv", "ODPOČET VÝDAVKOV NA VÝSKUM A VÝVOJ"),
        ("ds_oi", "Odpočet výdavkov na investície"),
        ("ds_pb", "Oslobodenie príjmov podľa § 13a (Patent Box)"),
        ("ds_ro", "Zoznam regulovaných osôb"),
    ])
}

#[test]
fn each_list_is_found_by_its_name() {
    let names = default_names();
    for (dataset, slug) in [
        (Dataset::ResearchDeductions, "ds_vv"),
        (Dataset::InvestmentDeductions, "ds_oi"),
        (Dataset::PatentBox, "ds_pb"),
        (Dataset::RegulatedEntities, "ds_ro"),
    ] {
        assert_eq!(
            chosen(dataset, &names[dataset.id()], &lists()).unwrap(),
            slug
        );
    }
}

#[test]
fn zero_or_several_fitting_lists_are_misconfigured() {
    let wanted = ["vyskum vyvoj".to_owned()];
    let none = chosen(Dataset::ResearchDeductions, &wanted, &lists()[..2]).unwrap_err();
    let Failure::Misconfigured(why) = none else {
        panic!("{none:?}")
    };
    for told in [
        "research-deductions",
        "vyskum vyvoj",
        "no list",
        "dôvody na zrušenie",
    ] {
        assert!(why.contains(told), "{told}: {why}");
    }
    let mut twice = lists();
    twice.extend(listed(&[("ds_vv2", "Výskum a vývoj – archív")]));
    let several = chosen(Dataset::ResearchDeductions, &wanted, &twice).unwrap_err();
    let Failure::Misconfigured(why) = several else {
        panic!("{several:?}")
    };
    assert!(why.contains("several") && why.contains("archív"), "{why}");
    assert!(!why.contains("regulovaných"), "only those that fit: {why}");
    for nothing in ["", "   ", "–"] {
        let nothing = [nothing.to_owned()];
        assert!(
            chosen(Dataset::PatentBox, &nothing, &lists()[..1]).is_err(),
            "{nothing:?}"
        );
    }
}

fn host(lists: Answer) -> TestHost {
    TestHost::new()
        .setting("api_key", &json!("secret"))
        .answer("fs-api", "/lists", lists)
        .answer(
            "fs-reports",
            "/ds_vv.zip",
            Answer::zip(&[("ds_vv.xml", RESEARCH)]),
        )
}

#[test]
fn the_found_list_is_imported() {
    for lists in [
        r#"[{"name":"Odpočet na výskum a vývoj","slug":"ds_vv","searchable":["dic"]}]"#,
        r#"{"ds_vv":{"name":"Odpočet na výskum a vývoj","searchable":"dic"}}"#,
    ] {
        host(Answer::ok(lists)).install();
        let (items, _, _) = run_import::<TaxLists>("research-deductions", None).unwrap();
        assert_eq!(items.len(), 1);
        assert!(
            items[0].key.starts_with("dic:2999999904:2024/"),
            "{items:?}"
        );
        assert!(items[0].content.contains("1200.5"), "{items:?}");
        assert_eq!(TestHost::requests().len(), 2);
    }
}

#[test]
fn odd_entry_hides_no_other_list() {
    let wanted = json!({"name": "Odpočet na výskum a vývoj", "slug": "ds_vv"});
    for odd in [
        json!(7),
        json!({"slug": "ds_x"}),
        json!({"name": 7, "slug": "ds_x"}),
    ] {
        let lists = json!([odd, wanted]);
        host(Answer::ok(lists.to_string())).install();
        let (items, _, _) = run_import::<TaxLists>("research-deductions", None).unwrap();
        assert_eq!(items.len(), 1, "{lists}");
        // An unreadable entry may be the searched list, so the settings are not wrong.
        let lists = json!([odd, {"name": "Iné", "slug": "x"}]);
        host(Answer::ok(lists.to_string())).install();
        let failure = run_import::<TaxLists>("research-deductions", None).unwrap_err();
        assert!(matches!(failure, Failure::Malformed(_)), "{failure:?}");
    }
    let by_slug = json!({"ds_x": null, "ds_vv": {"name": "Odpočet na výskum a vývoj"}});
    host(Answer::ok(by_slug.to_string())).install();
    assert!(run_import::<TaxLists>("research-deductions", None).is_ok());
}

#[test]
fn configured_slug_needs_no_list_of_lists() {
    TestHost::new()
        .setting("lists", &json!({"research-deductions": {"slug": "ds_vv"}}))
        .answer(
            "fs-reports",
            "/ds_vv.zip",
            Answer::zip(&[("ds_vv.xml", RESEARCH)]),
        )
        .install();
    assert_eq!(
        run_import::<TaxLists>("research-deductions", None)
            .unwrap()
            .0
            .len(),
        1
    );
}

#[test]
fn missing_list_of_lists_fails_the_import() {
    TestHost::new().install();
    let failure = run_import::<TaxLists>("patent-box", None).unwrap_err();
    assert!(
        matches!(&failure, Failure::Misconfigured(why) if why.contains("api_key")),
        "{failure:?}"
    );
    assert!(TestHost::requests().is_empty());
    for (answer, expected) in [
        (
            Answer::status(401, r#"{"message":"Invalid API key"}"#),
            "misconfigured",
        ),
        (Answer::status(403, ""), "misconfigured"),
        (Answer::status(500, ""), "unavailable"),
        (Answer::ok("<html>Odstávka</html>"), "unavailable"),
        (Answer::ok(""), "malformed"),
        (Answer::ok("[]"), "malformed"),
        (Answer::ok("{}"), "malformed"),
        (Answer::ok("null"), "malformed"),
        (Answer::ok(r#"[{"slug":"ds_vv"}]"#), "malformed"),
        (Answer::ok(r#"[{"name":"Výskum a vývoj"}]"#), "malformed"),
        (
            Answer::ok(r#"[{"name":"Výskum a vývoj","slug":"../x"}]"#),
            "misconfigured",
        ),
        (
            Answer::ok(r#"[{"name":"Iné","slug":"x"}]"#),
            "misconfigured",
        ),
    ] {
        host(answer).install();
        let failure = run_import::<TaxLists>("research-deductions", None).unwrap_err();
        let reason = lustra_sdk::failure::reason(&failure);
        assert!(reason.starts_with(expected), "{expected}: {reason}");
        assert!(!reason.contains("secret"));
    }
}
