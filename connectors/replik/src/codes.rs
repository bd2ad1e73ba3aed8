//! The register's codes: types of proceedings in both spellings, and states of active and ended proceedings.

/// The kind of a proceeding (`KonanieTyp`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProceedingType {
    Restructuring,
    Bankruptcy,
    SmallBankruptcy,
    /// Debt relief by bankruptcy, of natural persons.
    DebtReliefByBankruptcy,
    /// Debt relief by a repayment schedule, of natural persons.
    DebtReliefByRepayment,
    /// Liquidation. It is not an insolvency: a solvent company is wound up.
    Liquidation,
    PreventiveRestructuring,
    Other,
}

impl ProceedingType {
    /// All types, in the order of the register's schema.
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

    /// Reads a code in the spelling of `konanieService` (underscores) or `oznamService` (hyphens, two other
    /// spellings).
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

/// States of active proceedings, as observed. An adjourned one (`ODROCENE_KONANIE`) is active: the court has
/// postponed its hearing. An interrupted one is active too.
pub const ACTIVE_STATES: [&str; 5] = [
    "ZACATE_KONANIE",
    "ZACATY_PROCES_KONANIA",
    "PREBIEHAJUCE_KONANIE",
    "PRERUSENE_KONANIE",
    "ODROCENE_KONANIE",
];

/// States of ended proceedings, as observed.
pub const ENDED_STATES: [&str; 2] = ["SKONCENY_PROCES", "ZASTAVENE_KONANIE"];

/// A code in a section: lower case, with underscores instead of hyphens and spaces.
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
