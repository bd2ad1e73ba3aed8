//! Recognizes dates in numbers.

use lustra_sdk::calendar;

/// True if eight digits can be a date of birth, as `DDMMYYYY` or `YYYYMMDD`.
#[must_use]
pub fn is_like_a_date(digits: &str) -> bool {
    let reads = |year: &str, month: &str, day: &str| {
        let in_time = ("1900".."2100").contains(&year);
        in_time && calendar::day(&format!("{year}-{month}-{day}")).is_some()
    };
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    digits.len() == 8
        && (reads(part(4, 8), part(2, 4), part(0, 2)) || reads(part(0, 4), part(4, 6), part(6, 8)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn birth_date_differs_from_most_numbers() {
        for digits in ["12031970", "19700312"] {
            assert!(is_like_a_date(digits), "{digits}");
        }
        for digits in ["99999994", "31333532", "00000124", "1203197", "12033970"] {
            assert!(!is_like_a_date(digits), "{digits}");
        }
    }
}
