//! The role of a person in a body of a company.
//!
//! The register prints the function after the name, or omits it if the body's name implies it: the members of
//! `konatelia` are managing directors. The role is always that of a single person.

use lustra_sdk::text;

/// First words of the names of bodies with several members, folded, and the role of one member. Every other
/// body is named after its only member (`konateľ`, `vedúci organizačnej zložky`).
const MEMBERS: [(&str, &str); 14] = [
    ("konatelia", "konateľ"),
    ("spolocnici", "spoločník"),
    ("komplementari", "komplementár"),
    ("riaditelia", "riaditeľ"),
    ("likvidatori", "likvidátor"),
    ("zakladatelia", "zakladateľ"),
    ("prokura", "prokurista"),
    ("prokuristi", "prokurista"),
    ("predstavenstvo", "člen predstavenstva"),
    ("spravna", "člen správnej rady"),
    ("dozorna", "člen dozornej rady"),
    ("kontrolna", "člen kontrolnej komisie"),
    ("vybor", "člen výboru"),
    ("statutarny", "člen štatutárneho orgánu"),
];

/// Functions that are meaningful only with the body's name, folded.
const WITHOUT_ORGAN: [&str; 6] = [
    "clen",
    "clenka",
    "predseda",
    "predsednicka",
    "podpredseda",
    "podpredsednicka",
];

/// The role of a person with this function in the body with this name. `None` if neither is printed.
#[must_use]
pub fn role(function: Option<&str>, organ: Option<&str>) -> Option<String> {
    let member = organ.map(member_of);
    // Some records print a date in the function's place.
    let is_date = |function: &str| function.contains(|c: char| c.is_ascii_digit());
    let Some(function) = function.filter(|function| !is_date(function)) else {
        return member;
    };
    let organ_of = member
        .as_deref()
        .and_then(|member| member.strip_prefix("člen "));
    match organ_of {
        Some(organ) if WITHOUT_ORGAN.contains(&text::fold(function).as_str()) => {
            Some(format!("{} {organ}", text::uncapitalised(function)))
        }
        _ => Some(text::uncapitalised(function)),
    }
}

fn member_of(organ: &str) -> String {
    let folded = text::fold(organ);
    let first = folded.split(' ').next().unwrap_or_default();
    if first == "clenovia"
        && let Some((_, rest)) = organ.split_once(' ')
    {
        return format!("člen {rest}");
    }
    match MEMBERS.iter().find(|(word, _)| *word == first) {
        Some((_, member)) => (*member).to_owned(),
        None => text::uncapitalised(organ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_that_of_one_person() {
        for (function, organ, expected) in [
            (None, Some("konatelia"), Some("konateľ")),
            (None, Some("konateľ"), Some("konateľ")),
            (None, Some("Spoločníci"), Some("spoločník")),
            (None, Some("predstavenstvo"), Some("člen predstavenstva")),
            (
                None,
                Some("členovia správnej rady"),
                Some("člen správnej rady"),
            ),
            (None, Some("Dozorná rada"), Some("člen dozornej rady")),
            (None, Some("Prokúra"), Some("prokurista")),
            (None, Some("Likvidátor"), Some("likvidátor")),
            (
                None,
                Some("vedúci organizačnej zložky"),
                Some("vedúci organizačnej zložky"),
            ),
            (
                Some("člen"),
                Some("Dozorná rada"),
                Some("člen dozornej rady"),
            ),
            (
                Some("Predseda"),
                Some("predstavenstvo"),
                Some("predseda predstavenstva"),
            ),
            (Some("predseda"), Some("predseda"), Some("predseda")),
            (
                Some("podpredseda predstavenstva"),
                Some("predstavenstvo"),
                Some("podpredseda predstavenstva"),
            ),
            (
                Some("Člen predstavenstva"),
                Some("predstavenstvo"),
                Some("člen predstavenstva"),
            ),
            (Some("konateľka"), None, Some("konateľka")),
            (
                Some("deň vzniku funkcie predsedu 19.07.2001"),
                Some("predstavenstvo"),
                Some("člen predstavenstva"),
            ),
            (None, None, None),
        ] {
            assert_eq!(
                role(function, organ).as_deref(),
                expected,
                "{function:?} in {organ:?}"
            );
        }
    }
}
