//! The readers over the recorded page that lies beside the project, where it does. No recorded list exists; the page is
//! one of the former register of agents, which must not be taken for a list of any kind.
#![expect(
    clippy::print_stdout,
    reason = "whoever runs it wants to know whether the page was there"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

use std::fs;
use std::path::Path;

use lustra_nbs::settings::Psd2Members;
use lustra_nbs::{Nbs, institutions, psd2};
use lustra_sdk::Failure;
use lustra_sdk::testing::{Answer, TestHost, run_import};

#[test]
fn a_page_of_the_former_register_is_refused() {
    let folder = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/registers/samples/nbs"
    ));
    let Ok(entries) = fs::read_dir(folder) else {
        println!("skipped: the folder is absent");
        return;
    };
    let pages = entries.map(|entry| entry.unwrap().path()).filter(|path| {
        path.extension()
            .is_some_and(|extension| extension == "html")
    });
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let is_page = |failure: &Failure| matches!(failure, Failure::Unavailable(why) if why.contains("HTML"));
        assert!(institutions::read(&text).is_err_and(|failure| is_page(&failure)));
        assert!(psd2::read(&text, &Psd2Members::default()).is_err_and(|failure| is_page(&failure)));
        for dataset in ["institutions", "psd2-services"] {
            let answer =
                || Answer::ok(text.clone()).with_header("content-type", "text/html; charset=utf-8");
            TestHost::new()
                .answer("nbs", "/api/json", answer())
                .answer("nbs", "/api/psd2", answer())
                .install();
            assert!(
                run_import::<Nbs>(dataset, None).is_err_and(|failure| is_page(&failure)),
                "{dataset}"
            );
        }
        println!("{} bytes were refused", text.len());
    }
}
