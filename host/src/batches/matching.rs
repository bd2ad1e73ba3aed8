//! Decides which company a name means. Pure: depends only on the name and the candidates.

use serde::Serialize;

use crate::names;
use crate::search::Candidate;
use crate::store::CompanyStatus;

/// Maximum candidates in an answer.
const MAX_SHOWN: usize = 5;

/// Minimum similarity of shown candidates if no candidate is similar enough.
const MIN_SHOWN_SIMILARITY: f64 = 0.6;

/// A company that a name may mean.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = BatchCandidate)]
pub struct Likely {
    /// Registration number (IČO), 8 digits.
    pub ico: String,
    /// Business name as in the register.
    pub name: String,
    /// City of the seat.
    #[schema(required)]
    pub city: Option<String>,
    /// `active`, `terminated` or `deleted`.
    #[schema(value_type = String)]
    pub status: CompanyStatus,
    /// Similarity of its name to the requested name, 0 to 1.
    pub confidence: f64,
}

/// Result of matching a name.
#[derive(Debug, Clone, PartialEq)]
pub enum Match {
    Found {
        ico: String,
        /// Similarity of the names, 0 to 1.
        confidence: f64,
    },
    /// Several companies match equally well.
    Ambiguous {
        /// Similarity of the names, 0 to 1.
        confidence: f64,
        /// Some of the equal candidates.
        candidates: Vec<Likely>,
    },
    /// No candidate is similar enough.
    NotFound {
        /// Similarity of the best candidate. `None`: no name is similar at all.
        confidence: Option<f64>,
        candidates: Vec<Likely>,
    },
}

/// Chooses the candidate with the most similar name if its similarity is at least `least`. Of several equally similar
/// candidates, the only active one wins.
#[must_use]
pub fn matching(name: &str, candidates: &[Candidate], least: f64) -> Match {
    let mut scored: Vec<(f64, &Candidate)> = candidates
        .iter()
        .map(|candidate| (rounded(names::similarity(name, &candidate.name)), candidate))
        .filter(|(confidence, _)| *confidence > 0.0)
        .collect();
    // Best first; among equals active ones first, then a stable order.
    scored.sort_by(|(a, one), (b, other)| {
        b.total_cmp(a)
            .then_with(|| is_active(other).cmp(&is_active(one)))
            .then_with(|| one.ico.cmp(&other.ico))
    });
    scored.dedup_by(|(_, one), (_, other)| one.ico == other.ico);
    let Some((confidence, first)) = scored.first().copied() else {
        return Match::NotFound {
            confidence: None,
            candidates: Vec::new(),
        };
    };
    if confidence < least {
        scored.retain(|(confidence, _)| *confidence > MIN_SHOWN_SIMILARITY);
        return Match::NotFound {
            confidence: Some(confidence),
            candidates: shown(&scored),
        };
    }
    scored.retain(|(other, _)| other.total_cmp(&confidence).is_eq());
    let active = scored.iter().filter(|(_, one)| is_active(one)).count();
    // Active candidates come first, so a single active one is at the front.
    if scored.len() == 1 || active == 1 {
        return Match::Found {
            ico: first.ico.clone(),
            confidence,
        };
    }
    Match::Ambiguous {
        confidence,
        candidates: shown(&scored),
    }
}

fn is_active(candidate: &Candidate) -> bool {
    candidate.status == CompanyStatus::Active
}

/// Rounds to the shown precision, so that values that look equal are equal.
fn rounded(similarity: f64) -> f64 {
    (similarity * 1_000.0).round() / 1_000.0
}

fn shown(scored: &[(f64, &Candidate)]) -> Vec<Likely> {
    let most = scored.iter().take(MAX_SHOWN);
    most.map(|(confidence, candidate)| Likely {
        ico: candidate.ico.clone(),
        name: candidate.name.clone(),
        city: candidate.city.clone(),
        status: candidate.status,
        confidence: *confidence,
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LEAST: f64 = 0.9;

    fn company(ico: &str, name: &str, status: CompanyStatus) -> Candidate {
        Candidate {
            ico: ico.to_owned(),
            name: name.to_owned(),
            city: Some("Nitra".to_owned()),
            status,
        }
    }

    fn icos(candidates: &[Likely]) -> Vec<&str> {
        candidates
            .iter()
            .map(|likely| likely.ico.as_str())
            .collect()
    }

    #[test]
    fn name_matches_in_any_spelling() {
        let candidates = [
            company("1", "Vzorka, s. r. o.", CompanyStatus::Active),
            company("2", "Vzor, s. r. o.", CompanyStatus::Terminated),
            company("3", "Vzor, a. s.", CompanyStatus::Active),
        ];
        for (name, confidence) in [
            ("Vzor, s. r. o.", 1.0),
            ("VZOR spol. s r.o.", 1.0),
            ("vzor sro v likvidácii", 1.0),
        ] {
            let ico = "2".to_owned();
            let found = Match::Found { ico, confidence };
            assert_eq!(matching(name, &candidates, LEAST), found, "{name}");
        }
    }

    #[test]
    fn single_active_namesake_wins() {
        let mut candidates = vec![
            company("1", "Vzor", CompanyStatus::Terminated),
            company("2", "Vzor s.r.o.", CompanyStatus::Active),
            company("3", "Vzor a.s.", CompanyStatus::Deleted),
        ];
        let found = Match::Found {
            ico: "1".to_owned(),
            confidence: 1.0,
        };
        assert_eq!(
            matching("Vzor", &candidates, LEAST),
            found,
            "the only one without a form"
        );
        candidates.remove(0);
        let found = Match::Found {
            ico: "2".to_owned(),
            confidence: 0.97,
        };
        assert_eq!(matching("Vzor", &candidates, LEAST), found);
    }

    #[test]
    fn equal_matches_are_ambiguous_with_candidates() {
        let mut candidates: Vec<Candidate> = (0..9)
            .map(|number| {
                company(
                    &number.to_string(),
                    "Vzor s.r.o.",
                    CompanyStatus::Terminated,
                )
            })
            .collect();
        let Match::Ambiguous {
            confidence,
            candidates: shown,
        } = matching("vzor, s.r.o.", &candidates, LEAST)
        else {
            panic!("none of them is active");
        };
        assert!((confidence - 1.0).abs() < f64::EPSILON);
        assert_eq!(icos(&shown), ["0", "1", "2", "3", "4"]);
        for number in [5, 7] {
            candidates[number].status = CompanyStatus::Active;
        }
        let Match::Ambiguous {
            candidates: shown, ..
        } = matching("vzor, s.r.o.", &candidates, LEAST)
        else {
            panic!("two of them are active");
        };
        assert_eq!(icos(&shown), ["5", "7", "0", "1", "2"]);
    }

    #[test]
    fn weak_match_is_not_found_with_candidates() {
        let candidates = [
            company("1", "Vzorostav, s. r. o.", CompanyStatus::Active),
            company("2", "Mlyn Nitra, a. s.", CompanyStatus::Active),
        ];
        let Match::NotFound {
            confidence,
            candidates: shown,
        } = matching("Vzorostal, s. r. o.", &candidates, 0.99)
        else {
            panic!("nothing is that alike");
        };
        assert!(
            confidence.is_some_and(|best| best > 0.8 && best < 0.95),
            "{confidence:?}"
        );
        assert_eq!(icos(&shown), ["1"]);
        let nothing = Match::NotFound {
            confidence: None,
            candidates: Vec::new(),
        };
        assert_eq!(matching("Vzor", &[], LEAST), nothing);
    }

    fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
        let word = prop::sample::select(vec!["vzor", "Vzorka", "mlyn", "MLÝN", "a", "s"]);
        let form = prop::sample::select(vec!["", " s.r.o.", ", spol. s r. o.", " a.s."]);
        let name = (prop::collection::vec(word, 1..3), form)
            .prop_map(|(words, form)| format!("{}{form}", words.join(" ")));
        let status = prop::sample::select(CompanyStatus::ALL);
        let company = ("[0-9]{1,2}", name, status)
            .prop_map(|(ico, name, status)| company(&ico, &name, status));
        // An index may return a company twice, but always with the same data.
        prop::collection::vec(company, 0..12).prop_map(|mut companies| {
            companies.sort_by(|one, other| one.ico.cmp(&other.ico));
            companies.dedup_by(|one, other| one.ico == other.ico);
            companies
        })
    }

    proptest! {
        #[test]
        fn matching_ignores_order_and_repetitions(
            candidates in candidates(), name in "(vzor|mlyn|a s)( s\\.r\\.o\\.| a\\.s\\.)?", turn in 0_usize..12,
        ) {
            let decided = matching(&name, &candidates, LEAST);
            let mut turned = candidates.clone();
            turned.reverse();
            turned.rotate_left(turn.min(candidates.len()));
            turned.extend(candidates);
            prop_assert_eq!(decided, matching(&name, &turned, LEAST));
        }

        #[test]
        fn matching_follows_from_similarities(
            candidates in candidates(), name in "(vzor|mlyn|a s)( s\\.r\\.o\\.| a\\.s\\.)?", least in 0.5_f64..1.0,
        ) {
            let alike = |candidate: &Candidate| rounded(names::similarity(&name, &candidate.name));
            let best = candidates.iter().map(alike).fold(0.0, f64::max);
            let equals: Vec<&Candidate> = candidates.iter().filter(|one| alike(one) >= best).collect();
            let active = equals.iter().filter(|one| is_active(one)).count();
            match matching(&name, &candidates, least) {
                Match::Found { ico, confidence } => {
                    prop_assert!(confidence >= least && confidence >= best);
                    let found = equals.iter().find(|one| one.ico == ico);
                    prop_assert!(found.is_some_and(|one| equals.len() == 1 || (active == 1 && is_active(one))));
                }
                Match::Ambiguous { confidence, candidates } => {
                    prop_assert!(confidence >= least && equals.len() > 1 && active != 1);
                    prop_assert_eq!(candidates.len(), equals.len().min(MAX_SHOWN));
                    prop_assert!(candidates.iter().all(|one| one.confidence >= best));
                }
                Match::NotFound { confidence, candidates } => {
                    prop_assert!(best < least);
                    prop_assert!(confidence.is_none_or(|confidence| confidence >= best));
                    prop_assert_eq!(confidence.is_none(), best <= 0.0);
                    prop_assert!(candidates.len() <= MAX_SHOWN);
                    prop_assert!(candidates.iter().all(|one| one.confidence > MIN_SHOWN_SIMILARITY));
                    prop_assert!(candidates.is_sorted_by(|one, next| one.confidence >= next.confidence));
                }
            }
        }
    }
}
