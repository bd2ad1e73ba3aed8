//! The segment of a permit.

use lustra_sdk::Failure;
use lustra_sdk::sheet::Row;
use lustra_sdk::text::fold;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Segment {
    /// Electricity, `E` in a decision's number.
    Electricity,
    /// Gas, `P` in a decision's number.
    Gas,
    /// Heat, `T` in a decision's number.
    Heat,
    /// Water, `V` in a decision's number.
    Water,
}

impl Segment {
    /// The segment by the letter behind the year in a decision's number: `0010/2014/E-PP`.
    fn of_number(number: &str) -> Option<Self> {
        Self::of_letter(number.split('/').nth(2)?.trim().split('-').next()?)
    }

    fn of_letter(letter: &str) -> Option<Self> {
        match letter.trim() {
            "E" | "e" => Some(Self::Electricity),
            "P" | "p" => Some(Self::Gas),
            "T" | "t" => Some(Self::Heat),
            "V" | "v" => Some(Self::Water),
            _ => None,
        }
    }
}

lustra_sdk::settings! {
    /// The beginnings of words that name a segment: the setting `segment_words`. Compared without case and diacritics.
    pub group SegmentWords {
        /// Beginnings of words for electricity.
        electricity: Vec<String> = ["elektr"],
        /// Beginnings of words for gas.
        gas: Vec<String> = ["plyn"],
        /// Beginnings of words for heat.
        heat: Vec<String> = ["tepl", "tepel"],
        /// Beginnings of words for water.
        water: Vec<String> = ["vod"],
    }
}

impl SegmentWords {
    /// The segment of a row: by the column of the sector, else by the number, else by the activity.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if none of them shows it.
    pub fn segment(&self, row: &Row<'_>) -> Result<Segment, Failure> {
        let expected = "the word or the letter of one segment";
        if let Some(sector) = row.text("sector") {
            let segment = Segment::of_letter(&sector).or_else(|| self.named(&sector));
            return segment.ok_or_else(|| row.wrong("sector", expected));
        }
        let by_number = Segment::of_number(row.cell("number"));
        let segment = by_number.or_else(|| self.named(row.cell("activity")));
        segment.ok_or_else(|| row.wrong("number", "a number such as 0010/2014/E-PP"))
    }

    /// The only segment that a text names.
    fn named(&self, text: &str) -> Option<Segment> {
        let text = fold(text);
        let has = |stems: &[String]| {
            let begins = |word: &str| stems.iter().any(|stem| word.starts_with(&fold(stem)));
            text.split(' ').any(begins)
        };
        let mut named = [
            (Segment::Electricity, &self.electricity),
            (Segment::Gas, &self.gas),
            (Segment::Heat, &self.heat),
            (Segment::Water, &self.water),
        ]
        .into_iter()
        .filter(|(_, stems)| has(stems));
        let first = named.next().map(|(segment, _)| segment);
        first.filter(|_| named.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_the_letter_of_its_segment() {
        for (number, expected) in [
            ("0010/2014/E-PP", Some(Segment::Electricity)),
            ("0010/2014/ p-PP", Some(Segment::Gas)),
            ("1/2014/T", Some(Segment::Heat)),
            ("0010/2014/V-PO", Some(Segment::Water)),
            ("0010/2014/X-PP", None),
            ("0010/2014/EP-PP", None),
            ("0010/2014", None),
        ] {
            assert_eq!(Segment::of_number(number), expected, "{number}");
        }
    }

    #[test]
    fn a_text_names_one_segment_or_none() {
        let words = SegmentWords::default();
        for (text, expected) in [
            ("Dodávka ELEKTRINY", Some(Segment::Electricity)),
            ("plynárenstvo", Some(Segment::Gas)),
            ("výroba a rozvod tepla", Some(Segment::Heat)),
            ("verejný vodovod", Some(Segment::Water)),
            ("výroba elektriny a tepla", None),
            ("poradenstvo", None),
            ("", None),
        ] {
            assert_eq!(words.named(text), expected, "{text}");
        }
    }
}
