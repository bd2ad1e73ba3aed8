//! The similarity of two words.

use strsim::osa_distance;

use super::name::Word;
use super::sounds::skeleton;
use super::words::Class;

/// The similarity of words that are spelt differently with the same sound.
pub const SAME_SOUND: f64 = 0.97;

/// The highest similarity of words with similar letters and different sounds.
const MISSPELT: f64 = 0.9;

/// The similarity of short words that differ in a vowel only, such as `Peter` and `Petr`.
const OTHER_VOWEL: f64 = 0.85;

/// The shortest words that may be equal in spite of one edit. Shorter words are too often different ones.
const SHORTEST_TO_EDIT: usize = 5;
/// From this length on, two edits are accepted.
const LONG: usize = 9;

/// The similarity of two words, from 0 (nothing in common) to 1 (equal).
#[must_use]
pub fn alike(one: &Word, other: &Word) -> f64 {
    if one.text == other.text {
        return 1.0;
    }
    match (one.class, other.class) {
        (Class::Number, _) | (_, Class::Number) => {
            f64::from(one.class == other.class && one.sound == other.sound)
        }
        (Class::Generic(one), Class::Generic(other)) | (Class::Place(one), Class::Place(other)) => {
            f64::from(one == other)
        }
        (Class::Distinctive, Class::Distinctive) => sounds_alike(&one.sound, &other.sound)
            .max(sounds_alike(&one.text, &other.text).min(MISSPELT)),
        (
            Class::Generic(_) | Class::Place(_) | Class::Distinctive,
            Class::Generic(_) | Class::Place(_) | Class::Distinctive,
        ) => 0.0,
    }
}

/// The similarity of words that few names contain, by their sounds.
#[must_use]
pub fn sounds_alike(one: &str, other: &str) -> f64 {
    if one == other {
        return SAME_SOUND;
    }
    let (length, other_length) = (one.chars().count(), other.chars().count());
    let (shorter, longer) = (length.min(other_length), length.max(other_length));
    let most = match shorter {
        4 if skeleton(one) == skeleton(other) && osa_distance(one, other) == 1 => {
            return OTHER_VOWEL;
        }
        ..SHORTEST_TO_EDIT => return 0.0,
        SHORTEST_TO_EDIT..LONG => 1,
        _ => 2,
    };
    // Most typing errors keep the first letter, and most different names do not.
    if longer - shorter > most || (shorter < LONG - 2 && one.chars().next() != other.chars().next())
    {
        return 0.0;
    }
    if least_edits(one, other) as usize > most {
        return 0.0;
    }
    let edits = osa_distance(one, other);
    if edits > most || (edits == 1 && length == other_length && is_another_consonant(one, other)) {
        return 0.0;
    }
    let share = f64::from(u32::try_from(edits).unwrap_or(u32::MAX))
        / f64::from(u32::try_from(longer).unwrap_or(u32::MAX));
    0.99 - share
}

/// A lower bound for the edits between two words: the letters that only one of them has, because an edit adds or
/// removes one at most. Takes a fraction of the time of the distance.
fn least_edits(one: &str, other: &str) -> u32 {
    // Letters that share a bit only make the bound smaller.
    let letters = |word: &str| {
        word.chars()
            .fold(0_u64, |set, c| set | 1 << (u32::from(c) % 64))
    };
    let (one, other) = (letters(one), letters(other));
    (one & !other).count_ones().max((other & !one).count_ones())
}

/// Consonants that are confused with each other: of the same place or manner of articulation.
const LIKE_SOUNDS: [&str; 6] = ["bpfvm", "dt", "gkh", "szk", "lr", "mn"];
/// Rows of keys. Neighbouring keys are confused too.
const KEYS: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/// Whether words of equal length differ in a consonant that is not easily confused: `missiles` and `missives`.
fn is_another_consonant(one: &str, other: &str) -> bool {
    let mut differing = one.chars().zip(other.chars()).filter(|(a, b)| a != b);
    let (Some((a, b)), None) = (differing.next(), differing.next()) else {
        // Two letters were exchanged.
        return false;
    };
    let is_consonant = |c: char| c.is_ascii_alphabetic() && !"aeiouy".contains(c);
    let is_neighbour = KEYS.iter().any(|row| {
        let place = |c: char| row.find(c);
        matches!((place(a), place(b)), (Some(a), Some(b)) if a.abs_diff(b) == 1)
    });
    let is_like = LIKE_SOUNDS
        .iter()
        .any(|group| group.contains(a) && group.contains(b));
    is_consonant(a) && is_consonant(b) && !is_neighbour && !is_like
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::sounds::sound;

    #[test]
    fn least_edits_never_exceed_the_distance() {
        let words = [
            "",
            "delta",
            "delto",
            "dleta",
            "detla",
            "adelta",
            "vzorostav",
            "vzorostap",
            "vrozostav",
            "zorostava",
            "papradova",
            "papardova",
            "žblnkotech",
            "zblnkoteh",
            "aaaa",
            "missiles",
        ];
        for one in words {
            for other in words {
                let (least, edits) = (least_edits(one, other), osa_distance(one, other));
                assert!(least as usize <= edits, "{one} {other}: {least} {edits}");
            }
        }
        assert_eq!(least_edits("vzorostav", "hrkotmont"), 4);
    }

    #[test]
    fn long_words_tolerate_errors() {
        let alike = |one: &str, other: &str| sounds_alike(&sound(one), &sound(other));
        assert!(alike("zblnkotech", "zhblnkotekh") >= SAME_SOUND);
        assert!(alike("vzorostav", "vzorostap") > 0.8);
        assert!(alike("papradova", "papardova") > 0.8);
        assert_eq!(alike("delta", "delfy"), 0.0);
        assert_eq!(alike("mont", "font"), 0.0);
        assert_eq!(alike("missiles", "missives"), 0.0);
        assert!(alike("missiles", "misilles") > 0.8);
        assert_eq!(alike("vzorostav", "hrkotmont"), 0.0);
    }
}
