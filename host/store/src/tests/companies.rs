use super::*;
use crate::Upserted;

#[tokio::test]
async fn company_is_found_by_every_key() {
    on_each_database(|store| async move {
        let base = company("10000001", "Pekáreň");
        store
            .companies()
            .upsert(std::slice::from_ref(&base), false, START)
            .await
            .unwrap();
        let found = store
            .companies()
            .find_by_ico("10000001")
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            (&found.base, found.fetched_at, found.changed_at),
            (&base, START, START)
        );
        assert_eq!(
            store
                .companies()
                .find_by_id(found.id)
                .await
                .unwrap()
                .as_ref(),
            Some(&found)
        );
        let by_register = store
            .companies()
            .find_by_register_id(&connector_id("rpo"), "rpo-10000001")
            .await
            .unwrap();
        assert_eq!(by_register.as_ref(), Some(&found));
        assert_eq!(
            store
                .companies()
                .find_by_register_id(&connector_id("orsr"), "rpo-10000001")
                .await
                .unwrap(),
            None
        );
        assert_eq!(
            store.companies().find_by_ico("10000002").await.unwrap(),
            None
        );
    })
    .await;
}

#[tokio::test]
async fn unchanged_company_is_written_only_with_touch() {
    on_each_database(|store| async move {
        let companies = [company("10000001", "Pekáreň"), company("10000002", "Mlyn")];
        let first = store
            .companies()
            .upsert(&companies, false, START)
            .await
            .unwrap();
        assert_eq!(
            first,
            Upserted {
                inserted: 2,
                ..Upserted::default()
            }
        );
        let before = store
            .companies()
            .find_by_ico("10000001")
            .await
            .unwrap()
            .unwrap();

        let again = store
            .companies()
            .upsert(&companies, false, after(60))
            .await
            .unwrap();
        assert_eq!(
            again,
            Upserted {
                unchanged: 2,
                ..Upserted::default()
            }
        );
        assert_eq!(
            store
                .companies()
                .find_by_ico("10000001")
                .await
                .unwrap()
                .as_ref(),
            Some(&before)
        );

        store
            .companies()
            .upsert(&companies, true, after(90))
            .await
            .unwrap();
        let touched = store
            .companies()
            .find_by_ico("10000001")
            .await
            .unwrap()
            .unwrap();
        assert_eq!((touched.fetched_at, touched.changed_at), (after(90), START));
        assert_eq!((touched.id, touched.revision), (before.id, before.revision));
    })
    .await;
}

#[tokio::test]
async fn less_preferred_register_is_replaced() {
    on_each_database(|store| async move {
        let preferred = company("10000001", "Pekáreň");
        store
            .companies()
            .upsert(std::slice::from_ref(&preferred), false, START)
            .await
            .unwrap();

        let mut other = company("10000001", "Pekáreň inak");
        (other.source_register, other.preference) = (connector_id("lists"), "4".to_owned());
        let kept = store
            .companies()
            .upsert(std::slice::from_ref(&other), true, after(1))
            .await
            .unwrap();
        assert_eq!(
            kept,
            Upserted {
                kept: 1,
                ..Upserted::default()
            }
        );

        other.preference = "5".to_owned();
        let taken = store
            .companies()
            .upsert(std::slice::from_ref(&other), false, after(2))
            .await
            .unwrap();
        assert_eq!(
            taken,
            Upserted {
                changed: 1,
                ..Upserted::default()
            }
        );

        let mut own = company("10000001", "Pekáreň nanovo");
        (own.source_register, own.preference) = (connector_id("lists"), "1".to_owned());
        let renewed = store
            .companies()
            .upsert(std::slice::from_ref(&own), false, after(3))
            .await
            .unwrap();
        assert_eq!(
            renewed,
            Upserted {
                changed: 1,
                ..Upserted::default()
            }
        );
        let found = store
            .companies()
            .find_by_ico("10000001")
            .await
            .unwrap()
            .unwrap();
        assert_eq!((found.base, found.changed_at), (own, after(3)));
    })
    .await;
}

#[tokio::test]
async fn preferred_record_of_a_batch_wins() {
    on_each_database(|store| async move {
        let mut preferred = company("10000001", "Preferred");
        preferred.preference = "6".to_owned();
        let batch = [
            company("10000001", "First"),
            preferred.clone(),
            company("10000001", "Last"),
        ];
        let outcome = store
            .companies()
            .upsert(&batch, false, START)
            .await
            .unwrap();
        assert_eq!(
            outcome,
            Upserted {
                inserted: 1,
                ..Upserted::default()
            }
        );
        assert_eq!(
            store
                .companies()
                .find_by_ico("10000001")
                .await
                .unwrap()
                .unwrap()
                .base,
            preferred
        );
    })
    .await;
}

#[tokio::test]
async fn only_changes_advance_revisions() {
    on_each_database(|store| async move {
        let names = |companies: Vec<crate::StoredCompany>| -> Vec<String> {
            companies
                .into_iter()
                .map(|company| company.base.name)
                .collect()
        };
        let batch: Vec<_> = (0..120)
            .map(|number| company(&format!("{number:08}"), "Old"))
            .collect();
        store
            .companies()
            .upsert(&batch, false, START)
            .await
            .unwrap();
        let seen = store.companies().changed_since(0, 1000).await.unwrap();
        assert_eq!(seen.len(), 120);
        assert!(seen.is_sorted_by_key(|company| company.revision));
        let last = seen.last().unwrap().revision;

        store
            .companies()
            .upsert(
                &[batch[7].clone(), company("00000003", "New")],
                true,
                after(5),
            )
            .await
            .unwrap();
        assert_eq!(
            names(store.companies().changed_since(last, 1000).await.unwrap()),
            ["New"]
        );
        assert_eq!(
            store.companies().changed_since(0, 10).await.unwrap().len(),
            10
        );
        assert_eq!(store.companies().count().await.unwrap(), 120);
    })
    .await;
}

#[tokio::test]
async fn candidates_match_the_name_key_prefix() {
    on_each_database(|store| async move {
        let mut elsewhere = company("10000003", "alfa gama");
        (elsewhere.postal_code, elsewhere.city_key) =
            (Some("04001".to_owned()), Some("kosice".to_owned()));
        let batch = [
            company("10000001", "alfa beta"),
            company("10000002", "alfabet"),
            elsewhere,
            company("10000004", "beta"),
            company("10000005", "Alfa"),
        ];
        store
            .companies()
            .upsert(&batch, false, START)
            .await
            .unwrap();
        let icos = async |prefix: &str, postal_code, city, limit| -> Vec<String> {
            let found = store
                .companies()
                .candidates(prefix, postal_code, city, limit)
                .await
                .unwrap();
            found
                .into_iter()
                .map(|company| company.ico[7..].to_owned())
                .collect()
        };
        assert_eq!(icos("alfa", None, None, 10).await, ["5", "1", "3", "2"]);
        assert_eq!(icos("alfa ", None, None, 10).await, ["1", "3"]);
        assert_eq!(icos("alfa", Some("04001"), None, 10).await, ["3"]);
        assert_eq!(icos("alfa", None, Some("nitra"), 2).await, ["5", "1"]);
        assert_eq!(icos("", None, None, 10).await.len(), 5);
    })
    .await;
}

#[tokio::test]
async fn concurrent_writers_lose_nothing() {
    on_each_database(|store| async move {
        let forwards: Vec<_> = (0..200)
            .map(|number| company(&format!("{number:08}"), "Forwards"))
            .collect();
        let backwards: Vec<_> = (0..200)
            .rev()
            .map(|number| company(&format!("{number:08}"), "Backwards"))
            .collect();
        for round in 0..5 {
            let (one, other) = tokio::join!(
                async {
                    store
                        .companies()
                        .upsert(&forwards, true, after(round))
                        .await
                        .unwrap()
                },
                async {
                    store
                        .companies()
                        .upsert(&backwards, true, after(round))
                        .await
                        .unwrap()
                },
            );
            assert_eq!(one.inserted + one.changed + one.unchanged, 200);
            assert_eq!(other.inserted + other.changed + other.unchanged, 200);
        }
        assert_eq!(store.companies().count().await.unwrap(), 200);
        let revisions = store.companies().changed_since(0, 1000).await.unwrap();
        assert_eq!(revisions.len(), 200);
    })
    .await;
}

#[tokio::test]
async fn unreadable_row_is_left_out_of_lists() {
    on_each_database(|store| async move {
        let both = [company("10000001", "Alfa"), company("10000002", "Beta")];
        let companies = store.companies();
        companies.upsert(&both, false, START).await.unwrap();
        let sql = "update company set status = 'dormant' where ico = '10000001'";
        crate::on!(&store.writes, |pool| sqlx::query(sql)
            .execute(pool)
            .await
            .map(drop))
        .unwrap();
        let icos = both.each_ref().map(|company| company.ico.clone());
        let found = companies.find_by_icos(&icos).await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].base.ico, "10000002");
        let to_find = companies
            .to_find_since(0, "former_names", 10)
            .await
            .unwrap();
        assert_eq!(to_find.len(), 1);
        assert_eq!(to_find[0].ico, "10000002");
        assert_eq!(companies.changed_since(0, 10).await.unwrap(), found);
        // The company itself is neither active nor absent.
        let error = companies.find_by_ico("10000001").await.unwrap_err();
        assert!(matches!(
            error,
            crate::StoreError::Unreadable {
                table: "company",
                ..
            }
        ));
    })
    .await;
}
