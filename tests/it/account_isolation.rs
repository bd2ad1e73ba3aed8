//! Pages show nothing of another account.

use lustra_tests::lustra::store::MemberRole;
use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::{Behaviour, Receiver};

use crate::account_support::{Visitor, member};
use crate::account_watching::{location, world};
use crate::notifications_support::another_account;

#[tokio::test]
async fn ten_people_see_nothing_of_another_account() {
    let world = world().start().await;
    let receiver = Receiver::behaving(|_| Behaviour::Status(500)).await;
    // The other account watches a company, has an event, a delivery, an import, a batch and people.
    let other = another_account(&world, "enterprise").await;
    let owner = Visitor::of(&world);
    owner.sign_in_by_key(&other).await;
    let (ico, url) = (world.icos[0].clone(), receiver.url());
    let fields = [("list", ico.as_str()), ("webhook_url", url.as_str())];
    let watched = owner.upload("/account/watching", &fields, b"").await;
    assert_eq!(watched.status, 200, "{watched:?}");
    world.propagate_changes().await;
    world.happens(&ico, ChangeKind::OfficerReplaced);
    world.propagate_changes().await;
    let form = [("token", "t"), ("kind", "ico"), ("list", ico.as_str())];
    let file = location(&owner.upload("/account/files", &form, b"").await);
    let page = owner.page("/account/watching").await;
    let import = first_link(&page, "/account/watching/imports/");
    let company = format!("/account/watching/{ico}");
    let page = owner.page(&company).await;
    let delivery = first_link(&page, "/account/deliveries/");
    let objects = [&file, &import, &company, &delivery];
    for path in objects {
        assert_eq!(owner.get(path).await.status, 200, "{path}");
    }
    let account = world.account().await.id;
    for number in 0..10 {
        let role = MemberRole::ALL[number % MemberRole::ALL.len()];
        let email = format!("person{number}@mlyn.example");
        let person = Visitor::of(&world);
        let id = member(&world, account, &email, role).await;
        person.sign_in(&world, id).await;
        for path in objects {
            let status = person.get(path).await.status;
            assert_eq!(status, 404, "{role:?} {path}");
        }
        for (path, action) in [
            (&company, "pause"),
            (&company, "resume"),
            (&company, "secret"),
            (&company, "resend"),
            (&company, "end"),
            (&delivery, "resend"),
        ] {
            let status = person.post(&format!("{path}/{action}"), &[]).await.status;
            assert!(
                matches!(status, 403 | 404),
                "{role:?} {path} {action}: {status}"
            );
        }
        for path in [format!("{import}/report.csv"), format!("{file}/results")] {
            assert_eq!(person.get(&path).await.status, 404, "{role:?} {path}");
        }
        for path in [
            "/account/watching",
            "/account/deliveries",
            "/account/events",
            "/account/files",
        ] {
            let page = person.page(path).await;
            assert!(
                !page.contains(&ico) && !page.contains(&url),
                "{role:?} {path}"
            );
        }
    }
    assert!(owner.page(&company).await.contains("active"));
    world.end().await;
}

/// The first link of a page that begins so.
fn first_link(page: &str, begin: &str) -> String {
    let (_, rest) = page
        .split_once(&format!("href=\"{begin}"))
        .unwrap_or_else(|| panic!("{begin}: {page}"));
    let rest = rest.split('"').next().expect("its end");
    format!("{begin}{rest}")
}
