//! The lists of sanctions.

use axum::http::StatusCode;
use register_simulator::population::Happening;
use register_simulator::population::sanctions::{List, entries};
use register_simulator::{ChangeKind, Population};
use time::macros::date;

use crate::Site;

const UNION: &str =
    "/eu-fsf/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw";

#[tokio::test]
async fn union_list_requires_the_token() {
    let site = Site::new(12);
    let refused = site.get(UNION.split('?').next().expect("a path")).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let answer = site.get(UNION).await;
    assert_eq!(answer.status, StatusCode::OK);
    let list = answer.text();
    assert!(list.contains("generationDate=\"2026-01-15T"), "{list:.300}");
    assert!(list.trim_end().ends_with("</export>"));
    assert!(list.contains("number=\"00 000 124\""));
    assert!(list.contains("wholeName=\"MUELLERIK &amp; KAEFEROVA GMBH\""));
}

#[tokio::test]
async fn united_states_lists_redirect_to_storage() {
    let site = Site::new(12);
    for (file, namespace) in [
        ("SDN.XML", "PublicationPreview/exports/XML"),
        ("CONSOLIDATED.XML", "tempuri.org"),
    ] {
        let export = format!("/ofac/api/PublicationPreview/exports/{file}");
        let sent_on = site.get(&export).await;
        assert_eq!(sent_on.status, StatusCode::TEMPORARY_REDIRECT);
        let answer = site.get(sent_on.header("location")).await;
        let list = answer.text();
        assert!(list.contains(namespace), "{file}");
        let count = format!(
            "<Record_Count>{}</Record_Count>",
            list.matches("<sdnEntry>").count()
        );
        assert!(list.contains(&count), "{file}");
    }
}

#[test]
fn a_company_is_listed_and_taken_off() {
    let population = Population::new(12, 1, date!(2026 - 01 - 15));
    let lists = |day| -> Vec<List> {
        let all = entries(&population.company(0, day));
        all.into_iter().map(|entry| entry.list).collect()
    };
    let happens = |day, happening| population.force(0, day, ChangeKind::Happened(happening));
    assert!(!happens(1, Happening::Delisted), "it is on no list");
    assert!(happens(1, Happening::ListedByUnion));
    assert!(!happens(2, Happening::ListedByUnion), "it is there already");
    assert!(happens(2, Happening::ListedByUnitedStates));
    assert!(happens(3, Happening::Delisted));
    assert_eq!(
        [lists(0), lists(1), lists(2), lists(3)],
        [
            vec![],
            vec![List::Union],
            vec![List::Union, List::Main],
            vec![]
        ]
    );
}
