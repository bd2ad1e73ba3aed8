use super::*;

fn issue(year: u32, number: u32) -> IssueNumber {
    IssueNumber { year, number }
}

fn page(issues: &[(u32, u32)]) -> Page {
    let issues: Vec<_> = issues
        .iter()
        .map(|(year, number)| {
            let url = format!("https://data.slovensko.sk/download?id={year}-{number}");
            (issue(*year, *number), Some(url))
        })
        .collect();
    Page {
        datasets: issues.len(),
        issues,
        ..Page::default()
    }
}

fn collected(
    pages: &[Page],
    from: IssueNumber,
    known: Option<IssueNumber>,
) -> Result<(Vec<Listed>, usize), Failure> {
    collected_with(pages, from, known, &Missing::default())
}

fn collected_with(
    pages: &[Page],
    from: IssueNumber,
    known: Option<IssueNumber>,
    missing: &Missing,
) -> Result<(Vec<Listed>, usize), Failure> {
    let mut asked = 0;
    let hosts = ["data.slovensko.sk".to_owned()];
    let ask = |number: usize| {
        asked = number;
        let page = pages.get(number - 1);
        Ok(page.map_or_else(Page::default, |page| Page {
            issues: page.issues.clone(),
            datasets: page.datasets,
            other: page.other.clone(),
            odd: page.odd,
        }))
    };
    let wanted = Wanted {
        from,
        known,
        missing,
    };
    let listed = collect(&hosts, 2, &wanted, ask, || Ok(BTreeMap::new()))?;
    Ok((listed, asked))
}

#[test]
fn pages_are_requested_until_the_known_issue() {
    let pages = [
        page(&[(2026, 3), (2026, 2)]),
        page(&[(2026, 1), (2025, 250)]),
        page(&[(2025, 249), (2025, 248)]),
    ];
    let (listed, asked) = collected(&pages, issue(2025, 251), Some(issue(2025, 250))).unwrap();
    let issues: Vec<String> = listed.iter().map(|one| one.issue.to_string()).collect();
    assert_eq!(issues, ["2026/1", "2026/2", "2026/3"]);
    assert_eq!(asked, 2);
    assert_eq!(listed[0].path, "/download?id=2026-1");
    let (listed, asked) = collected(&pages, issue(2026, 1), None).unwrap();
    assert_eq!((listed.len(), asked), (3, 3));
    let (listed, asked) = collected(&pages, issue(2016, 0), None).unwrap();
    assert_eq!((listed.len(), asked), (6, 4));
    // There is no new issue; the search still leads to the known one.
    let (listed, asked) = collected(&pages, issue(2026, 4), Some(issue(2026, 3))).unwrap();
    assert_eq!((listed.len(), asked), (0, 1));
}

#[test]
fn pages_are_requested_until_the_missing_issue() {
    let mut missing = Missing::default();
    missing.skip(issue(2025, 248), issue(2025, 250), "2026-01-02");
    let pages = [
        page(&[(2026, 2), (2026, 1)]),
        page(&[(2025, 250), (2025, 249)]),
        page(&[(2025, 248), (2025, 247)]),
        page(&[(2025, 246), (2025, 245)]),
    ];
    let (from, known) = (issue(2026, 3), Some(issue(2026, 2)));
    let (listed, asked) = collected_with(&pages, from, known, &missing).unwrap();
    let issues: Vec<String> = listed.iter().map(|one| one.issue.to_string()).collect();
    assert_eq!((issues, asked), (vec!["2025/249".to_owned()], 3));
    // A portal that repeats its first page ends the search, as the known issue is on it.
    let same = [pages[0].issues.clone(), pages[0].issues.clone()];
    let same = same.map(|issues| Page {
        datasets: 2,
        issues,
        ..Page::default()
    });
    let (listed, asked) = collected_with(&same, from, known, &missing).unwrap();
    assert_eq!((listed.len(), asked), (0, 2));
}

#[test]
fn search_without_the_known_issue_fails() {
    let pages = [page(&[(2026, 3), (2026, 2)]), page(&[(2026, 1)])];
    for known in [issue(2025, 250), issue(2026, 4)] {
        let failed = collected(&pages, issue(2026, 5), Some(known));
        assert!(matches!(failed, Err(Failure::Malformed(_))), "{failed:?}");
    }
    let same = page(&[(2026, 3), (2026, 2)]);
    let copy = page(&[(2026, 3), (2026, 2)]);
    let failed = collected(&[same, copy], issue(2016, 0), None);
    assert!(matches!(failed, Err(Failure::Malformed(_))), "{failed:?}");
    let failed = collected(&[], issue(2016, 0), None);
    assert!(matches!(failed, Err(Failure::Malformed(_))), "{failed:?}");
}

#[test]
fn files_of_a_series_are_followed() {
    let hosts = ["data.slovensko.sk".to_owned()];
    let url = |number: u32| format!("https://data.slovensko.sk/download?id={number}");
    let parts = || {
        Ok((1..=3)
            .map(|number| (issue(2026, number), url(number)))
            .collect())
    };
    let of = |issues: Vec<(IssueNumber, Option<String>)>| {
        let ask = |_: usize| {
            Ok(Page {
                datasets: 1,
                issues: issues.clone(),
                other: Some("Vestník verejného obstarávania".to_owned()),
                odd: 0,
            })
        };
        let wanted = Wanted {
            from: issue(2026, 2),
            known: None,
            missing: &Missing::default(),
        };
        let listed = collect(&hosts, 2, &wanted, ask, parts)?;
        let paths = listed.into_iter().map(|one| one.path);
        Ok::<_, Failure>(paths.collect::<Vec<String>>())
    };
    assert_eq!(
        of(Vec::new()).unwrap(),
        ["/download?id=2", "/download?id=3"]
    );
    let own = Some("/download?id=own".to_owned());
    assert_eq!(
        of(vec![(issue(2026, 2), own), (issue(2026, 3), None)]).unwrap(),
        ["/download?id=own", "/download?id=3"]
    );
    let failed = of(vec![(issue(2026, 4), None)]);
    assert!(matches!(failed, Err(Failure::Malformed(_))), "{failed:?}");
}

#[test]
fn addresses_are_cut_to_paths_on_the_portal() {
    let hosts = ["data.slovensko.sk".to_owned()];
    for (url, expected) in [
        (
            "https://data.slovensko.sk/download?id=1",
            Some("/download?id=1"),
        ),
        ("http://DATA.slovensko.sk/a/b", Some("/a/b")),
        ("/download?id=1", Some("/download?id=1")),
        ("https://data.slovensko.sk.example/download", None),
        ("https://user@data.slovensko.sk/download", None),
        ("//data.example/download", None),
        ("https://data.slovensko.sk/../x", None),
        ("https://data.slovensko.sk", None),
        ("download?id=1", None),
        ("/a b", None),
        ("ftp://data.slovensko.sk/a", None),
    ] {
        assert_eq!(path_of(url, &hosts).as_deref(), expected, "{url}");
    }
}

#[test]
fn only_names_of_issues_are_issues() {
    for (name, expected) in [
        ("Vestník 23/2026", Some(issue(2026, 23))),
        ("Vestník č. 7/2016", Some(issue(2016, 7))),
        (
            " VESTNÍK verejného obstarávania 250/2025 ",
            Some(issue(2025, 250)),
        ),
        ("Vestník 23", None),
        ("Register osôb 23/2026", None),
        ("Vestník 0/2026", None),
        ("", None),
    ] {
        assert_eq!(issue_of(name), expected, "{name}");
    }
}
