//! Converts letters of other scripts to Latin.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Splits a text into words of lower-case Latin letters and digits. Alphabetic scripts are transliterated, others stay
/// unchanged. Everything except letters and digits separates words, but apostrophes and soft signs do not.
#[must_use]
pub fn latin(raw: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let composed: String = raw.nfkc().collect();
    let lower: String = unglued(&without_possessive(&composed))
        .chars()
        .flat_map(char::to_lowercase)
        .collect();
    for c in greek_pairs(lower).chars() {
        if let Some(letters) = transliterated(c) {
            word.push_str(letters);
            continue;
        }
        let mut is_letter = false;
        for plain in std::iter::once(c)
            .nfd()
            .filter(|plain| !is_combining_mark(*plain))
        {
            if let Some(letters) = transliterated(plain) {
                word.push_str(letters);
                is_letter = true;
            } else if plain.is_alphanumeric() {
                word.push(plain);
                is_letter = true;
            }
        }
        if !is_letter && !is_combining_mark(c) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Removes the English `'s` from the end of a word.
fn without_possessive(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let is_possessive = |place: usize| {
        let at = |place: usize| letters.get(place).copied();
        matches!(at(place), Some('\'' | '’' | 'ʼ'))
            && matches!(at(place + 1), Some('s' | 'S'))
            && place > 0
            && at(place - 1).is_some_and(char::is_alphabetic)
            && at(place + 2).is_none_or(|next| !next.is_alphanumeric())
    };
    let kept = (0..letters.len()).filter(|place| {
        let is_letter_of_one = *place > 0 && is_possessive(place - 1);
        !is_possessive(*place) && !is_letter_of_one
    });
    kept.map(|place| letters[place]).collect()
}

/// Separates capitals at the end of a lower-case word: `VzorAG`.
fn unglued(text: &str) -> String {
    let glued = |word: &str| -> String {
        let small = word.trim_end_matches(|c: char| c.is_uppercase() || !c.is_alphanumeric());
        let capitals = &word[small.len()..];
        let is_glued = small.ends_with(char::is_lowercase)
            && capitals.chars().filter(|c| c.is_uppercase()).count() > 1
            && capitals.starts_with(char::is_uppercase);
        match is_glued {
            true => format!("{small} {capitals}"),
            false => word.to_owned(),
        }
    };
    let words: Vec<String> = text.split(' ').map(glued).collect();
    words.join(" ")
}

/// The Latin letters of a letter. `None` if it is Latin already, or of a script without a table here.
fn transliterated(c: char) -> Option<&'static str> {
    cyrillic(c)
        .or_else(|| greek(c))
        .or_else(|| latin_of_others(c))
}

/// Transliterates by the English practice, which the lists follow.
fn cyrillic(c: char) -> Option<&'static str> {
    Some(match c {
        'а' => "a",
        'б' => "b",
        'в' => "v",
        'г' | 'ґ' => "g",
        'д' => "d",
        'е' | 'э' | 'ё' => "e",
        'ж' => "zh",
        'з' => "z",
        'и' | 'і' => "i",
        'й' | 'ы' => "y",
        'к' => "k",
        'л' => "l",
        'м' => "m",
        'н' => "n",
        'о' => "o",
        'п' => "p",
        'р' => "r",
        'с' => "s",
        'т' => "t",
        'у' | 'ў' => "u",
        'ф' => "f",
        'х' => "kh",
        'ц' => "ts",
        'ч' | 'ћ' => "ch",
        'ш' => "sh",
        'щ' => "shch",
        'ъ' | 'ь' => "",
        'ю' => "yu",
        'я' => "ya",
        'є' => "ye",
        'ї' => "yi",
        'ђ' => "dj",
        'ј' => "j",
        'љ' => "lj",
        'њ' => "nj",
        'џ' => "dz",
        'ќ' => "kj",
        'ѓ' => "gj",
        'ѕ' => "dz",
        _ => return None,
    })
}

fn greek(c: char) -> Option<&'static str> {
    Some(match c {
        'α' | 'ά' => "a",
        'β' => "v",
        'γ' => "g",
        'δ' => "d",
        'ε' | 'έ' => "e",
        'ζ' => "z",
        'η' | 'ή' | 'ι' | 'ί' | 'ϊ' | 'ΐ' | 'υ' | 'ύ' | 'ϋ' | 'ΰ' => "i",
        'θ' => "th",
        'κ' => "k",
        'λ' => "l",
        'μ' => "m",
        'ν' => "n",
        'ξ' => "x",
        'ο' | 'ό' | 'ω' | 'ώ' => "o",
        'π' => "p",
        'ρ' => "r",
        'σ' | 'ς' => "s",
        'τ' => "t",
        'φ' => "f",
        'χ' => "ch",
        'ψ' => "ps",
        _ => return None,
    })
}

/// Replaces pairs of Greek letters that are one sound.
fn greek_pairs(text: String) -> String {
    const PAIRS: [(&str, &str); 5] = [
        ("ου", "u"),
        ("ού", "u"),
        ("μπ", "b"),
        ("ντ", "d"),
        ("γκ", "g"),
    ];
    if !text.contains(|c| greek(c).is_some()) {
        return text;
    }
    PAIRS
        .iter()
        .fold(text, |text, (pair, letter)| text.replace(pair, letter))
}

/// Replaces letters of Latin alphabets that have no base letter, and apostrophes, which do not separate words.
fn latin_of_others(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'æ' => "ae",
        'œ' => "oe",
        'ı' => "i",
        'ə' => "a",
        'ħ' => "h",
        '%' => "percent",
        '\'' | '’' | '‘' | 'ʼ' | 'ʹ' | '`' | '´' | 'ʿ' | 'ʾ' => "",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_marks_become_plain_words() {
        for (raw, expected) in [
            ("Žblnkotech Holding, a. s.", "zblnkotech holding a s"),
            ("ЖБЛНКОТЕХ Холдинг", "zhblnkotekh kholding"),
            ("Объединённая компания", "obedinennaya kompaniya"),
            ("Щукин й Ї", "shchukin y yi"),
            ("ΒΖΟΡΟ Ελλάς", "vzoro ellas"),
            ("Λοπουχοτέξ", "lopuchotex"),
            ("O'Skúšobný ʼul", "oskusobny ul"),
            ("Größlink & Łódź №5", "grosslink lodz no5"),
            ("ＦＵＬＬ１２", "full12"),
            ("وزور", "وزور"),
            ("VzorAG", "vzor ag"),
            ("BrmboSoft", "brmbosoft"),
            ("Lopúch's Bank", "lopuch bank"),
            ("Lopúchs’ Bank", "lopuchs bank"),
            ("100%", "100percent"),
            ("…", ""),
        ] {
            assert_eq!(latin(raw).join(" "), expected, "{raw}");
        }
    }
}
