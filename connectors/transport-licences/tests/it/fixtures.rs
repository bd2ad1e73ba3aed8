//! Every folder of `fixtures/` is a list, and the expected result on 15 January 2026.

use lustra_sdk::listed::read;
use lustra_sdk::testing::TestHost;
use lustra_sdk::testing::fixtures::every_case;
use lustra_sdk::testing::listed::shown;

#[test]
fn every_fixture_matches() {
    TestHost::new().now("2026-01-15T06:00:00Z").install();
    every_case(20, &[], |case| {
        shown(read::<lustra_transport_licences::TransportLicences>(
            &case.input,
        ))
    });
}
