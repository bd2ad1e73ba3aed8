//! The classifiers, as far as the population needs them.

use serde_json::{Value, json};

const SIZES: [(&str, &str, &str); 23] = [
    ("00", "nezistený", "unknown"),
    ("01", "0 zamestnancov", "0 employees"),
    ("02", "1 zamestnanec", "1 employees"),
    ("03", "2 zamestnanci", "2 employees"),
    ("04", "3-4 zamestnanci", "3-4 employees"),
    ("05", "5-9 zamestnancov", "5-9 employees"),
    ("06", "10-19 zamestnancov", "10-19 employees"),
    ("07", "20-24 zamestnancov", "20-24 employees"),
    ("11", "25-49 zamestnancov", "25-49 employees"),
    ("12", "50-99 zamestnancov", "50-99 employees"),
    ("21", "100-149 zamestnancov", "100-149 employees"),
    ("22", "150-199 zamestnancov", "150-199 employees"),
    ("23", "200-249 zamestnancov", "200-249 employees"),
    ("24", "250-499 zamestnancov", "250-499 employees"),
    ("25", "500-999 zamestnancov", "500-999 employees"),
    ("31", "1000-1999 zamestnancov", "1000-1999 employees"),
    ("32", "2000-2999 zamestnancov", "2000-2999 employees"),
    ("33", "3000-3999 zamestnancov", "3000-3999 employees"),
    ("34", "4000-4999 zamestnancov", "4000-4999 employees"),
    ("35", "5000-9999 zamestnancov", "5000-9999 employees"),
    ("36", "10000-19999 zamestnancov", "10000-19999 employees"),
    ("37", "20000-29999 zamestnancov", "20000-29999 employees"),
    ("38", "30000+ zamestnancov", "30000+ employees"),
];

/// A classifier by the last part of its path.
pub(super) fn classifier(name: &str) -> Option<Value> {
    let classes = |classes: &[(&str, &str, &str)]| {
        let written = classes
            .iter()
            .map(|(code, sk, en)| json!({ "kod": code, "nazov": { "sk": sk, "en": en } }));
        json!({ "klasifikacie": written.collect::<Vec<_>>() })
    };
    // The parent place is referenced by a record number, not by its code.
    let places = |places: &[(&str, &str, Option<u32>)]| {
        let written = places.iter().map(|(code, name, above)| {
            let mut place = json!({ "kod": code, "nazov": { "sk": name, "en": name } });
            if let Some(above) = above {
                place["nadradenaLokacia"] = json!(above);
            }
            place
        });
        json!({ "lokacie": written.collect::<Vec<_>>() })
    };
    match name {
        "velkosti-organizacie" => Some(classes(&SIZES)),
        "druhy-vlastnictva" => Some(classes(&[("2", "Súkromné tuzemské", "Private domestic")])),
        "pravne-formy" => Some(classes(&[
            (
                "101",
                "Podnikateľ-fyzická osoba-nezapísaný v obchodnom registri",
                "Sole trader",
            ),
            ("112", "Spoločnosť s ručením obmedzeným", "Limited company"),
            ("121", "Akciová spoločnosť", "Joint-stock company"),
        ])),
        "sk-nace" => Some(classes(&[(
            "62010",
            "Počítačové programovanie",
            "Computer programming",
        )])),
        "kraje" => Some(places(&[
            ("SK023", "Nitriansky kraj", None),
            ("4", "Nitriansky kraj", None),
        ])),
        "okresy" => Some(places(&[
            ("SK0233", "Nitra", Some(4)),
            ("403", "Nitra", Some(4)),
        ])),
        "sidla" => Some(places(&[
            ("SK0233500011", "Nitra", Some(36)),
            ("500011", "Nitra", Some(36)),
        ])),
        _ => None,
    }
}
