//! Recording and replay of answers of the host's store.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::bindings::types::Failure;
use crate::recording::{RecordedFailure, RecordingMode};
use crate::state::CallState;

impl CallState {
    /// Whether the call is recorded or replayed. If not, callers skip the conversion of arguments to JSON.
    pub(super) fn is_recorded_or_replayed(&self) -> bool {
        !matches!(self.recording_mode, RecordingMode::Off)
    }

    /// The recorded answer, if the call is a replay.
    pub(super) fn replayed<Form, Wit>(
        &mut self,
        function: &str,
        arguments: &Option<Value>,
    ) -> Option<Result<Wit, Failure>>
    where
        Form: DeserializeOwned + Into<Wit>,
    {
        let replayer = self.recording_mode.replayer()?;
        let arguments = arguments.as_ref()?;
        let answer = replayer.host_answer::<Form>(function, arguments);
        Some(answer.map(Into::into).map_err(Into::into))
    }

    /// Like [`Self::replayed`], for a list.
    pub(super) fn replayed_list<Form, Wit>(
        &mut self,
        function: &str,
        arguments: &Option<Value>,
    ) -> Option<Result<Vec<Wit>, Failure>>
    where
        Form: DeserializeOwned + Into<Wit>,
    {
        let replayer = self.recording_mode.replayer()?;
        let arguments = arguments.as_ref()?;
        let answer = replayer.host_answer::<Vec<Form>>(function, arguments);
        let list = answer.map(|list| list.into_iter().map(Into::into).collect());
        Some(list.map_err(Into::into))
    }

    /// Records an answer, if the call is recorded.
    pub(super) fn note<'a, Form, Wit>(
        &mut self,
        function: &str,
        arguments: Option<Value>,
        answer: &'a Result<Wit, Failure>,
    ) where
        Form: Serialize + From<&'a Wit>,
    {
        if let (Some(recorder), Some(arguments)) = (self.recording_mode.recorder(), arguments) {
            let answer = answer.as_ref().map(Form::from);
            recorder.host_answered(function, arguments, &answer.map_err(of_failure));
        }
    }

    /// Like [`Self::note`], for a list.
    pub(super) fn note_list<'a, Form, Wit>(
        &mut self,
        function: &str,
        arguments: Option<Value>,
        answer: &'a Result<Vec<Wit>, Failure>,
    ) where
        Form: Serialize + From<&'a Wit>,
    {
        if let (Some(recorder), Some(arguments)) = (self.recording_mode.recorder(), arguments) {
            let answer = answer
                .as_ref()
                .map(|list| list.iter().map(Form::from).collect::<Vec<_>>());
            recorder.host_answered(function, arguments, &answer.map_err(of_failure));
        }
    }
}

fn of_failure(failure: &Failure) -> RecordedFailure {
    failure.clone().into()
}
