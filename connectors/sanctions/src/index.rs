//! The index of words that finds entries: distinctive words in buckets that tolerate an error or two in a word.
//!
//! The host finds records by their keys, so each bucket is a record: `w/<kind>/<part>/<consonants>/`, with its words
//! and the entries that contain them. A word belongs to the bucket of its first consonants and to that of its last
//! ones. A short word also belongs to the bucket of its first and last consonant. Whichever single consonant is wrong,
//! one bucket is right.

pub mod bucket;

use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::records;
use lustra_sdk::{Failure, Item};
use serde::{Deserialize, Serialize};

use self::bucket::Bucket;
use crate::entry::{Entry, Kind};
use crate::matching::name::{Name, Word, is_of_company};
use crate::matching::sounds::skeleton;
use crate::matching::words::Class;

/// The version of the index's format. Words can be looked up only in records of the same version.
pub const FORM: u32 = 2;

/// The key of the record with the version of the index's format.
pub const FORM_KEY: &str = "form";

/// From this many consonants on, a word's buckets have three consonants.
const LONG: usize = 6;

/// Names with more words count as equally long.
const MAX_WORDS: usize = 6;

/// The content of the record with the version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The version of the index's format, see [`FORM`].
    pub form: u32,
}

/// The key of the record of an entry with this [`Entry::key`].
#[must_use]
pub fn entry_key(key: &str) -> String {
    format!("e/{key}/")
}

/// The keys of the buckets in which a word is stored.
#[must_use]
pub fn keys(kind: Kind, word: &str) -> Vec<String> {
    let consonants: Vec<char> = skeleton(word).chars().collect();
    bucket_keys(kind, &consonants, consonants.len() >= LONG)
}

/// The keys of the buckets in which words like this one may be stored.
#[must_use]
pub fn keys_asked(kind: Kind, word: &str) -> Vec<String> {
    let consonants: Vec<char> = skeleton(word).chars().collect();
    let mut keys = bucket_keys(kind, &consonants, consonants.len() >= LONG);
    // An error may turn a long word into a short one, and vice versa.
    if (LONG - 2..LONG).contains(&consonants.len()) {
        keys.extend(bucket_keys(kind, &consonants, true));
    } else if (LONG..LONG + 2).contains(&consonants.len()) {
        keys.extend(bucket_keys(kind, &consonants, false));
    }
    keys
}

fn bucket_keys(kind: Kind, consonants: &[char], is_long: bool) -> Vec<String> {
    let letter = kind.letter();
    let key = |part: &str, consonants: &[char]| {
        let consonants: String = consonants.iter().collect();
        format!("w/{letter}/{part}/{consonants}/")
    };
    let length = consonants.len().min(if is_long { 3 } else { 2 });
    let (head, tail) = (
        &consonants[..length],
        &consonants[consonants.len() - length..],
    );
    let mut keys = if is_long {
        vec![key("a3", head), key("z3", tail)]
    } else {
        vec![key("a2", head), key("z2", tail)]
    };
    if let ([first, .., last], false) = (consonants, is_long) {
        keys.push(key("az", &[*first, *last]));
    }
    keys
}

/// The sounds that find a name: its distinctive words, and neighbouring words written as one. A name of trade words
/// alone is found as a whole.
#[must_use]
pub fn sounds(name: &Name) -> BTreeSet<String> {
    let mut sounds: BTreeSet<String> = name.distinctive().map(|word| word.sound.clone()).collect();
    if sounds.is_empty() {
        return of_trade(name);
    }
    for [one, next] in name.words.array_windows() {
        sounds.insert(format!("{}{}", one.sound, next.sound));
    }
    sounds
}

/// All words as one text, and the same without each of the places, which a similar name may lack.
fn of_trade(name: &Name) -> BTreeSet<String> {
    // Words are compared by their meaning, in any language.
    let text = |word: &Word| match word.class {
        Class::Generic(meaning) => format!("g{meaning}"),
        Class::Place(meaning) => format!("p{meaning}"),
        Class::Number | Class::Distinctive => word.sound.clone(),
    };
    let without = |left_out: usize| -> String {
        let words = name.words.iter().enumerate();
        let mut texts: Vec<String> = words
            .filter(|(place, _)| *place != left_out)
            .map(|(_, word)| text(word))
            .collect();
        texts.sort_unstable();
        texts.concat()
    };
    let places = name
        .words
        .iter()
        .enumerate()
        .filter(|(_, word)| matches!(word.class, Class::Place(_)));
    places
        .map(|(place, _)| without(place))
        .chain([without(usize::MAX)])
        .collect()
}

/// The records of a list: its entries, the buckets of their words, and the version of the format.
///
/// # Errors
/// As [`records::item`].
pub fn items(entries: &[Entry]) -> Result<Vec<Item>, Failure> {
    let mut items = vec![records::item(FORM_KEY, None, &Head { form: FORM })?];
    let mut buckets: BTreeMap<String, Bucket> = BTreeMap::new();
    for entry in entries {
        let ico = entry.icos.first().map(String::as_str);
        let mut item = records::item(entry_key(entry.key()), ico, entry)?;
        if entry.kind == Kind::Entity || is_of_company(entry.name()) {
            // A company with exactly this name is refreshed as soon as the entry is listed.
            item.name = Some(entry.name().to_owned());
        }
        items.push(item);
        // A record belongs to one company only.
        for ico in entry.icos.iter().skip(1) {
            let key = format!("n/{}/{ico}", entry.key());
            items.push(records::item(key, Some(ico), entry)?);
        }
        for kind in Kind::ALL {
            for (word, length) in words(entry, kind) {
                for key in keys(kind, &word) {
                    let bucket = buckets.entry(key).or_default();
                    let of_word = bucket.0.entry(word.clone()).or_default();
                    of_word
                        .entry(length)
                        .or_default()
                        .push(entry.key().to_owned());
                }
            }
        }
    }
    for (key, bucket) in &buckets {
        items.push(records::item(key.as_str(), None, bucket)?);
    }
    Ok(items)
}

/// The words by which an entry is found among those of a kind, each with the number of words of the shortest name that
/// contains it. A person with a company's name is found among the entities too.
fn words(entry: &Entry, kind: Kind) -> BTreeMap<String, usize> {
    let mut words = BTreeMap::new();
    for alias in &entry.names {
        let name = match (entry.kind, kind) {
            (Kind::Entity, Kind::Entity) => Name::of(&alias.name),
            (Kind::Person, Kind::Entity) if is_of_company(&alias.name) => Name::of(&alias.name),
            (Kind::Person, Kind::Person) => Name::of_person(&alias.name),
            (Kind::Entity, Kind::Person) | (Kind::Person, Kind::Entity) => continue,
        };
        let length = name.words.len().min(MAX_WORDS);
        for sound in sounds(&name) {
            let known = words.entry(sound).or_insert(length);
            *known = length.min(*known);
        }
    }
    words.remove("");
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::sounds::sound;
    use crate::matching::words_alike::sounds_alike;

    /// A word with an omitted, doubled, exchanged or replaced letter shares a bucket with the original.
    #[test]
    fn misspelt_word_shares_a_bucket() {
        for word in [
            "vzorostav",
            "brmbosoft",
            "lopuch",
            "kvapkovin",
            "delto",
            "zblnkotech",
            "aurelia",
            "oktagonal",
        ] {
            let listed = sound(word);
            let kept: BTreeSet<String> = keys(Kind::Entity, &listed).into_iter().collect();
            for place in 0..word.len() {
                let mut left_out = word.to_owned();
                left_out.remove(place);
                let mut replaced = word.to_owned();
                replaced.replace_range(place..=place, "r");
                let mut added = word.to_owned();
                added.insert(place, 'g');
                let mut vowel = word.to_owned();
                vowel.insert(place, 'o');
                for typed in [left_out, replaced, added, vowel] {
                    let asked = sound(&typed);
                    if sounds_alike(&asked, &listed) == 0.0 {
                        continue;
                    }
                    let found = keys_asked(Kind::Entity, &asked);
                    assert!(
                        found.iter().any(|key| kept.contains(key)),
                        "{word} {typed}: {kept:?} {found:?}"
                    );
                }
            }
        }
    }
}
