//! The register's codes: kinds of proceedings in both spellings, and which states mean that one is under way.

/// The kind of a proceeding (`KonanieTyp`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProceedingType {
    /// Restructuring.
    Restructuring,
    /// Bankruptcy.
    Bankruptcy,
    /// Small bankruptcy.
    SmallBankruptcy,
    /// Debt relief by bankruptcy, of natural persons.
    DebtReliefByBankruptcy,
    /// Debt relief by a repayment schedule, of natural persons.
    DebtReliefByRepayment,
    /// Liquidation, which is no insolvency: a solvent company is wound up.
    Liquidation,
    /// Public preventive restructuring.
    PreventiveRestructuring,
    /// Another proceeding.
    Other,
}

impl ProceedingType {
    /// All of them, in the order of the register's schema.
    pub const ALL: [Self; 8] = [
        Self::Restructuring,
        Self::Bankruptcy,
        Self::SmallBankruptcy,
        Self::DebtReliefByBankruptcy,
        Self::DebtReliefByRepayment,
        Self::Liquidation,
        Self::PreventiveRestructuring,
        Self::Other,
    ];

    /// Reads a code as `konanieService` (underscores) or `oznamService` (hyphens, two other spellings) writes it.
    #[must_use]
    pub fn parse(raw: &str) -> Option<Self> {
        match readable(raw).as_str() {
            "oddlzenie_splatkovykalendar" => Some(Self::DebtReliefByRepayment),
            "inekonania" => Some(Self::Other),
            code => Self::ALL.into_iter().find(|known| known.code() == code),
        }
    }

    /// The code in a section: that of `konanieService` in lower case.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Restructuring => "restrukturalizacia",
            Self::Bankruptcy => "konkurz",
            Self::SmallBankruptcy => "malykonkurz",
            Self::DebtReliefByBankruptcy => "oddlzenie_konkurz",
            Self::DebtReliefByRepayment => "oddlzenie_splatkovy_kalendar",
            Self::Liquidation => "likvidacia",
            Self::PreventiveRestructuring => "vpr",
            Self::Other => "ine",
        }
    }
}

/// States of a proceeding that is under way, as far as they were observed. An adjourned one (`ODROCENE_KONANIE`) has not
/// ended: the court has put off its hearing, as an interrupted one waits too.
pub const ACTIVE_STATES: [&str; 5] = [
    "ZACATE_KONANIE",
    "ZACATY_PROCES_KONANIA",
    "PREBIEHAJUCE_KONANIE",
    "PRERUSENE_KONANIE",
    "ODROCENE_KONANIE",
];

/// States of a proceeding that is over, as far as they were observed.
pub const ENDED_STATES: [&str; 2] = ["SKONCENY_PROCES", "ZASTAVENE_KONANIE"];

/// A code as a section has it: lower case, with underscores for hyphens and spaces.
#[must_use]
pub fn readable(raw: &str) -> String {
    let words: Vec<String> = raw
        .split(|c: char| c.is_whitespace() || c == '-' || c == '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_services_mean_the_same_types() {
        for (konanie, oznam) in [
            ("RESTRUKTURALIZACIA", "RESTRUKTURALIZACIA"),
            ("KONKURZ", "KONKURZ"),
            ("MALYKONKURZ", "MALYKONKURZ"),
            ("ODDLZENIE_KONKURZ", "ODDLZENIE-KONKURZ"),
            (
                "ODDLZENIE_SPLATKOVY_KALENDAR",
                "ODDLZENIE-SPLATKOVYKALENDAR",
            ),
            ("LIKVIDACIA", "LIKVIDACIA"),
            ("VPR", "VPR"),
            ("INE", "INEKONANIA"),
        ] {
            let read = ProceedingType::parse(konanie);
            assert!(read.is_some(), "{konanie}");
            assert_eq!(read, ProceedingType::parse(oznam), "{konanie}");
        }
        assert_eq!(ProceedingType::parse("NOVE_KONANIE"), None);
        assert_eq!(ProceedingType::parse(""), None);
    }
}
