//! The measured points of one part: kept in a file, printed as a table, and drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::plot;
use crate::support::figures::{number, say};
use crate::support::{Figures, Options};

/// The points of one part, by measure, series and size.
pub struct Points {
    file: PathBuf,
    /// What grows, in the plural.
    what: &'static str,
    all: Value,
}

/// One size of one series, whose figures are being measured.
pub struct Grown<'a> {
    pub figures: &'a mut Figures,
    pub points: &'a mut Points,
    pub series: &'static str,
    pub size: u32,
}

impl Grown<'_> {
    /// Prints a figure and keeps it.
    pub fn add(&mut self, measure: &str, value: f64, unit: &'static str) {
        let name = format!("{}, {}: {measure}", self.series, self.size);
        self.figures.report(name, value, unit);
        self.points
            .put(measure, unit, self.series, self.size, value);
    }
}

impl Points {
    /// The points of earlier runs of this part, if there are any.
    pub fn open(options: &Options, part: &str, what: &'static str) -> Self {
        let folder = options.output();
        std::fs::create_dir_all(&folder).expect("the output folder can be written");
        let file = folder.join(format!("growth-{part}.json"));
        let known = std::fs::read(&file).ok();
        let known = known.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        Self {
            file,
            what,
            all: known.filter(Value::is_object).unwrap_or_else(|| json!({})),
        }
    }

    fn put(&mut self, measure: &str, unit: &str, series: &str, size: u32, value: f64) {
        let place = &mut self.all[measure];
        place["unit"] = json!(unit);
        place["series"][series][size.to_string()] = json!(value);
    }

    /// Writes the points to their file.
    pub fn save(&self) {
        let text = serde_json::to_string_pretty(&self.all).expect("texts and numbers become JSON");
        std::fs::write(&self.file, text).expect("the output folder can be written");
    }

    /// Prints the points as a table, with a column for each size, and draws a plot of each measure.
    pub fn show(&self) {
        let measures = self.measures();
        let sizes: BTreeSet<u32> = measures
            .iter()
            .flat_map(|measure| &measure.series)
            .flat_map(|(_, points)| points.keys().copied())
            .collect();
        let head: Vec<String> = sizes.iter().map(u32::to_string).collect();
        say(&format!("\n| {} | {} |", self.what, head.join(" | ")));
        say(&format!("| --- |{}", " --- |".repeat(head.len())));
        for measure in &measures {
            for (series, points) in &measure.series {
                let cell = |size| {
                    points
                        .get(size)
                        .map_or(String::new(), |value| number(*value))
                };
                let cells: Vec<String> = sizes.iter().map(cell).collect();
                let unit = &measure.unit;
                say(&format!(
                    "| {}, {series} ({unit}) | {} |",
                    measure.name,
                    cells.join(" | ")
                ));
            }
            let words = measure
                .name
                .split(|letter: char| !letter.is_ascii_alphanumeric());
            let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
            let name = words.join("-").to_lowercase();
            let stem = self.file.file_stem().unwrap_or_default().to_string_lossy();
            let file = self.file.with_file_name(format!("{stem}-{name}.svg"));
            plot::draw(&file, self.what, measure);
        }
        let folder = self.file.parent().unwrap_or(&self.file);
        say(&format!("\nPlots: {}", folder.display()));
    }

    fn measures(&self) -> Vec<Measure> {
        let of_series = |points: &Value| {
            let points = points.as_object().into_iter().flatten();
            let points =
                points.filter_map(|(size, value)| Some((size.parse().ok()?, value.as_f64()?)));
            points.collect::<BTreeMap<u32, f64>>()
        };
        let all = self.all.as_object().into_iter().flatten();
        all.map(|(name, measure)| {
            let series = measure["series"].as_object().into_iter().flatten();
            Measure {
                name: name.clone(),
                unit: measure["unit"].as_str().unwrap_or_default().to_owned(),
                series: series
                    .map(|(series, points)| (series.clone(), of_series(points)))
                    .collect(),
            }
        })
        .collect()
    }
}

/// The points of one measure.
pub struct Measure {
    pub name: String,
    pub unit: String,
    /// By the name of the series, by size.
    pub series: Vec<(String, BTreeMap<u32, f64>)>,
}
