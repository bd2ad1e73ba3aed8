//! A company's page: it shows what the API answers, with sources and warnings.

use lustra_tests::World;
use serde_json::Value;

use crate::pages::page;
use crate::support::reading;

/// Every text and number in an answer, by its path.
fn facts(value: &Value, path: &str, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                facts(member, &format!("{path}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for item in items {
                facts(item, path, found);
            }
        }
        Value::String(_) | Value::Number(_) => found.push((path.to_owned(), value.clone())),
        Value::Null | Value::Bool(_) => {}
    }
}

/// A page's letters and digits, so that separators and marks make no difference.
fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Whether a page shows a text or number in some form.
fn is_shown(page: &str, raw: &str, value: &Value) -> bool {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let escaped = text
        .replace('&', "&#38;")
        .replace('<', "&#60;")
        .replace('"', "&#34;")
        .replace('\'', "&#39;");
    if raw.contains(&escaped) || page.contains(&bare(&text)) {
        return true;
    }
    let mut day = text
        .get(..10)
        .unwrap_or_default()
        .split('-')
        .map(|part| part.trim_start_matches('0'));
    let day: String = [day.next(), day.next(), day.next()]
        .into_iter()
        .rev()
        .flatten()
        .collect();
    let number = text
        .parse::<f64>()
        .ok()
        .map(|number| bare(&format!("{number:.2}")));
    page.contains(&day) && !day.is_empty() || number.is_some_and(|number| page.contains(&number))
}

#[test]
fn company_page_shows_the_facts_of_the_answer() {
    reading(async |world| {
        for place in [0, 1, 5] {
            let ico = &world.icos[place];
            let answer = world.company(ico, "all").await;
            let mut found = Vec::new();
            facts(answer.at("/data"), "", &mut found);
            assert!(found.len() > 100, "{}", found.len());
            let raw = page(world, &format!("/company/{ico}")).await;
            let shown = bare(&raw);
            let missing: Vec<_> = found
                .iter()
                .filter(|(path, value)| {
                    // An amount has its currency, words stand for codes, and reasons are translated.
                    let is_other = [
                        "currency",
                        "/why",
                        "/source_register",
                        "/id",
                        "country_code",
                        "/country",
                        "/legal_form_code",
                    ];
                    let is_code = value.as_str().is_some_and(|text| {
                        text.starts_with(|first: char| first.is_ascii_lowercase())
                            && text.bytes().all(|byte| {
                                byte.is_ascii_lowercase()
                                    || byte.is_ascii_digit()
                                    || matches!(byte, b'_' | b'-')
                            })
                    });
                    !is_code
                        && !is_other.iter().any(|end| path.ends_with(end))
                        && !is_shown(&shown, &raw, value)
                })
                .collect();
            assert!(missing.is_empty(), "{ico}: {missing:#?}");
        }
    });
}

#[test]
fn company_page_names_registers_dates_and_call() {
    reading(async |world| {
        let ico = &world.icos[0];
        let answer = world.company(ico, "all").await;
        let page = page(world, &format!("/company/{ico}")).await;
        let scopes = answer.at("/meta/scopes").as_object().expect("origins");
        assert!(scopes.len() > 30, "{}", scopes.len());
        for (scope, origin) in scopes {
            let register = origin["register"].as_str().expect("a name");
            assert!(
                page.contains(&register.replace('\'', "&#39;")),
                "{scope}: {register}"
            );
        }
        let call = format!("{}/v1/company/ico/{ico}?scope=all", world.url());
        assert!(page.contains(&call), "{page}");
        assert!(page.contains("<time datetime=\"20"), "{page}");
        assert!(page.contains("<svg"), "figures over years are plotted");
    });
}

#[test]
fn warnings_come_from_the_marks_of_manifests() {
    reading(async |world| {
        let debtor = page(world, &format!("/company/{}", world.icos[5])).await;
        let warnings = debtor.split("id=\"warnings\"").nth(1).expect("warnings");
        let warnings = warnings.split("</section>").next().expect("an end");
        assert!(warnings.contains("href=\"#debtor_status\""), "{warnings}");
        assert!(warnings.contains("Zoznamy dlžníkov"), "{warnings}");
        assert!(warnings.contains("Sociálna poisťovňa"), "{warnings}");
        assert!(
            !warnings.contains("href=\"#tax_reliability\""),
            "{warnings}"
        );
        let ended = page(world, &format!("/company/{}", world.icos[4])).await;
        assert!(ended.contains("Firma už neexistuje"), "{ended}");
    });
}

#[test]
fn unread_part_is_not_shown_as_nothing_found() {
    let world = async || World::new().companies(12).nothing_imported().start().await;
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(async {
        let world = world().await;
        let page = page(&world, &format!("/company/{}", world.icos[0])).await;
        let unread = page
            .split("id=\"unread\"")
            .nth(1)
            .expect("what was not read");
        let unread = unread.split("</section>").next().expect("an end");
        assert!(
            unread.contains("O týchto údajoch sa nedá nič povedať"),
            "{unread}"
        );
        assert!(unread.matches("<li>").count() > 5, "{unread}");
        assert!(
            page.contains("To neznamená, že žiadne neexistuje"),
            "{page}"
        );
        assert!(!page.contains("class=\"box well\""), "{page}");
        world.end().await;
    });
}
