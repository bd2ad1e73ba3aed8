//! Countries by their ISO 3166-1 number, which is the register's code (CL000086): Europe, and the most frequent
//! other origins of companies and owners.

/// The two letters of a country's number, which may lack its leading zeros. `None` for a country not listed.
pub fn alpha_2(number: &str) -> Option<&'static str> {
    let number = number.trim();
    if number.len() > 3 || !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number: u16 = number.parse().ok()?;
    let at = COUNTRIES
        .binary_search_by_key(&number, |(number, _)| *number)
        .ok()?;
    COUNTRIES.get(at).map(|(_, letters)| *letters)
}

/// Numeric and two-letter codes of ISO 3166-1, sorted by number for the binary search.
const COUNTRIES: &[(u16, &str)] = &[
    (8, "AL"),
    (12, "DZ"),
    (20, "AD"),
    (31, "AZ"),
    (32, "AR"),
    (36, "AU"),
    (40, "AT"),
    (44, "BS"),
    (51, "AM"),
    (56, "BE"),
    (70, "BA"),
    (76, "BR"),
    (84, "BZ"),
    (92, "VG"),
    (100, "BG"),
    (112, "BY"),
    (124, "CA"),
    (136, "KY"),
    (152, "CL"),
    (156, "CN"),
    (158, "TW"),
    (191, "HR"),
    (196, "CY"),
    (203, "CZ"),
    (208, "DK"),
    (233, "EE"),
    (234, "FO"),
    (246, "FI"),
    (250, "FR"),
    (268, "GE"),
    (276, "DE"),
    (292, "GI"),
    (300, "GR"),
    (344, "HK"),
    (348, "HU"),
    (352, "IS"),
    (356, "IN"),
    (360, "ID"),
    (364, "IR"),
    (368, "IQ"),
    (372, "IE"),
    (376, "IL"),
    (380, "IT"),
    (392, "JP"),
    (398, "KZ"),
    (400, "JO"),
    (410, "KR"),
    (414, "KW"),
    (417, "KG"),
    (422, "LB"),
    (428, "LV"),
    (438, "LI"),
    (440, "LT"),
    (442, "LU"),
    (458, "MY"),
    (470, "MT"),
    (480, "MU"),
    (484, "MX"),
    (492, "MC"),
    (496, "MN"),
    (498, "MD"),
    (499, "ME"),
    (504, "MA"),
    (528, "NL"),
    (554, "NZ"),
    (566, "NG"),
    (578, "NO"),
    (584, "MH"),
    (586, "PK"),
    (591, "PA"),
    (608, "PH"),
    (616, "PL"),
    (620, "PT"),
    (634, "QA"),
    (642, "RO"),
    (643, "RU"),
    (674, "SM"),
    (682, "SA"),
    (688, "RS"),
    (690, "SC"),
    (702, "SG"),
    (703, "SK"),
    (704, "VN"),
    (705, "SI"),
    (710, "ZA"),
    (724, "ES"),
    (752, "SE"),
    (756, "CH"),
    (760, "SY"),
    (764, "TH"),
    (784, "AE"),
    (788, "TN"),
    (792, "TR"),
    (804, "UA"),
    (807, "MK"),
    (818, "EG"),
    (826, "GB"),
    (831, "GG"),
    (832, "JE"),
    (833, "IM"),
    (840, "US"),
    (860, "UZ"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_letters() {
        for (number, expected) in [
            ("703", Some("SK")),
            ("203", Some("CZ")),
            ("040", Some("AT")),
            ("40", Some("AT")),
            ("999", None),
            ("", None),
            ("SK", None),
        ] {
            assert_eq!(alpha_2(number), expected, "{number}");
        }
        assert!(COUNTRIES.is_sorted_by(|a, b| a.0 < b.0));
    }
}
