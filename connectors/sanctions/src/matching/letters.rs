//! Letters of other scripts in Latin, and spellings of one sound made the same.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Words in lower-case Latin letters and digits: scripts that have an alphabet like ours are transliterated, others
/// stay as they are. Whatever is no letter or digit parts words, but for apostrophes and soft signs.
#[must_use]
pub fn latin(raw: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let lower: String = raw.nfkc().flat_map(char::to_lowercase).collect();
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

/// The Latin letters of one; none where it is Latin already, or of a script without such a table.
fn transliterated(c: char) -> Option<&'static str> {
    cyrillic(c).or_else(|| greek(c)).or_else(|| latin_of_others(c))
}

/// By the English practice, which the lists follow.
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

/// Two Greek letters that are one sound.
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

/// Letters of Latin alphabets that no mark can be taken from, and apostrophes, which part no words.
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
        '\'' | '’' | '‘' | 'ʼ' | 'ʹ' | '`' | '´' | 'ʿ' | 'ʾ' => "",
        _ => return None,
    })
}

/// Spellings of one sound, the longer before their parts. Languages write the same name with any of them.
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

/// How a Latin word sounds: spellings that languages exchange are one, doubled letters are single.
#[must_use]
pub fn sound(word: &str) -> String {
    let mut sounds = String::with_capacity(word.len());
    // The English j is written in four ways.
    let word = word.replace("dzh", "j").replace("dz", "j").replace("dj", "j");
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
                    // Russian has no other letter for the h of others; elsewhere it is silent.
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

/// The consonants of what [`sound`] gave, by which words are looked up. The first letter is always there.
#[must_use]
pub fn skeleton(sound: &str) -> String {
    let is_vowel = |letter: char| matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u');
    let mut bones = String::with_capacity(sound.len());
    for (place, letter) in sound.chars().enumerate() {
        let bone = match letter {
            _ if is_vowel(letter) && place > 0 => continue,
            _ if is_vowel(letter) => 'a',
            'f' => 'v',
            _ => letter,
        };
        if bone.is_ascii_digit() || !bones.ends_with(bone) {
            bones.push(bone);
        }
    }
    bones
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
            ("…", ""),
        ] {
            assert_eq!(latin(raw).join(" "), expected, "{raw}");
        }
    }

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
