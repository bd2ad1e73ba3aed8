//! Which company a name means: a pure decision over the companies whose names resemble it.

use serde::Serialize;

use crate::names;

/// Candidates that an answer names at most.
const MOST_SHOWN: usize = 5;

/// Candidates that are shown where none is good enough are at least this alike.
const WORTH_SHOWING: f64 = 0.6;

/// A company that a name may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Registration number.
    pub ico: String,
    /// Business name.
    pub name: String,
    /// City of the seat.
    pub city: Option<String>,
    /// `active`, `terminated` or `deleted`.
    pub status: String,
}

impl Candidate {
    fn is_active(&self) -> bool {
        self.status == "active"
    }
}

/// A candidate as answers show it.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = BatchCandidate)]
pub struct Likely {
    /// Registration number.
    pub ico: String,
    /// Business name.
    pub name: String,
    /// City of the seat.
    #[schema(required)]
    pub city: Option<String>,
    /// `active`, `terminated` or `deleted`.
    pub status: String,
    /// How alike its name is to the one asked for: 0 to 1.
    pub confidence: f64,
}

/// What a name means.
#[derive(Debug, Clone, PartialEq)]
pub enum Match {
    /// This company.
    Found {
        /// Its registration number.
        ico: String,
        /// How alike the names are.
        confidence: f64,
    },
    /// Several companies equally.
    Ambiguous {
        /// How alike their names are.
        confidence: f64,
        /// Some of them.
        candidates: Vec<Likely>,
    },
    /// None that is alike enough.
    NotFound {
        /// How alike the best is; none where nothing resembles the name.
        confidence: Option<f64>,
        /// Those that come near.
        candidates: Vec<Likely>,
    },
}

/// Decides which candidate a name means: the one whose name is most alike, when it is at least as alike as `least`
/// says. Of several that are equally alike it is the only active one, if there is such.
#[must_use]
pub fn matching(name: &str, candidates: &[Candidate], least: f64) -> Match {
    let mut scored: Vec<(f64, &Candidate)> = candidates
        .iter()
        .map(|candidate| (rounded(names::similarity(name, &candidate.name)), candidate))
        .filter(|(confidence, _)| *confidence > 0.0)
        .collect();
    // The best first; among equals the active ones, then an order that does not change from one request to the next.
    scored.sort_by(|(a, one), (b, other)| {
        b.total_cmp(a)
            .then_with(|| other.is_active().cmp(&one.is_active()))
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
        scored.retain(|(confidence, _)| *confidence > WORTH_SHOWING);
        return Match::NotFound {
            confidence: Some(confidence),
            candidates: shown(&scored),
        };
    }
    scored.retain(|(other, _)| other.total_cmp(&confidence).is_eq());
    let active = scored.iter().filter(|(_, one)| one.is_active()).count();
    // Active ones come first, so that a lone one is the first.
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

/// As it is shown, so that what looks equal is.
fn rounded(similarity: f64) -> f64 {
    (similarity * 1_000.0).round() / 1_000.0
}

fn shown(scored: &[(f64, &Candidate)]) -> Vec<Likely> {
    let most = scored.iter().take(MOST_SHOWN);
    most.map(|(confidence, candidate)| Likely {
        ico: candidate.ico.clone(),
        name: candidate.name.clone(),
        city: candidate.city.clone(),
        status: candidate.status.clone(),
        confidence: *confidence,
    })
    .collect()
}
