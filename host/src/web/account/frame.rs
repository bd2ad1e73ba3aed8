//! The frame of the account's pages: navigation, who is signed in, and messages after a form.

use axum::http::{HeaderMap, HeaderValue};

use super::cookie::cookie;
use super::texts::Texts;
use crate::accounts::Action;
use crate::store::SessionOwner;

/// The cookie with the message for the next page.
const COOKIE: &str = "lustra_flash";

/// A page in the navigation. The macro lists each page once, in the order of the navigation.
macro_rules! tabs {
    ($($name:ident: $path:literal, $label:ident, $action:ident;)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(in crate::web) enum Tab {
            $($name,)+
        }

        impl Tab {
            const ALL: &[Self] = &[$(Self::$name,)+];

            fn path(self) -> &'static str {
                match self {
                    $(Self::$name => $path,)+
                }
            }

            fn label(self, t: &Texts) -> &'static str {
                match self {
                    $(Self::$name => t.$label,)+
                }
            }

            /// What a session must be allowed to do to see the page.
            pub(super) fn action(self) -> Action {
                match self {
                    $(Self::$name => Action::$action,)+
                }
            }
        }
    };
}

tabs! {
    Overview: "/account", tab_overview, ReadCredits;
    Watching: "/account/watching", tab_watching, ReadWatches;
    Files: "/account/files", tab_files, LookUp;
    Keys: "/account/keys", tab_keys, ManageKeys;
    People: "/account/people", tab_people, ReadMembers;
    Ledger: "/account/ledger", tab_ledger, ReadCredits;
    Plan: "/account/plan", tab_plan, ReadCredits;
    Try: "/account/try", tab_try, LookUp;
}

/// A message that the page after a form shows once. The macro lists the words of the cookie and the texts.
macro_rules! flashes {
    ($($name:ident: $word:literal, $text:ident;)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(in crate::web) enum Flash {
            $($name,)+
        }

        impl Flash {
            const ALL: &[Self] = &[$(Self::$name,)+];

            fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)+
                }
            }

            fn text(self, t: &Texts) -> &'static str {
                match self {
                    $(Self::$name => t.$text,)+
                }
            }
        }
    };
}

flashes! {
    SignedIn: "signed-in", flash_signed_in;
    KeyChanged: "key-changed", flash_key_changed;
    KeyRevoked: "key-revoked", flash_key_revoked;
    Invited: "invited", flash_invited;
    InvitedWithoutEmail: "invited-without-email", flash_invited_without_email;
    InvitedAgain: "invited-again", flash_invited;
    TooManyEmails: "too-many-emails", flash_too_many_emails;
    RoleChanged: "role-changed", flash_role_changed;
    PersonRemoved: "person-removed", flash_person_removed;
    PlanChanged: "plan-changed", flash_plan_changed;
    PlanNotOffered: "plan-not-offered", flash_plan_not_offered;
    AlertsChanged: "alerts-changed", flash_alerts_changed;
    WatchChanged: "watch-changed", flash_watch_changed;
    WatchEnded: "watch-ended", flash_watch_ended;
    Paused: "paused", flash_paused;
    Resumed: "resumed", flash_resumed;
    Resent: "resent", flash_resent;
    ResentInPart: "resent-in-part", flash_resent_in_part;
    NothingMissed: "nothing-missed", flash_nothing_missed;
    LanguageChanged: "language-changed", flash_language_changed;
}

impl Flash {
    /// The message of a request, if its cookie has a known one.
    pub(in crate::web) fn of(headers: &HeaderMap) -> Option<Self> {
        let word = cookie(headers, COOKIE)?;
        Self::ALL.iter().copied().find(|flash| flash.word() == word)
    }

    pub(in crate::web) fn cookie(self) -> HeaderValue {
        let word = self.word();
        let cookie = format!("{COOKIE}={word}; Path=/account; Max-Age=60; SameSite=Lax; HttpOnly");
        HeaderValue::from_str(&cookie).expect("it is visible ASCII")
    }

    /// The header that removes a shown message.
    pub(in crate::web) fn forgotten() -> HeaderValue {
        HeaderValue::from_static("lustra_flash=; Path=/account; Max-Age=0; SameSite=Lax; HttpOnly")
    }
}

/// What `account.html` shows around a page.
#[derive(Debug)]
pub(in crate::web) struct AccountFrame {
    pub(in crate::web) t: &'static Texts,
    pub(in crate::web) tabs: Vec<TabLink>,
    pub(in crate::web) message: Option<&'static str>,
    /// Name of the account.
    pub(in crate::web) account: String,
    /// The person's address, or the word for a key.
    pub(in crate::web) who: String,
    /// The role, or the rights of the key.
    pub(in crate::web) role: &'static str,
    /// Whether a person is signed in, who may have other accounts.
    pub(in crate::web) is_person: bool,
}

#[derive(Debug)]
pub(in crate::web) struct TabLink {
    pub(in crate::web) path: &'static str,
    pub(in crate::web) label: &'static str,
    pub(in crate::web) is_current: bool,
}

impl AccountFrame {
    /// A frame without navigation and message.
    pub(super) fn new(t: &'static Texts, account: &str, owner: &SessionOwner) -> Self {
        let (who, role, is_person) = match owner {
            SessionOwner::Member { email, role, .. } => (email.clone(), t.role(*role), true),
            SessionOwner::Key { manage: true, .. } => {
                (t.signed_in_by_key.to_owned(), t.key_manages, false)
            }
            SessionOwner::Key { manage: false, .. } => {
                (t.signed_in_by_key.to_owned(), t.key_looks_up, false)
            }
        };
        Self {
            t,
            tabs: Vec::new(),
            message: None,
            account: account.to_owned(),
            who,
            role,
            is_person,
        }
    }

    /// Adds links to the visible pages; `current` is the shown one.
    pub(super) fn with_tabs(mut self, current: Tab, is_visible: impl Fn(&Tab) -> bool) -> Self {
        let visible = Tab::ALL.iter().copied().filter(is_visible);
        let link = |one: Tab| TabLink {
            path: one.path(),
            label: one.label(self.t),
            is_current: one == current,
        };
        self.tabs = visible.map(link).collect();
        self
    }

    pub(super) fn with_message(mut self, flash: Option<Flash>) -> Self {
        self.message = flash.map(|flash| flash.text(self.t));
        self
    }
}
