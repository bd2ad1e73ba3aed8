//! Every folder of `fixtures/` is a case: an answer of the search, and the expected result. `UPDATE_FIXTURES=1`
//! writes the results; review the diff.

use lustra_sdk::serde_json::json;
use lustra_sdk::testing::Answer;
use lustra_sdk::testing::TestHost;
use lustra_sdk::testing::fixtures::{every_case, failed};

use super::manifest::manifest;
use super::world::{enrich, host};

#[test]
fn every_fixture_matches() {
    every_case(25, &[], |case| {
        let answer = Answer::ok(case.input.clone()).with_header("content-type", "application/json");
        host(answer).install();
        match enrich() {
            Ok(section) => {
                assert_eq!(TestHost::requests().len(), 1);
                json!({ "section": manifest().content("ted_tenders", &section) })
            }
            Err(failure) => failed(&failure),
        }
    });
}
