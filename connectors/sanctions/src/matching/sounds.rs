//! Makes spellings of one sound equal.

/// Spellings of one sound, longer ones before their parts. Languages write the same name with any of them.
const SPELLINGS: [(&str, &str); 45] = [
    ("shch", "s"),
    ("tsch", "k"),
    ("sch", "s"),
    ("sc", "s"),
    ("iev", "ev"),
    ("yev", "ev"),
    ("ije", "e"),
    ("iye", "e"),
    ("ja", "a"),
    ("ya", "a"),
    ("je", "e"),
    ("ye", "e"),
    ("jo", "o"),
    ("yo", "o"),
    ("ju", "u"),
    ("yu", "u"),
    ("ff", "v"),
    ("tch", "k"),
    ("ch", "k"),
    ("kh", "k"),
    ("ck", "k"),
    ("cz", "k"),
    ("ts", "k"),
    ("tz", "k"),
    ("zh", "s"),
    ("sh", "s"),
    ("ph", "f"),
    ("th", "t"),
    ("gh", "g"),
    ("ae", "a"),
    ("oe", "o"),
    ("ue", "u"),
    ("ou", "u"),
    ("oo", "u"),
    ("ee", "i"),
    ("lj", "l"),
    ("nj", "n"),
    ("qu", "kv"),
    ("q", "k"),
    ("x", "ks"),
    ("c", "k"),
    ("z", "s"),
    ("w", "v"),
    ("y", "i"),
    ("j", "i"),
];

/// The sound of a Latin word: equivalent spellings of several languages become one, doubled letters become single.
#[must_use]
pub fn sound(word: &str) -> String {
    let mut sounds = String::with_capacity(word.len());
    // English `j` is written in four ways.
    let word = word
        .replace("dzh", "j")
        .replace("dz", "j")
        .replace("dj", "j");
    let mut rest = word.as_str();
    while let Some(first) = rest.chars().next() {
        let spelling = SPELLINGS
            .iter()
            .find(|(written, _)| rest.starts_with(written));
        let piece = match spelling {
            Some((written, sounded)) => {
                rest = &rest[written.len()..];
                (*sounded).to_owned()
            }
            None => {
                rest = &rest[first.len_utf8()..];
                match first {
                    // Russian has no other letter for the `h` of other languages. Elsewhere it is silent.
                    'h' if sounds.is_empty() => "k".to_owned(),
                    'h' => continue,
                    _ => first.to_string(),
                }
            }
        };
        for letter in piece.chars() {
            // Digits may be doubled.
            if letter.is_ascii_digit() || !sounds.ends_with(letter) {
                sounds.push(letter);
            }
        }
    }
    if sounds.len() > 3 && sounds.ends_with('f') {
        sounds.pop();
        sounds.push('v');
    }
    sounds
}

/// The consonants of a [`sound`], which are the key of the look-up. The first letter is always included.
#[must_use]
pub fn skeleton(sound: &str) -> String {
    let is_vowel = |letter: char| matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u');
    let mut consonants = String::with_capacity(sound.len());
    for (place, letter) in sound.chars().enumerate() {
        let consonant = match letter {
            _ if is_vowel(letter) && place > 0 => continue,
            _ if is_vowel(letter) => 'a',
            'f' => 'v',
            _ => letter,
        };
        if consonant.is_ascii_digit() || !consonants.ends_with(consonant) {
            consonants.push(consonant);
        }
    }
    consonants
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_sound_the_same() {
        for (one, other) in [
            ("zblnkotech", "zhblnkotekh"),
            ("smirnov", "smirnoff"),
            ("kuznecov", "kuznetsov"),
            ("mullerik", "muellerik"),
            ("cerkasov", "cherkasov"),
            ("dmitrij", "dmitriy"),
            ("yuri", "juri"),
            ("aleksej", "alexey"),
            ("scukin", "shchukin"),
            ("jurijev", "yurev"),
            ("datlodrev", "dyatlodrev"),
            ("dzamalov", "dzhamalov"),
            ("hrkot", "khrkot"),
            ("filippov", "philipov"),
            ("wagnerik", "vagnerik"),
        ] {
            assert_eq!(sound(one), sound(other), "{one} {other}");
        }
        assert_ne!(sound("2024"), sound("204"));
        assert_ne!(sound("2200"), sound("20"));
    }

    #[test]
    fn a_changed_vowel_leaves_the_skeleton() {
        assert_eq!(skeleton(&sound("vzorostav")), "vsrstv");
        assert_eq!(skeleton(&sound("vzorostev")), "vsrstv");
        assert_eq!(skeleton(&sound("omega")), skeleton(&sound("amiga")));
        assert_eq!(skeleton(&sound("harkov")), skeleton(&sound("kharkov")));
    }
}
