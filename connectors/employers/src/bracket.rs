//! Brackets of the number of employees, in the classes of the statistical office (code list 0073).

/// Each class: its code, the smallest and the largest number. The last class is open.
const CLASSES: [(&str, u64, u64); 21] = [
    ("01", 0, 0),
    ("02", 1, 1),
    ("03", 2, 2),
    ("04", 3, 4),
    ("05", 5, 9),
    ("06", 10, 19),
    ("07", 20, 24),
    ("11", 25, 49),
    ("12", 50, 99),
    ("21", 100, 149),
    ("22", 150, 199),
    ("23", 200, 249),
    ("24", 250, 499),
    ("25", 500, 999),
    ("31", 1_000, 1_999),
    ("32", 2_000, 2_999),
    ("33", 3_000, 3_999),
    ("34", 4_000, 4_999),
    ("35", 5_000, 9_999),
    ("36", 10_000, 19_999),
    ("37", 20_000, 29_999),
];

/// The open class, and its smallest number.
const LAST: (&str, u64) = ("38", 30_000);

/// The class for an unknown number of employees.
const UNKNOWN: &str = "00";

/// The bracket of a code. `Some(None)` for the code of unknown, `None` for an invalid code. A spreadsheet may have
/// removed the leading zero.
#[must_use]
pub fn of_class(code: &str) -> Option<Option<String>> {
    let code = format!("{:0>2}", code.trim());
    if code == UNKNOWN {
        return Some(None);
    }
    if code == LAST.0 {
        return Some(Some(unbounded()));
    }
    let class = CLASSES.iter().find(|(known, _, _)| *known == code);
    class.map(|(_, least, most)| Some(text(*least, *most)))
}

/// The bracket that contains a number.
#[must_use]
pub fn of_number(employees: u64) -> String {
    let class = CLASSES.iter().find(|(_, _, most)| employees <= *most);
    class.map_or_else(unbounded, |(_, least, most)| text(*least, *most))
}

fn unbounded() -> String {
    format!("{} a viac zamestnancov", LAST.1)
}

fn text(least: u64, most: u64) -> String {
    let people = match most {
        1 => "zamestnanec",
        2..=4 => "zamestnanci",
        _ => "zamestnancov",
    };
    if least == most {
        format!("{least} {people}")
    } else {
        format!("{least}-{most} {people}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_a_bracket() {
        for (code, expected) in [
            ("00", Some(None)),
            ("0", Some(None)),
            ("01", Some(Some("0 zamestnancov"))),
            ("2", Some(Some("1 zamestnanec"))),
            ("03", Some(Some("2 zamestnanci"))),
            ("04", Some(Some("3-4 zamestnanci"))),
            (" 11 ", Some(Some("25-49 zamestnancov"))),
            ("38", Some(Some("30000 a viac zamestnancov"))),
            ("08", None),
            ("", Some(None)),
            ("x", None),
        ] {
            let expected = expected.map(|text| text.map(str::to_owned));
            assert_eq!(of_class(code), expected, "{code:?}");
        }
    }

    #[test]
    fn numbers_lie_in_one_bracket() {
        for (number, expected) in [
            (0, "0 zamestnancov"),
            (1, "1 zamestnanec"),
            (3, "3-4 zamestnanci"),
            (4, "3-4 zamestnanci"),
            (20, "20-24 zamestnancov"),
            (29_999, "20000-29999 zamestnancov"),
            (30_000, "30000 a viac zamestnancov"),
        ] {
            assert_eq!(of_number(number), expected);
        }
        for pair in CLASSES.windows(2) {
            assert_eq!(pair[0].2 + 1, pair[1].1, "there is no gap");
        }
    }
}
