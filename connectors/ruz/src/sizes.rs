//! The register's size classes by employees (classifier `velkosti-organizacie`). The register has no other headcount.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// The code in the register, two characters.
    pub code: &'static str,
    /// The smallest number of employees in the class. `None` if unknown.
    pub fewest: Option<u32>,
    /// The class as numbers, `5–9`. `None` if unknown.
    pub band: Option<&'static str>,
    /// The class in the register's words.
    pub text: &'static str,
}

const fn size(code: &'static str, fewest: u32, band: &'static str, text: &'static str) -> Size {
    Size {
        code,
        fewest: Some(fewest),
        band: Some(band),
        text,
    }
}

/// All classes, by code.
pub const SIZES: [Size; 23] = [
    Size {
        code: "00",
        fewest: None,
        band: None,
        text: "nezistený",
    },
    size("01", 0, "0", "0 zamestnancov"),
    size("02", 1, "1", "1 zamestnanec"),
    size("03", 2, "2", "2 zamestnanci"),
    size("04", 3, "3–4", "3-4 zamestnanci"),
    size("05", 5, "5–9", "5-9 zamestnancov"),
    size("06", 10, "10–19", "10-19 zamestnancov"),
    size("07", 20, "20–24", "20-24 zamestnancov"),
    size("11", 25, "25–49", "25-49 zamestnancov"),
    size("12", 50, "50–99", "50-99 zamestnancov"),
    size("21", 100, "100–149", "100-149 zamestnancov"),
    size("22", 150, "150–199", "150-199 zamestnancov"),
    size("23", 200, "200–249", "200-249 zamestnancov"),
    size("24", 250, "250–499", "250-499 zamestnancov"),
    size("25", 500, "500–999", "500-999 zamestnancov"),
    size("31", 1_000, "1000–1999", "1000-1999 zamestnancov"),
    size("32", 2_000, "2000–2999", "2000-2999 zamestnancov"),
    size("33", 3_000, "3000–3999", "3000-3999 zamestnancov"),
    size("34", 4_000, "4000–4999", "4000-4999 zamestnancov"),
    size("35", 5_000, "5000–9999", "5000-9999 zamestnancov"),
    size("36", 10_000, "10000–19999", "10000-19999 zamestnancov"),
    size("37", 20_000, "20000–29999", "20000-29999 zamestnancov"),
    size("38", 30_000, "30000+", "30000+ zamestnancov"),
];

/// The class of a code. `None` if the classifier does not contain the code.
#[must_use]
pub fn of_code(code: &str) -> Option<Size> {
    SIZES.into_iter().find(|size| size.code == code)
}

/// A code as text: the class in the register's words, or the code itself if the class is not known. `None` for `00`,
/// which means unknown.
#[must_use]
pub fn text_of(code: &str) -> Option<String> {
    match of_code(code) {
        Some(size) => size.fewest.map(|_| size.text.to_owned()),
        None => Some(code.to_owned()),
    }
}
