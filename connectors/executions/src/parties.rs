//! Decides which creditors a section may name.
//!
//! The register shows natural persons by name, and the scope does not need their names. The record does not
//! state the kind of a party, so a party without an IČO counts as a natural person unless its name shows
//! otherwise.

use lustra_sdk::text::{business_name, fold, present};

use crate::authorization::{Entry, add_new};

/// The text in place of a natural person's name.
pub const NATURAL_PERSON: &str = "fyzická osoba";

/// Legal forms at the end of a folded name, Slovak and foreign ones.
const FORMS: &[&str] = &[
    "s r o", "sro", "a s", "k s", "v o s", "n o", "o z", "s p", "z o o", "s a", "s r l", "s p a",
    "b v", "n v", "d o o", "corp", "druzstvo", "gmbh", "inc", "kft", "limited", "llc", "ltd",
    "nyrt", "plc", "srl", "zrt",
];

/// Forms that are also names of people, such as Sa or Kg.
const SHORT_FORMS: &[&str] = &["ag", "bv", "doo", "kg", "nv", "oy", "sa", "se", "spa"];

/// Beginnings of the folded names of public bodies.
const BODIES: &[&str] = &[
    "danovy urad",
    "mesto ",
    "ministerstvo ",
    "obec ",
    "okresny sud",
    "okresny urad",
    "slovenska republika",
    "socialna poistovna",
    "urad ",
];

/// A creditor as the register writes it.
#[derive(Debug, Clone, Copy)]
pub struct Creditor<'a> {
    pub name: &'a str,
    /// The IČO in its canonical form.
    pub ico: Option<&'a str>,
}

impl Creditor<'_> {
    /// Adds the creditor's publishable data to an authorization.
    pub fn add_to(self, entry: &mut Entry) {
        if let Some(name) = present(self.name) {
            let name = if self.ico.is_some() || is_organisation(&name) {
                business_name(&name)
            } else {
                NATURAL_PERSON.to_owned()
            };
            add_new(&mut entry.creditors, [name]);
        }
        add_new(&mut entry.creditor_icos, self.ico.map(str::to_owned));
    }
}

/// Whether a name without an IČO is an organisation's.
fn is_organisation(name: &str) -> bool {
    let mut own = name.trim();
    let folded = fold(name);
    let mut name = folded.as_str();
    for state in [" v likvidacii", " v konkurze"] {
        if let Some(shorter) = folded.strip_suffix(state) {
            name = shorter;
            own = without_words(own, 2);
        }
    }
    let has_form = FORMS.iter().any(|form| {
        name.strip_suffix(form)
            .is_some_and(|rest| rest.ends_with(' '))
    });
    has_form || ends_in_short_form(own) || BODIES.iter().any(|body| name.starts_with(body))
}

/// A text without its last words.
fn without_words(text: &str, count: usize) -> &str {
    (0..count).fold(text.trim_end(), |text, _| {
        let before = text.rfind(char::is_whitespace).map(|at| &text[..at]);
        before.unwrap_or_default().trim_end()
    })
}

/// Whether a name ends in a short form that is written as one: in capitals behind a name that is not, or after a
/// comma in letters of one case. `Nguyen Sa` and `NGUYEN SA` may be people.
fn ends_in_short_form(name: &str) -> bool {
    let Some(at) = name.rfind(char::is_whitespace) else {
        return false;
    };
    let (before, form) = (name[..at].trim_end(), name[at..].trim());
    let form = form.trim_matches(['.', ',', ';']);
    let is_upper = form.chars().all(char::is_uppercase);
    let is_lower = form.chars().all(char::is_lowercase);
    let is_beside_capitals = !before.chars().any(char::is_lowercase);
    SHORT_FORMS.contains(&fold(form).as_str())
        && ((is_upper && !is_beside_capitals) || (before.ends_with(',') && (is_upper || is_lower)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn persons_are_not_named_and_organisations_are() {
        for (name, ico, shown) in [
            ("Skúšobný Ján", None, NATURAL_PERSON),
            ("Mgr. Žofia Papraďová, PhD.", None, NATURAL_PERSON),
            ("Ing. S. P. Vymyslený", None, NATURAL_PERSON),
            ("Mesto", None, NATURAL_PERSON),
            ("Slovenská Jana", None, NATURAL_PERSON),
            (
                "Žofia Papraďová - STAV",
                Some("99999960"),
                "Žofia Papraďová - STAV",
            ),
            ("Nguyen Van Sa", None, NATURAL_PERSON),
            ("NGUYEN VAN SA", None, NATURAL_PERSON),
            ("Skúšobný Kg", None, NATURAL_PERSON),
            ("Nguyen, Sa", None, NATURAL_PERSON),
            ("Sa", None, NATURAL_PERSON),
            ("Musterfinanz AG", None, "Musterfinanz AG"),
            ("MUSTERFINANZ, SE", None, "MUSTERFINANZ, SE"),
            ("Musterfinanz, se", None, "Musterfinanz, se"),
            (
                "Musterfinanz SE v likvidácii",
                None,
                "Musterfinanz SE v likvidácii",
            ),
            ("Exemple S.A.", None, "Exemple S.A."),
            ("Musterfinanz GmbH", None, "Musterfinanz GmbH"),
            (
                "Vzorová, s. r. o. v likvidácii",
                None,
                "Vzorová, s. r. o. v likvidácii",
            ),
            ("Obec Horné Čučoriedky", None, "Obec Horné Čučoriedky"),
        ] {
            let mut entry = Entry::default();
            Creditor { name, ico }.add_to(&mut entry);
            assert_eq!(entry.creditors, [shown], "{name}");
        }
    }

    #[test]
    fn several_persons_are_one_line() {
        let mut entry = Entry::default();
        for name in ["Skúšobný Ján", "Vymyslená Eva", " - ", ""] {
            Creditor { name, ico: None }.add_to(&mut entry);
        }
        assert_eq!(entry.creditors, [NATURAL_PERSON]);
    }
}
