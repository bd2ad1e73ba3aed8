//! Starts the background workers of a host.

use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use super::{Host, parts};
use crate::api;
use crate::datasets;
use crate::operator;
use crate::retention::Retention;
use crate::status::Recorder;
use crate::web;

impl Host {
    /// Starts the workers that the settings enable.
    pub(super) fn start_workers(&self) {
        self.start_services();
        self.start_essentials();
        self.start_records();
        self.start_sweeps();
        self.start_watchers();
    }

    /// Workers of what the host offers: lists, batches, e-mails, notifications and connectors.
    fn start_services(&self) {
        let workers = &self.app.workers;
        if self.config.imports.scheduled {
            let poll = Duration::from_secs(self.config.imports.poll_seconds.max(1));
            let importer = self.importer.clone();
            workers.spawn("imports", move || {
                datasets::run_scheduled(importer.clone(), poll)
            });
        }
        if self.config.batch.jobs {
            self.batches.start(workers);
        }
        if self.config.mail.on {
            let mailer = self.mailer.clone();
            workers.spawn("mail", move || mailer.clone().run());
        }
        if self.config.notifications.on {
            self.notifier.start(workers);
            self.app.watch_lists.start(workers);
        }
        let connectors = Arc::clone(self.app.companies.connectors());
        workers.spawn("code-optimizer", move || Arc::clone(&connectors).optimize());
        if !self.config.sentinel.companies.is_empty() {
            let sentinel = self.sentinel.clone();
            workers.spawn("sentinel", move || sentinel.clone().run());
        }
    }

    /// Workers that every host needs.
    fn start_essentials(&self) {
        let workers = &self.app.workers;
        let membership = self.membership.clone();
        workers.spawn("membership", move || membership.clone().run());
        let disk = self.disk.clone();
        workers.spawn("disk", move || disk.clone().run());
        let search = self.search.clone();
        // A bulk import changes many companies, whose indexing would delay answers on the API's threads.
        let background = &self.app.companies.connectors().services.background;
        workers.spawn_on(background.handle(), "search-index", move || {
            search.clone().run()
        });
        let (ledger, context) = (self.ledger.clone(), self.app.context.clone());
        workers.spawn("ledger", move || {
            let context = context.clone();
            let customer = move |account| parts::customer(context.clone(), account);
            ledger.clone().run(customer)
        });
    }

    /// Records of sources and queues, for the status page and the operator.
    fn start_records(&self) {
        if !self.config.operator.record_states {
            return;
        }
        let workers = &self.app.workers;
        let recorder = Recorder::new(
            self.app.context.clone(),
            self.app.companies.clone(),
            self.app.started_at,
            lease_holder(),
        );
        workers.spawn("source-states", move || recorder.clone().run());
        let queues = operator::QueueRecorder::new(self.app.context.clone(), lease_holder());
        workers.spawn("queue-samples", move || queues.clone().run());
    }

    /// Deletes what is no longer needed, and writes when keys were used.
    fn start_sweeps(&self) {
        let workers = &self.app.workers;
        if self.config.retention.on {
            let retention = Retention::new(self.app.context.clone(), lease_holder());
            workers.spawn("retention", move || retention.clone().run());
        }
        let context = self.app.context.clone();
        workers.spawn("audit-sweep", move || {
            operator::sweep_actions(context.clone())
        });
        let app = self.app.clone();
        workers.spawn("key-usage", move || {
            app.keys.clone().run(app.context.store.clone())
        });
        let app = self.app.clone();
        workers.spawn("idempotency-sweep", move || {
            api::idempotency::sweep(app.clone())
        });
        let context = self.app.context.clone();
        workers.spawn("session-sweep", move || {
            web::sweep_sessions(context.clone())
        });
    }

    /// Follows changed files: certificates, components and settings.
    fn start_watchers(&self) {
        let workers = &self.app.workers;
        if let Some(certificates) = &self.certificates {
            let certificates = certificates.clone();
            workers.spawn("certificate", move || certificates.clone().follow());
        }
        if self.config.reload.watch {
            let reloader = self.reloader.clone();
            workers.spawn("reload", move || reloader.clone().follow());
        }
    }
}

/// A name under which one worker of this host holds its lease.
fn lease_holder() -> String {
    Uuid::new_v4().simple().to_string()
}
