//! Invitations to an account: e-mails with links, and sending them again.

use lustra_tests::{answered, client};

use crate::account_sign_in::{link_in, mailing};
use crate::account_support::{Visitor, html};
use crate::owner_keys::managing_key;

#[tokio::test]
async fn invitation_is_an_email_that_can_be_sent_again() {
    let (world, mailbox) = mailing().await;
    let manager = managing_key(&world).await;
    let visitor = Visitor::of(&world);
    visitor.sign_in_by_key(&manager).await;
    let name = format!("\u{202e}{}", "ش".repeat(99));
    let form = [
        ("email", "jan@mlyn.example"),
        ("name", &name),
        ("role", "developer"),
    ];
    let invited = visitor.post("/account/people", &form).await;
    assert_eq!(invited.status, 303, "{invited:?}");
    assert!(world.mail_step().await);
    let page = visitor.page("/account/people").await;
    assert!(page.contains(&format!("<bdi>{name}</bdi>")), "{page}");
    assert!(page.contains("The invitation is on its way."));
    let longer = "ش".repeat(101);
    let form = [
        ("email", "ivan@mlyn.example"),
        ("name", &longer),
        ("role", "read"),
    ];
    let refused = visitor.post("/account/people", &form).await;
    assert_eq!(refused.status, 422);
    assert!(
        html(&refused).contains(&longer),
        "what was typed is not lost"
    );
    let people = world.store.members_of(world.account().await.id);
    let jan = people
        .list()
        .await
        .expect("the store is there")
        .remove(0)
        .id;
    let again = format!("/account/people/{jan}/invitation");
    assert_eq!(visitor.post(&again, &[]).await.status, 303);
    assert!(world.mail_step().await);
    visitor.post(&again, &[]).await;
    assert!(
        !world.mail_step().await,
        "an address gets two e-mails within an hour"
    );
    assert!(
        visitor
            .page("/account/people")
            .await
            .contains("too many e-mails")
    );
    let url = format!("{}/v1/account/members/{jan}/invitation", world.url());
    let request = client().post(url);
    let limited = answered(request.header("x-api-key", &manager)).await;
    assert_eq!(limited.status, 429);
    // The invitation is still valid after days, and the person is then a member.
    world.advance(6);
    let link = link_in(&mailbox);
    let token = link.split("token=").nth(1).expect("a token");
    let invitee = Visitor::of(&world);
    let signed = invitee
        .post("/account/sign-in/link", &[("token", token)])
        .await;
    assert_eq!(signed.status, 303);
    assert!(
        invitee
            .page("/account/keys")
            .await
            .contains("Create the key")
    );
    world.end().await;
}
