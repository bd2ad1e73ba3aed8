//! The lists supplied by an operator.

use axum::http::StatusCode;
use register_simulator::Population;
use register_simulator::population::listed::{Trade, licences};
use time::macros::date;

use crate::Site;

const TABLES: [&str; 3] = ["security-licences", "utility-licences", "travel-agencies"];

const WORKBOOKS: [&str; 3] = ["transport-licences", "social-enterprises", "employers"];

async fn csv(site: &Site, name: &str) -> String {
    let answer = site.get(&format!("/operator-files/{name}.csv")).await;
    assert_eq!(answer.status, StatusCode::OK, "{name}");
    String::from_utf8(answer.body).expect("UTF-8")
}

#[tokio::test]
async fn half_are_csv_and_half_are_workbooks() {
    let site = Site::new(60);
    for name in TABLES {
        let text = csv(&site, name).await;
        let header = text.lines().next().unwrap_or_default();
        assert!(
            header.starts_with('\u{feff}') && header.contains(";IČO;"),
            "{header}"
        );
        assert!(text.lines().count() > 3, "{name} is a list of several");
    }
    for name in WORKBOOKS {
        let answer = site.get(&format!("/operator-files/{name}.xlsx")).await;
        assert_eq!(
            (answer.status, &answer.body[..2]),
            (StatusCode::OK, &b"PK"[..]),
            "{name}"
        );
    }
}

#[tokio::test]
async fn status_changes_never_remove_rows() {
    let site = Site::new(60);
    let mut before = Vec::new();
    for name in TABLES {
        before.push(csv(&site, name).await);
    }
    site.advance(3).await;
    for (name, before) in TABLES.into_iter().zip(&before) {
        let after = csv(&site, name).await;
        assert_eq!(after.lines().count(), before.lines().count(), "{name}");
    }
    let after = csv(&site, "security-licences").await;
    let suspended = |text: &str| text.matches("pozastavená").count();
    assert!(suspended(&after) > suspended(&before[0]), "{after}");
}

#[test]
fn licensed_trades_have_dedicated_companies() {
    let population = Population::new(2_000, 7, date!(2026 - 01 - 15));
    for trade in [Trade::Security, Trade::Transport, Trade::Utility] {
        let has = |index: &u32| {
            let company = population.company(*index, 0);
            let is_licensed = company.ending.is_none() && !licences(&company, trade).is_empty();
            let prefixes = trade.nace().iter();
            is_licensed
                && prefixes
                    .clone()
                    .any(|prefix| company.nace.class.starts_with(prefix))
        };
        assert!(
            (12..24).any(|index| has(&index)),
            "{trade:?} in a small population"
        );
        assert!(
            (24..2_000).filter(has).count() > 2,
            "{trade:?} in a larger one"
        );
    }
    // The showcase is on lists of trades that are not its own.
    assert!((0..12).all(|index| {
        let code = population.company(index, 0).nace.class;
        !["80", "35", "36", "37"]
            .iter()
            .any(|prefix| code.starts_with(prefix))
    }));
}
