use super::*;

#[test]
fn same_function_has_other_codes_in_both_lists() {
    assert_eq!(
        meaning(List::StatutoryBodies, Some("84"), None).group,
        Group::Procurators
    );
    assert_eq!(
        meaning(List::Stakeholders, Some("24"), None).group,
        Group::Procurators
    );
    assert_eq!(
        meaning(List::StatutoryBodies, Some("18"), None).group,
        Group::Liquidators
    );
    assert_eq!(
        meaning(List::Stakeholders, Some("35"), None).group,
        Group::Administrators
    );
}

#[test]
fn label_serves_where_the_code_is_missing() {
    let blank = Some("Predstavenstvo ");
    assert_eq!(
        meaning(List::StatutoryBodies, None, blank).body,
        Some("predstavenstvo")
    );
    let unknown = meaning(List::Stakeholders, Some("38"), Some("Niečo nové"));
    assert_eq!(unknown.group, Group::Others);
    assert!(!is_known(
        List::Stakeholders,
        Some("38"),
        Some("Niečo nové")
    ));
}

#[test]
fn function_is_a_whole_label() {
    for (label, function) in [
        ("Predseda", Some(Function::Chairman)),
        ("podpredseda predstavenstva", Some(Function::ViceChairman)),
        ("Člen správnej rady ", Some(Function::Member)),
        ("predseda dozornej rady", Some(Function::Chairman)),
        ("Podpredseda dozornej rady", Some(Function::ViceChairman)),
        ("člen kontrolnej komisie", Some(Function::Member)),
        ("predseda klubu priateľov", None),
        ("", None),
    ] {
        assert_eq!(Function::of_label(label), function, "{label}");
    }
}

#[test]
fn rule_of_procurators_has_its_heading() {
    for (text, rule) in [
        ("Rozsah udelenej prokúry: samostatne.", Rule::Procurators),
        ("Konateľ koná spolu s prokuristom: vždy.", Rule::Company),
        ("Konateľ koná samostatne.", Rule::Company),
        ("Prokurista koná samostatne.", Rule::Unknown),
        ("", Rule::Company),
    ] {
        assert_eq!(Rule::of_text(text), rule, "{text}");
    }
}
