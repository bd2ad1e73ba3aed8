//! A bucket of the index: words and the entries that contain them.
//!
//! A bucket has hundreds of words, and few of them are like the one in question. So a look-up compares each word while
//! it reads the text, and keeps the entries of similar ones only.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::matching::words_alike::sounds_alike;

/// The keys of entries, grouped by the number of words of the shortest name with the word.
pub type EntriesByLength = BTreeMap<usize, Vec<String>>;

/// The words of a bucket, each with its entries.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket(pub BTreeMap<String, EntriesByLength>);

/// The words of a bucket's JSON text that sound like `word`: the similarity, above 0, and the entries of each.
///
/// # Errors
/// The text is not that of a [`Bucket`].
pub fn similar_in(
    bucket: &str,
    word: &str,
) -> Result<Vec<(f64, EntriesByLength)>, serde_json::Error> {
    let mut input = serde_json::Deserializer::from_str(bucket);
    let similar = Words { word }.deserialize(&mut input)?;
    input.end()?;
    Ok(similar)
}

/// Reads all words.
struct Words<'a> {
    word: &'a str,
}

impl<'de> DeserializeSeed<'de> for Words<'_> {
    type Value = Vec<(f64, EntriesByLength)>;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Words<'_> {
    type Value = Vec<(f64, EntriesByLength)>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("words with their entries")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut words: A) -> Result<Self::Value, A::Error> {
        let mut similar = Vec::new();
        while let Some(alike) = words.next_key_seed(Word { asked: self.word })? {
            if alike > 0.0 {
                similar.push((alike, words.next_value()?));
            } else {
                words.next_value::<IgnoredAny>()?;
            }
        }
        Ok(similar)
    }
}

/// Reads one word, and returns its similarity.
struct Word<'a> {
    asked: &'a str,
}

impl<'de> DeserializeSeed<'de> for Word<'_> {
    type Value = f64;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<f64, D::Error> {
        input.deserialize_str(self)
    }
}

impl Visitor<'_> for Word<'_> {
    type Value = f64;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a word")
    }

    fn visit_str<E>(self, word: &str) -> Result<f64, E> {
        Ok(sounds_alike(self.asked, word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::sounds::sound;

    #[test]
    fn similar_words_are_those_of_the_whole_bucket() {
        let words = ["vzorostav", "vzorostap", "papradova", "delta", "delto"];
        let words = words.map(sound);
        let entries = |place: usize| BTreeMap::from([(place % 2 + 1, vec![format!("e{place}")])]);
        let bucket: BTreeMap<String, EntriesByLength> = words
            .iter()
            .enumerate()
            .map(|(place, word)| (word.clone(), entries(place)))
            .collect();
        let text = serde_json::to_string(&Bucket(bucket.clone())).expect("texts");
        for word in &words {
            let compared = bucket
                .iter()
                .map(|(kept, entries)| (sounds_alike(word, kept), entries.clone()));
            let expected: Vec<_> = compared.filter(|(alike, _)| *alike > 0.0).collect();
            let found = similar_in(&text, word).expect("a bucket");
            assert_eq!(found, expected, "{word}");
        }
    }

    #[test]
    fn text_of_another_form_is_refused() {
        let word = sound("vzorostav");
        for other in [
            "",
            "[]",
            r#"{"vzorostav":7}"#,
            r#"{"vzorostav":{}}x"#,
            r#"{"a":{"1":["x"]"#,
        ] {
            let other = other.replace("vzorostav", &word);
            assert!(similar_in(&other, &word).is_err(), "{other}");
        }
    }
}
