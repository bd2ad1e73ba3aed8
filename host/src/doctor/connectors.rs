//! Checks of the connectors of a running host: what does not serve, and whose answers have changed.

use super::observation::SourcesObservation;
use super::{Check, Finding, HostState, Observer, Subject};
use crate::operator::state::{CircuitState, ConnectorState, ServingState};
use crate::store::FailureKind;

pub(super) fn examine(subject: &Subject<'_>, observer: &mut (dyn Observer + Send)) {
    let HostState::Running(running) = &subject.host else {
        let unknown = SourcesObservation::Unknown;
        observer.found(Finding::new(Check::Connectors, "", unknown));
        return;
    };
    let mut found = 0;
    for state in &running.connectors {
        for observation in observed(state) {
            found += 1;
            observer.found(Finding::new(Check::Connectors, &state.id, observation));
        }
    }
    if found == 0 {
        let serving = running.connectors.iter();
        let serving = serving.filter(|state| state.state == ServingState::Serving);
        let serving = serving.count();
        let well = SourcesObservation::Serving { serving };
        observer.found(Finding::new(Check::Connectors, "", well));
    }
}

fn observed(state: &ConnectorState) -> Vec<SourcesObservation> {
    let mut observed = Vec::new();
    if state.state == ServingState::Refused {
        let reason = state.reason.clone().unwrap_or_default();
        observed.push(SourcesObservation::Refused(reason));
    }
    observed.extend(
        state
            .rejected_component()
            .map(|rejected| SourcesObservation::Rejected {
                stage: rejected.stage.to_string(),
                reason: rejected.reason.clone(),
            }),
    );
    observed.extend(
        state
            .rejected_settings()
            .map(|reason| SourcesObservation::SettingsRejected {
                reason: reason.to_owned(),
            }),
    );
    if state.breaker == Some(CircuitState::Open) {
        let until = state.circuit_open_until.clone().unwrap_or_default();
        observed.push(SourcesObservation::CircuitOpen { until });
    }
    let malformed = [FailureKind::Malformed, FailureKind::Schema].iter();
    let malformed = malformed.filter_map(|kind| state.calls.failures.get(kind.word()));
    let malformed: u64 = malformed.sum();
    if malformed > 0 {
        let calls = state.calls.ended;
        observed.push(SourcesObservation::Malformed { malformed, calls });
    }
    observed
}
