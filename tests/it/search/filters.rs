//! Filters of searches.

use lustra_tests::lustra::names;
use lustra_tests::lustra::store::{CompanyStatus, CompanyToFind};

use super::{FIRST, everything, icos};
use crate::support::reading_each;

#[test]
fn filters_combine() {
    reading_each(async |world| {
        let all = everything(world).await;
        type Predicate = fn(&CompanyToFind) -> bool;
        let cases: [(&str, Predicate); 14] = [
            ("status=terminated", |c| {
                c.status == CompanyStatus::Terminated
            }),
            ("legal_form=112", |c| {
                c.legal_form_code.as_deref() == Some("112")
            }),
            ("legal_form=s.r.o.", |c| {
                c.legal_form_code.as_deref() == Some("112")
            }),
            (
                "legal_form=Spolo%C4%8Dnos%C5%A5+s+ru%C4%8Den%C3%ADm+obmedzen%C3%BDm",
                |c| c.legal_form_code.as_deref() == Some("112"),
            ),
            ("legal_form=o.z.", |c| {
                c.legal_form_code.as_deref() == Some("701")
            }),
            ("legal_form=druzstvo", |c| {
                c.legal_form
                    .as_deref()
                    .is_some_and(|form| names::fold(form).contains("druzstvo"))
            }),
            ("city=BRATISLAVA", |c| {
                c.city.as_deref().is_some_and(|city| {
                    names::fold(city)
                        .split(' ')
                        .any(|word| word == "bratislava")
                })
            }),
            ("city=senica+pri", |c| {
                c.city.as_deref() == Some("Senica pri Vzore")
            }),
            ("nace_code=10", |c| {
                c.nace_code
                    .as_deref()
                    .is_some_and(|code| code.starts_with("10"))
            }),
            ("nace_code=10.71", |c| {
                {
                    c.nace_code
                        .as_deref()
                        .is_some_and(|code| code.starts_with("1071"))
                }
            }),
            ("established_from=2015-01-01", |c| {
                c.established_date.as_deref() >= Some("2015-01-01")
            }),
            ("established_to=2000-06-30", |c| {
                c.established_date
                    .as_deref()
                    .is_some_and(|date| date <= "2000-06-30")
            }),
            (
                "established_from=2000-01-01&established_to=2010-12-31&status=active",
                |c| {
                    c.status == CompanyStatus::Active
                        && c.established_date
                            .as_deref()
                            .is_some_and(|date| ("2000-01-01"..="2010-12-31").contains(&date))
                },
            ),
            ("name=vzoro&legal_form=112&status=active&city=senica", |c| {
                c.ico == FIRST
            }),
        ];
        for (query, holds) in cases {
            let answer = world
                .get(&format!("/v1/search/advanced?limit=100&{query}"))
                .await;
            let mut found = icos(&answer);
            found.sort();
            let mut expected: Vec<String> = all
                .iter()
                .filter(|company| holds(company))
                .map(|company| company.ico.clone())
                .collect();
            expected.sort();
            assert_eq!(found, expected, "{query}");
            assert!(!expected.is_empty(), "{query} finds something");
        }
    });
}
