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
    "b v", "n v", "d o o", "ag", "bv", "corp", "doo", "druzstvo", "gmbh", "inc", "kft", "kg",
    "limited", "llc", "ltd", "nv", "nyrt", "oy", "plc", "sa", "se", "spa", "srl", "zrt",
];

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
    let folded = fold(name);
    let name = folded
        .strip_suffix(" v likvidacii")
        .or_else(|| folded.strip_suffix(" v konkurze"))
        .unwrap_or(&folded);
    let has_form = FORMS.iter().any(|form| {
        name.strip_suffix(form)
            .is_some_and(|rest| rest.ends_with(' '))
    });
    has_form || BODIES.iter().any(|body| name.starts_with(body))
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
