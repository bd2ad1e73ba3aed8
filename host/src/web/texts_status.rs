//! Texts of incidents, in Slovak and English.

use super::texts::reason;
use crate::language::Language;
use crate::status::IncidentState;

pub(super) fn incident_state(state: IncidentState, language: Language) -> &'static str {
    let (slovak, english) = match state {
        IncidentState::Late => ("zoznam mešká", "a list is late"),
        IncidentState::Degraded => ("časť sa nedala čítať", "partly unreadable"),
        IncidentState::CircuitOpen => ("zlyhával a nečítal sa", "failing, not read"),
        IncidentState::Refused => ("nebol zavedený", "not loaded"),
    };
    language.pick(slovak, english)
}

/// The reason of an incident by its code.
pub(super) fn incident_reason(code: Option<&str>, language: Language) -> &'static str {
    let (slovak, english) = match code {
        Some("known_company") => (
            "zdroj nevrátil údaje o známej firme",
            "the source did not return data on a known company",
        ),
        Some("not_loaded") => (
            "konektor sa nepodarilo zaviesť",
            "the connector could not be loaded",
        ),
        Some("import_late") => (
            "načítanie zoznamu sa nezačalo včas",
            "the import of the list did not begin in time",
        ),
        Some(code) => return reason(code, language),
        None => ("dôvod nie je známy", "the reason is not known"),
    };
    language.pick(slovak, english)
}

/// A time span in its two largest units.
pub(super) fn duration(seconds: i64, language: Language) -> String {
    let minutes = seconds.max(0) / 60;
    let (days, hours, left) = (minutes / 1_440, minutes / 60 % 24, minutes % 60);
    match (days, hours) {
        (0, 0) if minutes == 0 => language
            .pick("menej ako minúta", "less than a minute")
            .to_owned(),
        (0, 0) => format!("{left} min"),
        (0, _) => format!("{hours} h {left} min"),
        _ => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Cause;
    use crate::store::FailureKind;

    #[test]
    fn duration_has_its_two_largest_units() {
        for (seconds, text) in [
            (-5, "less than a minute"),
            (59, "less than a minute"),
            (60, "1 min"),
            (3_660, "1 h 1 min"),
            (86_400 * 3 + 7_200, "3 d 2 h"),
        ] {
            assert_eq!(duration(seconds, Language::English), text);
        }
        assert_eq!(duration(0, Language::Slovak), "menej ako minúta");
    }

    #[test]
    fn every_reason_has_a_text_in_both_languages() {
        let kinds = FailureKind::ALL.iter().map(|kind| Cause::Failure(*kind));
        let others = [Cause::KnownCompany, Cause::NotLoaded, Cause::ImportLate];
        for cause in kinds.chain(others) {
            let texts = Language::ALL.map(|language| incident_reason(Some(cause.word()), language));
            assert!(texts.iter().all(|text| !text.is_empty()), "{cause:?}");
            assert_ne!(texts[0], texts[1], "{cause:?}");
        }
    }
}
