//! The meaning of the extract's section labels.
//!
//! The register rewords them from time to time (the pages of 2020 and 2025 differ), so each meaning has
//! synonyms. An unknown label is reported, never guessed.

use lustra_sdk::text;

/// The meaning of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    Name,
    /// The registered office: Sídlo.
    Seat,
    /// Miesto podnikania, of a natural person.
    Place,
    /// Bydlisko, of a natural person.
    Residence,
    Ico,
    /// The day of entry: Deň zápisu.
    Entered,
    /// The day of erasure: Deň výmazu.
    Erased,
    LegalForm,
    /// The objects of business: Predmet činnosti.
    Activities,
    /// The members of the company: Spoločníci.
    Partners,
    /// Akcionár: published only if there is a single shareholder.
    Shareholder,
    /// Výška vkladu každého spoločníka.
    Deposits,
    /// The statutory body: Štatutárny orgán.
    Statutory,
    /// How the statutory body acts: Konanie, Zastupovanie.
    Acting,
    /// Základné imanie, Kmeňové imanie.
    Capital,
    /// The shares of a joint-stock company: Akcie.
    Shares,
    /// The supervisory board: Dozorná rada.
    Supervisory,
    /// Kontrolná komisia of a cooperative.
    Control,
    /// Holders of a general power of attorney: Prokúra.
    Procura,
    Liquidator,
    Liquidation,
    /// The bankruptcy administrator: Správca konkurznej podstaty.
    Administrator,
    Founder,
    /// Vedúci of an organisational unit.
    Head,
    /// Právny predchodca and companies that ceased in a merger.
    Predecessor,
    /// The legal successor: Právny nástupca.
    Successor,
    /// Other legal facts: Ďalšie právne skutočnosti.
    OtherFacts,
    /// A known label whose section is not used.
    Unused,
}

/// Folded prefixes of labels; the first match decides.
const BEGINNINGS: [(&str, Label); 44] = [
    ("obchodne meno", Label::Name),
    ("sidlo", Label::Seat),
    ("miesto podnikania", Label::Place),
    ("bydlisko", Label::Residence),
    ("ico", Label::Ico),
    ("den zapisu", Label::Entered),
    ("den vymazu", Label::Erased),
    ("pravna forma", Label::LegalForm),
    ("predmet cinnosti", Label::Activities),
    ("predmet podnikania", Label::Activities),
    ("spolocnici", Label::Partners),
    ("spolocnik", Label::Partners),
    ("akcionar", Label::Shareholder),
    ("jediny akcionar", Label::Shareholder),
    ("vyska vkladu", Label::Deposits),
    ("statutarny organ", Label::Statutory),
    ("konanie", Label::Acting),
    ("zastupovanie", Label::Acting),
    ("zakladne imanie", Label::Capital),
    ("vyska zakladneho imania", Label::Capital),
    ("zapisovane zakladne imanie", Label::Capital),
    ("kmenove imanie", Label::Capital),
    ("akcie", Label::Shares),
    ("dozorna rada", Label::Supervisory),
    ("kontrolna komisia", Label::Control),
    ("prokur", Label::Procura),
    ("likvidator", Label::Liquidator),
    ("likvidacia", Label::Liquidation),
    ("spravca konkurznej podstaty", Label::Administrator),
    ("zakladatel", Label::Founder),
    ("veduci", Label::Head),
    ("pravny predchodca", Label::Predecessor),
    ("spolocnost zaniknuta", Label::Predecessor),
    ("pravny nastupca", Label::Successor),
    ("dalsie pravne skutocnosti", Label::OtherFacts),
    ("dovod vymazu", Label::Unused),
    ("pravny dovod zrusenia", Label::Unused),
    ("spolocnost zrusena", Label::Unused),
    ("zlucenie splynutie", Label::Unused),
    ("predaj", Label::Unused),
    ("odstepny zavod", Label::Unused),
    ("zakladny clensky vklad", Label::Unused),
    ("vyhlasenie konkurzu", Label::Unused),
    ("ukoncenie konkurzneho konania", Label::Unused),
];

/// The meaning of a printed label. `None` if it is unknown.
#[must_use]
pub fn meaning(printed: &str) -> Option<Label> {
    let folded = text::fold(printed);
    if folded == "udaje o podnikatelovi" {
        return Some(Label::Unused);
    }
    BEGINNINGS
        .iter()
        .find(|(beginning, _)| folded.starts_with(beginning))
        .map(|(_, label)| *label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wordings_of_both_years_mean_the_same() {
        for (printed, label) in [
            ("Predmet činnosti", Some(Label::Activities)),
            ("Predmet podnikania (činnosti)", Some(Label::Activities)),
            ("Základné imanie", Some(Label::Capital)),
            ("Výška základného imania", Some(Label::Capital)),
            ("Výška vkladu každého spoločníka", Some(Label::Deposits)),
            ("Konanie menom spoločnosti", Some(Label::Acting)),
            ("Zástupcovia na Mesiaci", None),
        ] {
            assert_eq!(meaning(printed), label, "{printed}");
        }
    }
}
