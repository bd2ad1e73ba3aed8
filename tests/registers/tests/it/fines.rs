//! The list of fines for illegal employment.

use register_simulator::population::Happening;
use register_simulator::population::fines::fines;
use register_simulator::{ChangeKind, Population};
use time::macros::date;

use crate::Site;

/// The rows of all pages.
async fn rows(site: &Site) -> Vec<String> {
    let mut all = Vec::new();
    for number in 1.. {
        let answer = site
            .get(&format!("/ip/app/registerNZ/?strana={number}"))
            .await;
        let text = answer.text().to_owned();
        let of_page = text.lines().filter(|line| line.starts_with("<tr><td>"));
        let of_page: Vec<String> = of_page.map(str::to_owned).collect();
        assert!(of_page.len() <= 10);
        if of_page.is_empty() {
            assert!(
                text.contains(&format!("Počet záznamov: {}<", all.len())),
                "{text}"
            );
            break;
        }
        all.extend(of_page);
    }
    all
}

#[tokio::test]
async fn pages_have_ten_rows_and_the_total() {
    let site = Site::new(12);
    let before = rows(&site).await;
    let of = |rows: &[String], text: &str| rows.iter().filter(|row| row.contains(text)).count();
    assert_eq!(of(&before, "99999943"), 4, "three, one of them twice");
    assert_eq!(of(&before, "00 000 124"), 1, "with its zeros");
    assert_eq!(of(&before, "99999927"), 1);
    assert_eq!(
        of(&before, "<td></td><td>Tichá 9"),
        3,
        "persons have no number"
    );
    site.advance(5).await;
    let later = rows(&site).await;
    assert_eq!(of(&later, "99999927"), 0, "a court has it deleted");
    assert_eq!(of(&later, "99 999 901"), 1, "it came on the fourth day");
    assert_eq!(of(&later, "99999919"), 1);
    site.advance(3).await;
    assert_eq!(
        of(&rows(&site).await, "99999919"),
        0,
        "its five years are over"
    );
    let file = site.get("/operator-files/illegal-employment.xlsx").await;
    assert_eq!(&file.body[..2], b"PK");
}

#[test]
fn few_companies_are_fined_and_fines_can_go() {
    let population = Population::new(2_000, 7, date!(2026 - 01 - 15));
    let count = |index: u32, day: u32| {
        let all = fines(&population.company(index, day));
        all.iter()
            .filter(|one| one.is_listed(population.date(day)))
            .count()
    };
    let fined = (12..2_000).filter(|index| count(*index, 0) > 0).count();
    assert!((40..130).contains(&fined), "{fined}");
    let fined = ChangeKind::Happened(Happening::IllegalEmploymentFined);
    let erased = ChangeKind::Happened(Happening::IllegalEmploymentErased);
    let index = (12..2_000)
        .find(|index| count(*index, 5) == 0)
        .expect("most have none");
    assert!(!population.force(index, 1, erased));
    assert!(population.force(index, 2, fined));
    assert!(population.force(index, 4, erased));
    assert_eq!([1, 2, 3, 4].map(|day| count(index, day)), [0, 1, 1, 0]);
}
