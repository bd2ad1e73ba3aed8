//! Profiles from stored data only, without asking a register.

use std::sync::Arc;

use super::assemble::{Profile, assemble};
use super::stored_profile::StoredProfile;
use super::{AllowedScopes, Companies, CompanyKey, ProfileError};

impl Companies {
    /// A company's profile from the cache or the store. Asks no register, starts no refresh and caches nothing.
    ///
    /// # Errors
    /// [`ProfileError::NoSuchCompany`] if the company is not stored, whether or not a register knows it.
    pub async fn stored(
        &self,
        key: &CompanyKey,
        scopes: &AllowedScopes,
    ) -> Result<Arc<Profile>, ProfileError> {
        if let Some(answer) = self.cached_answer(key, scopes).await? {
            return Ok(answer.profile);
        }
        let asked_at = self.now();
        let companies = self.0.context.store.companies();
        let ico = match key {
            CompanyKey::Ico(ico) => Some(ico.to_string()),
            CompanyKey::Id(id) => companies.find_by_id(*id).await?.map(|found| found.base.ico),
            CompanyKey::OrsrId(id) => {
                let stored = self.stored_with_orsr_id(id).await?;
                stored.or_else(|| self.0.unambiguous_ids.get(id))
            }
        };
        let ico = ico.ok_or(ProfileError::NoSuchCompany)?;
        let found = companies.find_with_parts(&ico, scopes.iter()).await?;
        let (company, parts) = found.ok_or(ProfileError::NoSuchCompany)?;
        let profile = StoredProfile::new(self, &company, scopes, parts, asked_at);
        let parts = profile.parts(self, &company, false, self.now());
        Ok(Arc::new(assemble(&parts)))
    }

    /// The company stored with a register's id.
    pub(super) async fn stored_with_orsr_id(
        &self,
        id: &str,
    ) -> Result<Option<String>, ProfileError> {
        let catalogue = self.0.connectors.catalogue();
        let mut stored: Vec<String> = Vec::new();
        for loaded in catalogue.details_registers() {
            let found = self
                .0
                .context
                .store
                .details()
                .find_by_register_id(&loaded.manifest.id, id)
                .await?;
            stored.extend(found.into_iter().map(|details| details.ico));
        }
        if stored.len() > 1 {
            return Err(ProfileError::Ambiguous(id.to_owned()));
        }
        Ok(stored.pop())
    }
}
