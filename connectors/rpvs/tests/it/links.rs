//! Which links are followed, and to which paths.

use lustra_rpvs::link::{below, root_of};

const ROOT: &str = "https://rpvs.gov.sk/opendatav2/";

fn path(link: &str, root: Option<&str>) -> Option<String> {
    below(link, root, &["Partneri".to_owned()], "link").ok()
}

#[test]
fn answers_state_the_service_address() {
    for (context, root) in [
        (
            "https://rpvs.gov.sk/opendatav2/$metadata#Partneri(A())",
            Some(ROOT),
        ),
        (
            "http://127.0.0.1:9/rpvs/$metadata#Partneri/$entity",
            Some("http://127.0.0.1:9/rpvs/"),
        ),
        ("$metadata#Partneri", None),
        ("https://rpvs.gov.sk/opendatav2/", None),
        ("", None),
    ] {
        assert_eq!(root_of(context), root, "{context}");
    }
}

#[test]
fn links_stay_below_the_upstream() {
    let followed = Some("/Partneri?$skiptoken=Id-20".to_owned());
    assert_eq!(
        path(
            "https://rpvs.gov.sk/opendatav2/Partneri?$skiptoken=Id-20",
            Some(ROOT)
        ),
        followed
    );
    assert_eq!(path("Partneri?$skiptoken=Id-20", Some(ROOT)), followed);
    assert_eq!(path("Partneri?$skiptoken=Id-20", None), followed);
    assert_eq!(
        path("https://rpvs.gov.sk/opendatav2/Partneri", Some(ROOT)),
        Some("/Partneri".to_owned())
    );
    for link in [
        "https://rpvs.gov.sk.elsewhere.example/opendatav2/Partneri?x",
        "https://rpvs.gov.sk/opendatav2/PartneriVerejnehoSektora?x",
        "https://rpvs.gov.sk/opendatav2/Partneri/20?x",
        "https://rpvs.gov.sk/opendatav2/Partneri?x#y",
        "https://rpvs.gov.sk/opendatav2/Partneri?a b",
        "https://rpvs.gov.sk/opendatav2/Partneri?\r\nHost: x",
        "file:///etc/passwd",
        "Partneri/../x",
        "",
    ] {
        assert_eq!(path(link, Some(ROOT)), None, "{link}");
    }
    assert_eq!(
        path("https://rpvs.gov.sk/opendatav2/Partneri?x", None),
        None
    );
}
