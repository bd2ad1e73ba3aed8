//! Runs the readers over the recorded page beside the project, if it is there. No recorded list exists. The page is one
//! of the former register of agents, and no reader may accept it as a list.
#![expect(
    clippy::print_stdout,
    reason = "the output shows whether the page was there"
)]

use std::fs;

use lustra_nbs::settings::Psd2Members;
use lustra_nbs::{Nbs, institutions, psd2};
use lustra_sdk::Failure;
use lustra_sdk::testing::{Answer, TestHost, run_import, samples};

#[test]
fn a_page_of_the_former_register_is_refused() {
    for page in samples("nbs", ".html") {
        let text = fs::read_to_string(&page).unwrap();
        let is_page = |failure: &Failure| matches!(failure, Failure::Unavailable(why) if why.contains("HTML"));
        assert!(institutions::read(&text).is_err_and(|failure| is_page(&failure)));
        assert!(psd2::read(&text, &Psd2Members::default()).is_err_and(|failure| is_page(&failure)));
        for dataset in ["institutions", "psd2-services"] {
            let answer = || Answer::html(text.clone());
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
