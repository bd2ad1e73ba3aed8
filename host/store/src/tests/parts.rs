//! A company with all its parts.

use super::documents::{details, section, throttled};
use super::*;
use crate::testing::scope_name;
use crate::{Details, ImportTime, StoredParts};

const ICO: &str = "10000001";

async fn store_companies(store: &Store) {
    let both = [company(ICO, "Pekáreň"), company("10000002", "Mlyn")];
    store.companies().upsert(&both, false, START).await.unwrap();
}

#[tokio::test]
async fn company_is_found_with_its_parts() {
    on_each_database(|store| async move {
        store_companies(&store).await;
        let (table, sections) = (store.details(), store.sections());
        table
            .put(&details(ICO, "1/1", "{\"a\":1}"), START)
            .await
            .unwrap();
        let unknown = Details {
            connector: connector_id("courts"),
            found: false,
            content: None,
            ..details(ICO, "2", "")
        };
        table.put(&unknown, after(1)).await.unwrap();
        let separated = SourceFailure::new(FailureKind::Malformed, "a \"b\"\u{1e}\nc");
        let orsr = connector_id("orsr");
        table
            .put_failure(ICO, &orsr, &separated, after(2))
            .await
            .unwrap();
        table
            .put(&details("10000002", "3/1", "{}"), START)
            .await
            .unwrap();
        for scope in ["vat", "tax", "courts"] {
            let content = format!("{{\"scope\":\"{scope} – č\"}}");
            sections
                .put(&section(ICO, scope, &content), START)
                .await
                .unwrap();
        }
        sections
            .put(&section("10000002", "tax", "{}"), START)
            .await
            .unwrap();
        let (vat, debtors) = (scope_name("vat"), connector_id("debtors"));
        sections
            .put_failure(ICO, &vat, &debtors, &throttled(), after(2))
            .await
            .unwrap();
        import(&store, &[record("a", "1")], after(3)).await;

        let scopes = ["tax", "vat", "unknown"].map(scope_name);
        let companies = store.companies();
        let found = companies.find_with_parts(ICO, &scopes).await.unwrap();
        let expected = StoredParts {
            details: table.find(ICO).await.unwrap(),
            sections: sections.find(ICO, &scopes).await.unwrap(),
            imports: vec![ImportTime {
                connector: TESTS.clone(),
                dataset: "list".to_owned(),
                at: after(3),
            }],
        };
        let connectors: Vec<_> = expected
            .details
            .iter()
            .map(|part| part.connector.as_str())
            .collect();
        assert_eq!(connectors, ["courts", "orsr"]);
        assert_eq!(expected.details[1].failure, Some(separated));
        assert_eq!(expected.details[1].content.as_deref(), Some("{\"a\":1}"));
        assert!(!expected.details[0].found);
        let names: Vec<_> = expected
            .sections
            .iter()
            .map(|part| part.scope.as_str())
            .collect();
        assert_eq!(names, ["tax", "vat"]);
        let base = companies.find_by_ico(ICO).await.unwrap().unwrap();
        assert_eq!(found, Some((base, expected.clone())));
        assert_eq!(companies.parts(ICO, &scopes).await.unwrap(), expected);
    })
    .await;
}

#[tokio::test]
async fn company_without_parts_is_found_and_unknown_is_not() {
    on_each_database(|store| async move {
        store_companies(&store).await;
        let companies = store.companies();
        let none = StoredParts {
            details: Vec::new(),
            sections: Vec::new(),
            imports: Vec::new(),
        };
        let base = companies.find_by_ico(ICO).await.unwrap().unwrap();
        let found = companies.find_with_parts(ICO, []).await.unwrap();
        assert_eq!(found, Some((base, none.clone())));
        assert_eq!(
            companies.find_with_parts("99999999", []).await.unwrap(),
            None
        );
        assert_eq!(companies.parts("99999999", []).await.unwrap(), none);
    })
    .await;
}
