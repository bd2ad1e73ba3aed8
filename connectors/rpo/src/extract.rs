//! What the details of the commercial register say about people, deposits and shares.
//!
//! The host passes the company's details as members of the subject's `company`; they are those of the answers to
//! clients. A member in another form counts as absent: the history is complete without it.

use std::collections::BTreeMap;

use lustra_sdk::person::without_titles;
use lustra_sdk::text;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::history::deposits::{count, plain};
use crate::history::offices::Known;

/// The list of the details with deposits that are no longer valid.
const FORMER_DEPOSITS: &str = "former_deposits";

/// The people, deposits and shares of a company; empty if no details were read.
#[derive(Debug, Default)]
pub struct Extract {
    /// The people of each list, present ones, and the holders of former deposits.
    people: BTreeMap<String, Vec<Person>>,
    /// Rows of the lists of shares, present ones first.
    issues: Vec<Value>,
}

/// A person of the details.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
pub struct Person {
    pub name: String,
    pub address: Option<String>,
    pub ico: Option<String>,
    pub appointed_at: Option<String>,
    pub share_amount: Option<String>,
    pub share_paid: Option<String>,
    pub share_currency: Option<String>,
    pub share_percentage: Option<String>,
    pub contribution_kind: Option<String>,
    pub effective_from: Option<String>,
    pub effective_to: Option<String>,
    /// `None` if the extract's text was not understood, and in details of earlier versions; `Some(None)` if it states
    /// no lien.
    #[serde(default, deserialize_with = "present")]
    pub deposit_lien: Option<Option<String>>,
}

/// An issue of shares, as the section lists it.
#[derive(Debug, Serialize)]
pub(crate) struct Share {
    pub share_type: Option<String>,
    pub share_form: Option<String>,
    pub share_state: Option<String>,
    pub nominal_value: Option<String>,
    pub currency: Option<String>,
    pub count: Option<u64>,
    pub transferability: Option<String>,
    pub effective_from: Option<String>,
    pub effective_to: Option<String>,
    pub current: bool,
}

impl Extract {
    /// Reads the details among the members of a company.
    #[must_use]
    pub fn of(company: &str) -> Self {
        let members: Map<String, Value> = serde_json::from_str(company).unwrap_or_default();
        let lists = ["shares", "former_shares"].map(|list| members.get(list));
        let issues = lists.into_iter().flatten().filter_map(Value::as_array);
        let issues = issues.flatten().cloned().collect();
        // Rows without a name, such as those of shares, are not people.
        let people = members
            .into_iter()
            .map(|(list, rows)| (list, people(&rows)))
            .collect();
        Self { people, issues }
    }

    /// The person of a list with this name. `None` if several have it.
    pub(crate) fn person(&self, list: &str, known: &Known) -> Option<&Person> {
        only(self.named(list, known))
    }

    /// The deposit of a former holder that was valid until the holder left: of those that began before, the one that
    /// ended last. `None` if several ended last, or if it had ended before the holding began.
    pub(crate) fn former_deposit(
        &self,
        known: &Known,
        from: Option<&str>,
        left: &str,
    ) -> Option<&Person> {
        let began = |deposit: &&Person| {
            deposit
                .effective_from
                .as_deref()
                .is_none_or(|from| from <= left)
        };
        let own = self.named(FORMER_DEPOSITS, known);
        let own: Vec<&Person> = own.filter(began).collect();
        let last = own
            .iter()
            .filter_map(|deposit| deposit.effective_to.as_deref())
            .max()?;
        let is_of_holding = from.is_none_or(|from| from <= last);
        let own = own
            .into_iter()
            .filter(|deposit| deposit.effective_to.as_deref() == Some(last));
        only(own).filter(|_| is_of_holding)
    }

    /// The rows of a list with a name.
    fn named<'a>(
        &'a self,
        list: &str,
        known: &Known,
    ) -> impl Iterator<Item = &'a Person> + use<'a> {
        let number = known.ico.clone();
        let wanted = if known.is_company {
            text::fold(&known.shown)
        } else {
            without_titles(&text::fold(&known.shown))
        };
        let rows = self.people.get(list).into_iter().flatten();
        rows.filter(move |person| {
            let folded = text::fold(&person.name);
            let has_number = number.is_some() && number == person.ico;
            has_number || folded == wanted || without_titles(&folded) == wanted
        })
    }

    /// The issues of shares.
    pub(crate) fn shares(&self) -> Vec<Share> {
        let issues = self.issues.iter().filter(|issue| issue.is_object());
        issues.map(share).collect()
    }
}

/// The only one. `None` for none and for several.
fn only<T>(mut rows: impl Iterator<Item = T>) -> Option<T> {
    let row = rows.next()?;
    rows.next().is_none().then_some(row)
}

/// Reads a member that is there.
fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(value).map(Some)
}

/// The rows of a list that are people in the known form.
fn people(list: &Value) -> Vec<Person> {
    let rows = list.as_array().into_iter().flatten();
    rows.filter_map(|row| Person::deserialize(row).ok())
        .collect()
}

/// An issue of shares. The details name the extract's *forma* (to the bearer or registered in a name) `registration`,
/// and its *podoba* (as certificates or in book entry) `share_form`.
fn share(issue: &Value) -> Share {
    let text = |name: &str| issue[name].as_str().map(str::to_owned);
    Share {
        share_type: text("share_type"),
        share_form: text("registration"),
        share_state: text("share_form"),
        nominal_value: text("nominal_value").as_deref().and_then(without_currency),
        currency: text("currency"),
        count: text("count").as_deref().and_then(count),
        transferability: text("transferability"),
        effective_from: text("effective_from"),
        effective_to: text("effective_to"),
        current: issue["current"] == true,
    }
}

/// An amount of the details, `6 640 EUR`, without its currency.
pub(crate) fn without_currency(raw: &str) -> Option<String> {
    plain(raw.trim_end_matches(|c: char| c.is_alphabetic() || c.is_whitespace()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::kept::Name;

    fn known(whole: &str) -> Known {
        Known::of(&Name {
            whole: Some(whole.to_owned()),
            ..Name::default()
        })
        .expect("a name")
    }

    #[test]
    fn person_is_found_with_other_titles() {
        let extract = Extract::of(
            r#"{"shareholders":[{"name":"Ing. Jana Skúšobná, PhD.","share_paid":"6 640 EUR"},{"name":7},null]}"#,
        );
        let person = extract.person("shareholders", &known("Jana Skúšobná"));
        assert_eq!(
            person.and_then(|person| without_currency(person.share_paid.as_deref()?)),
            Some("6640".to_owned())
        );
        assert_eq!(extract.person("shareholders", &known("Jan Skúšobný")), None);
        assert_eq!(extract.person("procurators", &known("Jana Skúšobná")), None);
    }

    #[test]
    fn former_deposit_is_the_last_one_of_its_holder() {
        let extract = Extract::of(
            r#"{"former_deposits":[
                {"name":"Ján Vzorný","share_paid":"1 EUR","effective_from":"2010-01-01","effective_to":"2012-05-31"},
                {"name":"Ing. Ján Vzorný","share_paid":"2 EUR","effective_from":"2012-06-01","effective_to":"2015-03-31"},
                {"name":"Ján Vzorný","share_paid":"3 EUR","effective_from":"2020-01-01","effective_to":"2021-12-31"},
                {"name":"Eva Dvojitá","share_paid":"4 EUR","effective_from":"2012-06-01","effective_to":"2015-03-31"},
                {"name":"Eva Dvojitá","share_paid":"5 EUR","effective_from":"2013-06-01","effective_to":"2015-03-31"}]}"#,
        );
        let paid = |name: &str, from: &str, left: &str| {
            let deposit = extract.former_deposit(&known(name), Some(from), left)?;
            deposit.share_paid.as_deref()
        };
        assert_eq!(
            paid("Ján Vzorný", "2010-01-01", "2015-03-31"),
            Some("2 EUR")
        );
        assert_eq!(
            paid("Ján Vzorný", "2020-01-01", "2021-12-31"),
            Some("3 EUR")
        );
        assert_eq!(paid("Ján Vzorný", "2016-01-01", "2017-12-31"), None);
        assert_eq!(paid("Eva Dvojitá", "2012-06-01", "2015-03-31"), None);
    }

    #[test]
    fn namesakes_are_not_told_apart() {
        let extract =
            Extract::of(r#"{"statutory_body":[{"name":"Ján Vzorný"},{"name":"Ing. Ján Vzorný"}]}"#);
        assert_eq!(extract.person("statutory_body", &known("Ján Vzorný")), None);
    }

    #[test]
    fn issue_of_shares_gets_its_form_and_state() {
        let extract = Extract::of(
            r#"{"shares":[{"count":"1 000","share_type":"kmeňové","share_form":"zaknihované","registration":"akcie na meno",
                "nominal_value":"33,19 EUR","currency":"EUR","current":true}]}"#,
        );
        let share = extract.shares().pop().expect("an issue");
        assert_eq!(share.count, Some(1_000));
        assert_eq!(share.share_form.as_deref(), Some("akcie na meno"));
        assert_eq!(share.share_state.as_deref(), Some("zaknihované"));
        assert_eq!(share.nominal_value.as_deref(), Some("33.19"));
    }
}
