/** Made by `npm run gen` from docs/reference/openapi.json; do not edit. */

export interface paths {
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics for Prometheus. */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The account's apps, oldest first. Any scope. */
        get: operations["listApps"];
        put?: never;
        /** Create an app. Scope `account:admin`, for all environments. */
        post: operations["createApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/{app}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One app with its limits and their current use. Any scope. */
        get: operations["getApp"];
        put?: never;
        post?: never;
        /**
         * Archive an app. Scope `account:admin`, for all environments.
         * @description The keys of the app stop working permanently: at once on this replica, within a second on all others. Its events stay readable.
         */
        delete: operations["archiveApp"];
        options?: never;
        head?: never;
        /**
         * Rename an app or limit its calls. Scope `account:admin`, for all environments.
         * @description A changed limit applies on every replica within a second. Limits can only be stricter than the operator's.
         */
        patch: operations["changeApp"];
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List administrative changes with actor, time and origin, newest first. Scope `account:admin`, for all environments.
         * @description A filter may have several values, separated by commas; entries must match one of them. With `format`, the answer is a stream of all matching entries. If the connection closes before the last chunk, the stream is incomplete; continue it with `cursor=<id of the last whole entry>`. CSV cells that a spreadsheet would interpret as a formula start with an apostrophe.
         */
        get: operations["listAdminActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The keys of every app, oldest first. Scope `keys:admin`. */
        get: operations["listAllKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/{app}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The keys of an app, oldest first. Scope `keys:admin`. */
        get: operations["listKeys"];
        put?: never;
        /** Create a key. Scope `keys:admin`. */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/{app}/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace a key; the old one stays valid for a while. Scope `keys:admin`. */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/{app}/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a key: it stops working at once on this replica, within a second on all others. Scope `keys:admin`. */
        delete: operations["deleteKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The management tokens, oldest first. Scope `account:admin`. */
        get: operations["listTokens"];
        put?: never;
        /** Create a management token. Scope `account:admin`. */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a token: it stops working at once on this replica, within a second on all others. Scope `account:admin`. */
        delete: operations["deleteToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign up: a link to confirm the address is sent by mail. */
        post: operations["signUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page that the link in the mail opens. Opening the page changes nothing; its button confirms the address. */
        get: operations["showVerification"];
        put?: never;
        /** Confirm an address with the token of the link sent to it. Accepted only from a page of this service. */
        post: operations["verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send the link to confirm an address again. */
        post: operations["resendVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in: the answer sets the session cookie. */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign out: the session ends and the cookie is removed. */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The signed-in person, even before the address is confirmed. */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The person's sessions, newest first. */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a session at once, on all replicas. */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/reauthenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Enter the password again: the session may then create keys and management tokens for ten minutes. */
        post: operations["reauthenticate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change the password: all other sessions end. */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change the e-mail address: a link is sent to the new address. */
        post: operations["changeEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/email/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Confirm a changed e-mail address with the token of the link sent to it. Accepted only from a page of this service. */
        post: operations["confirmEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Request a link for choosing a new password. It is valid for one hour. */
        post: operations["askReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/reset/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Choose a new password with the token of the link in the mail: all sessions end. Accepted only from a page of this service. */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/close-account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Close the account: keys, management tokens and sessions stop working. This cannot be undone. */
        post: operations["closeAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{environment}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The active policy of an environment, and the policy of each replica. Scope `policy:read`. */
        get: operations["getPolicy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{environment}/bundle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The files of the active policy, as a bundle. Scope `policy:read`. */
        get: operations["getPolicyBundle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{environment}/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The deployments of an environment, newest first. Scope `policy:read`. */
        get: operations["listDeployments"];
        put?: never;
        /**
         * Deploy a bundle. It is checked, compiled and tested before it becomes active. Scope `policy:deploy`.
         * @description A signed bundle whose serial number is not higher than that of an earlier deployment needs `because` and also the scope `policy:rollback`.
         */
        post: operations["deployPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{environment}/deployments/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One deployment and its replicas. Scope `policy:read`. */
        get: operations["getDeployment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{environment}/deployments/{number}/bundle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The bundle of a deployment; for number 0, the bundle of the policies folder. Scope `policy:read`. */
        get: operations["getDeploymentBundle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{environment}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reactivate an earlier deployment as a new one. Scope `policy:rollback`. */
        post: operations["rollbackPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{environment}/emergency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change files of the active policy, without a working tree. Scope `policy:emergency`.
         * @description The deployment is permanently marked as an emergency, and `weir drift` reports it until the sources contain the same change.
         */
        post: operations["changePolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read recorded events, newest first. Scope `events:read`.
         * @description Besides the filters below, `metadata.<key>=<value>` matches a metadata value, and `not.metadata.<key>=<value>` excludes it; dots separate the keys of nested values. Values of a list are separated by commas, and any of them matches. A page that would take too long to fill ends early: `searched_to` contains the time of receipt that the search had reached, and `next_cursor` continues from there. With `view=calls`, a call matches if any of its events matches, and the calls are ordered by their matching events.
         */
        get: operations["listEvents"];
        put?: never;
        /** Submit an event. It is judged and recorded; the answer is sent after the database has committed the record. */
        post: operations["submitEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events:batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit many events at once: each is judged, recorded and answered separately.
         * @description At most 1000 events, as a JSON array or one per line (`application/x-ndjson`). Each event is answered as by `POST /v1/events`, even if other events are refused, and may be sent again with the same `event_id`. Events with the same `request_id` are processed in their order. Each event counts as one for the limit `batch` and for the trial; a batch that exceeds the limit is refused as a whole.
         */
        post: operations["submitEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/marks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List marks on decisions, newest first. Scope `events:read`. */
        get: operations["listMarks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{id}/marks/{rule}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Mark the decision of a rule on a call as right or wrong. Scope `events:mark`.
         * @description A call has one mark for each rule, regardless of the author; the latest mark counts. `right` and `wrong` are for rules, including monitored rules, that fired in an event of the call; `missed` is for active rules that did not fire.
         */
        put: operations["markEvent"];
        post?: never;
        /** Remove a mark, regardless of its author. Scope `events:mark`. */
        delete: operations["unmarkEvent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All events that match, newest first, as JSON lines, CSV or Parquet. Scope `events:read`.
         * @description The answer is streamed. If the connection ends without the end of the chunked body, the export is incomplete; continue it with `before=<id of the last whole line>`. The filters are those of `GET /v1/events`. A Parquet file cannot be continued. CSV cells that a spreadsheet would interpret as a formula start with an apostrophe.
         */
        get: operations["exportEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/tail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream new events as server-sent events. Scope `events:read`.
         * @description Each event is one message: `id` (for continuing the stream), `event` (its type) and `data` (the record as JSON). Events are sent in the order in which they are stored. An event that is stored late is still sent within seconds, unless it is stored more than ten minutes after its call was received, or is older than the last 15,000 sent events.
         */
        get: operations["tailEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count recorded events that match, up to 10,000. Scope `events:read`.
         * @description The filters are those of `GET /v1/events`. A count that would take too long ends early; `searched_to` then contains the time of receipt that it had reached.
         */
        get: operations["countEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The most frequent values of fields among events that match. Scope `events:read`.
         * @description The filters are those of `GET /v1/events`. Only the newest 10,000 matching events are counted, or 2,000 with `q`. A count that would take too long ends early; `searched_to` then contains the time of receipt that it had reached.
         */
        get: operations["listEventFacets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one event by its `id` or its `event_id`. Scope `events:read`. */
        get: operations["getEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Exports, newest first. Scope `events:read`. */
        get: operations["listExports"];
        put?: never;
        /**
         * Start an export of matching events to a file. Scope `events:read`.
         * @description The export runs in the background, continues after a restart, and contains the events received before the request. Two exports run at the same time, up to twenty are queued.
         */
        post: operations["createExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/exports/buckets/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a bucket by writing and deleting an object of one byte. Scope `events:read`.
         * @description The credentials are used for this test only and not stored.
         */
        post: operations["tryExportBucket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/exports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One export with its progress. Scope `events:read`. */
        get: operations["getExport"];
        put?: never;
        post?: never;
        /**
         * Cancel a queued or running export, or remove an ended export from the list. Scope `events:read`.
         * @description The file of the export is deleted in both cases, as is the incomplete upload of an export to a bucket.
         */
        delete: operations["deleteExport"];
        options?: never;
        head?: never;
        /**
         * Pause an export, or resume a paused or failed one. Scope `events:read`.
         * @description A resumed export continues after the last row in its file. A paused export counts as a queued export. An export to a bucket cannot be paused, because the bucket would keep an incomplete file. A failed export can be resumed while `resumable` is true. A failed run of a schedule cannot be resumed, because the next run exports its events.
         */
        patch: operations["changeExport"];
        trace?: never;
    };
    "/v1/exports/{id}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The file of a finished export. Scope `events:read`.
         * @description Each download is recorded in the admin audit log. `Range: bytes=N-` continues an interrupted download; other ranges are ignored.
         */
        get: operations["getExportFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/export-schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Scheduled exports, sorted by name. Scope `events:read`. */
        get: operations["listExportSchedules"];
        put?: never;
        /**
         * Create a schedule that exports events each day, week or month. Scope `events:read`.
         * @description The first file begins at the latest due time before the schedule was created. Each further file begins where the previous one ends, so that the periods, by time of receipt, have no gap and do not overlap; the run after a failed run also exports the events of the failed run. An export starts ten minutes after it is due. Events that are stored even later are counted and reported when the next file is written. Members must have entered their password within the last ten minutes.
         */
        post: operations["createExportSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/export-schedules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One schedule of exports. Scope `events:read`. */
        get: operations["getExportSchedule"];
        put?: never;
        post?: never;
        /**
         * Delete a schedule of exports and its credentials; a current run is cancelled. Scope `events:read`.
         * @description Finished files are kept for as long as the files of other exports.
         */
        delete: operations["deleteExportSchedule"];
        options?: never;
        head?: never;
        /**
         * Change, pause or resume a schedule of exports. Scope `events:read`.
         * @description The change applies from the next run on. The person or token that changes a schedule becomes responsible for it: if this person or token loses access to the account, the schedule is paused. Members must have entered their password within the last ten minutes.
         */
        patch: operations["changeExportSchedule"];
        trace?: never;
    };
    "/v1/export-schedules/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The runs of a schedule, newest first, including failures. Scope `events:read`. */
        get: operations["listExportScheduleRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Erasures, newest first. Scope `events:erase`. */
        get: operations["listErasures"];
        put?: never;
        /**
         * Erase the data of a person: the texts of calls and all copies of these texts. Scope `events:erase`.
         * @description All given conditions must match. The events keep time, app, model, decision, tokens and cost, so that budgets and counts stay correct. The erasure runs in the background and continues after a restart; the answer and `GET /v1/erasures/{id}` are its certificate once `state` is `done`. Members must have entered their password within the last ten minutes.
         */
        post: operations["createErasure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/erasures/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One erasure with its certificate. Scope `events:erase`. */
        get: operations["getErasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/calls/routes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The governed routes of each provider.
         * @description Calls of all other routes are recorded as well, and judged by the texts in their JSON, as in the proxy.
         */
        get: operations["listCallRoutes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/calls/answers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report how several calls ended, in one request.
         * @description The body contains at most 100 answers, one after the other. Each answer consists of one line of JSON, then `length` bytes with the answer itself, then a line end. The line of JSON contains `call` and `length`. Its fields `status`, `ended`, `error`, `content_type`, `content_encoding` and `latency_ms` have the same meaning as the headers of a single answer. Each answer gets its own status; a body that cannot be split into answers is refused as a whole.
         */
        post: operations["answerCalls"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/calls/{call}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report how a call ended: the answer of the provider is read, judged, priced and recorded.
         * @description The body is the answer of the provider, unchanged: JSON, an event stream or anything else; for an interrupted answer, the received part. Only the first report of a call counts; a repeated report gets the same result.
         */
        post: operations["answerCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/budgets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Spending of all budgets. Scope `events:read`. */
        get: operations["listBudgets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/budgets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Spending of one budget across all scopes. Scope `events:read`. */
        get: operations["getBudget"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/budgets/{id}/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Spending in one window of a budget over time, with a forecast. Scope `events:read`. */
        get: operations["getBudgetSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/budgets/{id}/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The ledger of one window of a budget, newest first. Scope `events:read`. */
        get: operations["listBudgetEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/budgets/{id}/adjustments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Correct the spending of a budget in one window. Scope `budgets:admin`. */
        post: operations["adjustBudget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/budget-audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compare the amounts recorded in events, ledger and budgets for each budget window. Scope `events:read`. */
        get: operations["auditBudgets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{environment}/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The rules of a policy, in sentences and with their places. Scope `policy:read`.
         * @description Without parameters, the answer is about the active policy. The answer for a given `digest` never changes.
         */
        get: operations["listRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{environment}/exceptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The exceptions of a policy, sorted by their expiry. Scope `policy:read`.
         * @description With the scope `events:read`, the answer also shows how often each exception was applied, counted by the hour.
         */
        get: operations["listExceptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{environment}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compare two deployments rule by rule; shows requests that their policies judge differently. Scope `policy:read`. */
        get: operations["diffPolicies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{environment}/evaluate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Evaluate a text, a conversation or a tool call by a policy. Scope `policy:read`.
         * @description Nothing is stored, charged or logged, and no provider is called. Detectors that call a remote service are unavailable here. At most 60 requests per minute and account are admitted.
         */
        post: operations["evaluatePolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain the decision on a call, condition by condition. Scopes `events:read` and `policy:read`.
         * @description For texts, the answer contains only types and sizes.
         */
        get: operations["explainEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Convert a decision to a policy test without user-written text. Scopes `events:read` and `policy:read`. */
        get: operations["captureEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Calls, outcomes, cost, tokens and latency over time. Scope `events:read`.
         * @description A call is counted once, at its beginning, with its strongest outcome. The range is widened to whole buckets.
         */
        get: operations["getStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{environment}/rules/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Hits and marks of every active rule. Scopes `policy:read` and `events:read`.
         * @description Hits are counted by the hour, so the range is widened to whole hours. It covers at most 400 days.
         */
        get: operations["getRuleStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sessions of calls with their outcomes; the session with the latest event comes first. Scope `events:read`.
         * @description A call names its session in the header `X-Service-Session`, or in `session_id` of its metadata. New events move a session to the first page, even between the requests for two pages. With `session`, the answer also contains the time that Weir added and the rules that fired, without archived events.
         */
        get: operations["listCallSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The account, and the token or person that sent the request. Any scope. */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The caller, its permissions, the account and the service in one answer. Any scope. */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/attention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the entries that need attention, the most severe first. Scope `events:read`.
         * @description Entries concern rules that fire three times as often as usual, rules past their review date, and rules that have not been changed since their decisions were marked as wrong or missed. Other entries concern exceptions that end soon, replicas that do not run the deployed policy, budgets that reach their limit, detectors whose failure caused refusals, keys that expire or are not used, emergency changes, and the end of a trial.
         */
        get: operations["listAttention"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/attention/{id}/snooze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Hide one entry for a while from the caller only. Scope `events:read`. */
        put: operations["snoozeAttention"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/{app}/reception": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Calls and refusals of an app in the last ten minutes. Scope `events:read`.
         * @description The refusals are those of all replicas, with a delay of up to a second. A token for one environment gets those of calls with a key of that environment. Calls with an unknown key are not counted; calls with a deleted or expired key of the app, or with a wrong secret, are counted as status 401.
         */
        get: operations["getAppReception"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The views that the person or token has saved, and the shared views. Scope `events:read`. */
        get: operations["listViews"];
        put?: never;
        /** Save filters under a name. Scope `events:read`. */
        post: operations["createView"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/views/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete one of your own views or, with the scope `account:admin`, any shared view. Scope `events:read`. */
        delete: operations["deleteView"];
        options?: never;
        head?: never;
        /** Change one of your own views or, with the scope `account:admin`, any shared view. Scope `events:read`. */
        patch: operations["changeView"];
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Liveness probe. */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Readiness probe. Checks the database, the clock and the policies. */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscription": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The account's subscription and trial. Any scope. */
        get: operations["getSubscription"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscription/checkout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A link to the page for starting a subscription. Scope `account:admin`, for all environments. */
        post: operations["openCheckout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscription/portal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A link to the page for managing the subscription. Scope `account:admin`, for all environments. */
        post: operations["openBillingPortal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/stripe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Webhook for Stripe subscription events. Without STRIPE_WEBHOOK_SECRET, the answer is 404. */
        post: operations["receiveStripeEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/calls/{provider}/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a call before its client sends it: the answer contains the decision, and the changed body to send if there is one.
         * @description For clients that call their provider directly. The call is judged and recorded, and its cost reserved in budgets, as in the proxy; the client reports the end of the call afterwards. The status of the answer shows the decision.
         */
        post: operations["askCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proxy/openai/v1/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Chat completions. The call is judged and recorded; request and answer have the provider's own format. */
        post: operations["proxy_openai_chat_completions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proxy/openai/v1/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Completions. The call is judged and recorded; request and answer have the provider's own format. */
        post: operations["proxy_openai_completions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proxy/openai/v1/responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Responses. The call is judged and recorded; request and answer have the provider's own format. */
        post: operations["proxy_openai_responses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proxy/openai/v1/responses/input_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Counts the tokens of a request for a response. The call is judged and recorded; request and answer have the provider's own format. */
        post: operations["proxy_openai_responses_input_tokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proxy/openai/v1/responses/compact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Summarises the conversation of a request for a response. The call is judged and recorded; request and answer have the provider's own format. */
        post: operations["proxy_openai_responses_compact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proxy/openai/v1/embeddings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Embeddings. The call is judged and recorded; request and answer have the provider's own format. */
        post: operations["proxy_openai_embeddings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proxy/anthropic/v1/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Messages. The call is judged and recorded; request and answer have the provider's own format. */
        post: operations["proxy_anthropic_messages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proxy/anthropic/v1/messages/count_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Counts the tokens of messages. The call is judged and recorded; request and answer have the provider's own format. */
        post: operations["proxy_anthropic_messages_count_tokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proxy/gemini/v1beta/models/{model}:generateContent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Generates content. The call is judged and recorded; request and answer have the provider's own format. */
        post: operations["proxy_gemini_models_model_generateContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proxy/gemini/v1beta/models/{model}:streamGenerateContent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Generates content, streamed. The call is judged and recorded; request and answer have the provider's own format. */
        post: operations["proxy_gemini_models_model_streamGenerateContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proxy/gemini/v1beta/models/{model}:countTokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Counts the tokens of contents. The call is judged and recorded; request and answer have the provider's own format. */
        post: operations["proxy_gemini_models_model_countTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proxy/gemini/v1beta/models/{model}:embedContent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Embeds one content. The call is judged and recorded; request and answer have the provider's own format. */
        post: operations["proxy_gemini_models_model_embedContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proxy/gemini/v1beta/models/{model}:batchEmbedContents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Embeds contents. The call is judged and recorded; request and answer have the provider's own format. */
        post: operations["proxy_gemini_models_model_batchEmbedContents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proxy/{provider}/v1/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Any other route and method of a provider. The call is forwarded and recorded; the texts in its JSON are judged. */
        post: operations["proxy_any"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        MessageDto: {
            /**
             * @description Role of the speaker, as the provider names it.
             * @example user
             */
            role?: string | null;
            /**
             * @description A string, or the provider's list of parts. Other members of a message are read as well.
             * @example Summarise the attached notes.
             */
            content?: (string | {
                [key: string]: unknown;
            }[]) | null;
        };
        AiRequestPayloadDto: {
            /** @description The conversation. The provider's own body is also accepted: fields that are not listed here are read as well. */
            messages?: components["schemas"]["MessageDto"][] | null;
            /** @description The prompt of a completion, a list of prompts, or a prompt that is stored at the provider, with its variables. */
            prompt?: (string | (string | number | number[])[] | {
                [key: string]: unknown;
            }) | null;
            /** @description Tools declared to the model. */
            tools?: {
                [key: string]: unknown;
            }[] | null;
            /** @description Maximum number of tokens in the answer. */
            max_tokens?: number | null;
            /** @description Asks for judging without enforcement. Unless the policy sets `client_monitor_mode: honor`, this is ignored, and the answer has the header `x-weir-monitor-mode: ignored`. */
            monitor_mode?: boolean | null;
        };
        AiRequestEventDto: {
            /**
             * @description Idempotency key. If it is absent, the service generates a key.
             * @example order-4711:request:1
             */
            event_id?: string | null;
            /**
             * @description Environment that the caller declares. It is only recorded: the key alone decides the effective environment. Default: `production`.
             * @enum {string|null}
             */
            environment?: "development" | "staging" | "production" | null;
            /**
             * @description Provider, in lower case.
             * @example openai
             */
            provider?: string | null;
            /**
             * @description Model name.
             * @example gpt-4o
             */
            model?: string | null;
            /**
             * @description Any key/value pairs (user, session, feature, …). They are shown in the dashboard and usable in rules.
             * @example {
             *       "user": "u-42",
             *       "feature": "summary"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description A call before it is sent to its provider. It is judged. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "ai.request";
            /**
             * @description Id shared by the request, response and error of one provider call.
             * @example req-4711
             */
            request_id: string;
            /** @description Content of the event. Unknown keys are kept. */
            payload?: components["schemas"]["AiRequestPayloadDto"] | null;
        };
        UsageDto: {
            /** @description Number of all input tokens, including cached ones. */
            prompt_tokens?: number | null;
            /** @description Number of all output tokens. */
            completion_tokens?: number | null;
            /** @description Input tokens read from a cache. */
            cache_read_tokens?: number | null;
            /** @description Input tokens written to a cache. */
            cache_write_tokens?: number | null;
            /** @description Number of those `cache_write_tokens` that are cached for an hour. */
            cache_write_1h_tokens?: number | null;
            /** @description Output tokens spent on reasoning. */
            reasoning_tokens?: number | null;
        };
        AiResponsePayloadDto: {
            /** @description The answer: a string, the provider's content parts with tool calls, or the provider's complete response body. */
            output?: (string | {
                [key: string]: unknown;
            }[] | {
                [key: string]: unknown;
            }) | null;
            /** @description Tokens as the provider counted them. */
            usage?: components["schemas"]["UsageDto"] | null;
            /** @description Cost of the call in US dollars; rounded half-even to nano-dollars. */
            cost_usd?: number | null;
        };
        AiResponseEventDto: {
            /**
             * @description Idempotency key. If it is absent, the service generates a key.
             * @example order-4711:request:1
             */
            event_id?: string | null;
            /**
             * @description Environment that the caller declares. It is only recorded: the key alone decides the effective environment. Default: `production`.
             * @enum {string|null}
             */
            environment?: "development" | "staging" | "production" | null;
            /**
             * @description Provider, in lower case.
             * @example openai
             */
            provider?: string | null;
            /**
             * @description Model name.
             * @example gpt-4o
             */
            model?: string | null;
            /**
             * @description Any key/value pairs (user, session, feature, …). They are shown in the dashboard and usable in rules.
             * @example {
             *       "user": "u-42",
             *       "feature": "summary"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The answer to a call. It is judged, but never refused. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "ai.response";
            /**
             * @description Id shared by the request, response and error of one provider call.
             * @example req-4711
             */
            request_id: string;
            /** @description Content of the event. Unknown keys are kept. */
            payload?: components["schemas"]["AiResponsePayloadDto"] | null;
        };
        ProviderErrorDto: {
            /**
             * @description The provider's own error type.
             * @example overloaded_error
             */
            type?: string | null;
            /** @description The provider's error message. */
            message?: string | null;
            /** @description HTTP status of the answer, if there was one. */
            status?: number | null;
        };
        AiErrorPayloadDto: {
            /** @description The error, or its message as a string. */
            error?: (string | components["schemas"]["ProviderErrorDto"]) | null;
            /** @description Milliseconds until the call failed. */
            latency_ms?: number | null;
        };
        AiErrorEventDto: {
            /**
             * @description Idempotency key. If it is absent, the service generates a key.
             * @example order-4711:request:1
             */
            event_id?: string | null;
            /**
             * @description Environment that the caller declares. It is only recorded: the key alone decides the effective environment. Default: `production`.
             * @enum {string|null}
             */
            environment?: "development" | "staging" | "production" | null;
            /**
             * @description Provider, in lower case.
             * @example openai
             */
            provider?: string | null;
            /**
             * @description Model name.
             * @example gpt-4o
             */
            model?: string | null;
            /**
             * @description Any key/value pairs (user, session, feature, …). They are shown in the dashboard and usable in rules.
             * @example {
             *       "user": "u-42",
             *       "feature": "summary"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description A failed call. It is recorded. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "ai.error";
            /**
             * @description Id shared by the request, response and error of one provider call.
             * @example req-4711
             */
            request_id: string;
            /** @description Content of the event. Unknown keys are kept. */
            payload?: components["schemas"]["AiErrorPayloadDto"] | null;
        };
        ToolCallPayloadDto: {
            /**
             * @description Name of the tool that is about to run.
             * @example send_email
             */
            tool?: string | null;
            /** @description Arguments of the tool: an object, or a string that contains this object as JSON. */
            arguments?: ({
                [key: string]: unknown;
            } | string) | null;
            /** @description Id that the provider gave the call. */
            call_id?: string | null;
            /** @description Id shared by the calls of one agent session. */
            session_id?: string | null;
            /** @description Result of the tool, if the event is sent after the tool has run. */
            result?: (string | number | boolean | {
                [key: string]: unknown;
            } | unknown[]) | null;
            /** @description Asks for judging without enforcement, as `monitor_mode` of an `ai.request` does. */
            monitor_mode?: boolean | null;
        };
        ToolCallEventDto: {
            /**
             * @description Idempotency key. If it is absent, the service generates a key.
             * @example order-4711:request:1
             */
            event_id?: string | null;
            /**
             * @description Environment that the caller declares. It is only recorded: the key alone decides the effective environment. Default: `production`.
             * @enum {string|null}
             */
            environment?: "development" | "staging" | "production" | null;
            /**
             * @description Provider, in lower case.
             * @example openai
             */
            provider?: string | null;
            /**
             * @description Model name.
             * @example gpt-4o
             */
            model?: string | null;
            /**
             * @description Any key/value pairs (user, session, feature, …). They are shown in the dashboard and usable in rules.
             * @example {
             *       "user": "u-42",
             *       "feature": "summary"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description A tool call, sent before the tool runs. It is judged. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "agent.tool_call";
            /**
             * @description Id shared by the request, response and error of one provider call.
             * @example req-4711
             */
            request_id?: string | null;
            /** @description Content of the event. Unknown keys are kept. */
            payload?: components["schemas"]["ToolCallPayloadDto"] | null;
        };
        Account: {
            account: {
                /** Format: uuid */
                id: string;
                email: string;
                email_verified: boolean;
                /**
                 * @description Current subscription state of the account.
                 * @enum {string}
                 */
                subscription: "trialing" | "active" | "inactive" | "lapsed";
            };
            /** @description The management token of the request; null for a session. */
            token: components["schemas"]["Token"] | null;
            /** @description The person who has signed in; null for a management token. */
            person: {
                /** Format: uuid */
                id: string;
            } | null;
            server: {
                version: string;
            };
        };
        ActivePolicy: {
            /** @enum {string} */
            environment: "development" | "staging" | "production";
            /** @enum {string} */
            source: "folder" | "deployment";
            /** @description Id of the policy. */
            policy: string;
            digest: string;
            version: string;
            /** @description The deployment on which the change is based. If another deployment is active, the answer is 409 `stale_plan`. */
            base: {
                /** @description Number of the deployment that was active when the change was made; 0 for the policies folder. */
                number: number;
                /** @description Digest of the policy that was active when the change was made. */
                digest: string;
            };
            /** @description One deployment in the history. */
            deployment: {
                number: number;
                /** @enum {string} */
                environment: "development" | "staging" | "production";
                /** @enum {string} */
                action: "deploy" | "promote" | "rollback" | "emergency";
                /** @description True if the policy was changed on the server in an emergency. */
                emergency: boolean;
                /** @description Digest of the policy; null if the policies folder applies again. */
                digest: string | null;
                /** @description The first twelve characters of the digest. */
                version: string | null;
                bundle_digest: string | null;
                /** @description The deployment on which the change is based. If another deployment is active, the answer is 409 `stale_plan`. */
                base: {
                    /** @description Number of the deployment that was active when the change was made; 0 for the policies folder. */
                    number: number;
                    /** @description Digest of the policy that was active when the change was made. */
                    digest: string;
                };
                /** @description For a rollback: number of the reactivated deployment; 0 for the policies folder. */
                restores: number | null;
                because: string | null;
                changed_files: string[];
                waived_tests: string[];
                untested: boolean;
                /** @description Names of the trusted keys that signed the bundle. */
                signed_by: string[];
                /** @description Serial number in the signatures of the bundle; null if no signature has one. */
                serial: number | null;
                source: {
                    commit: string | null;
                    clean: boolean;
                };
                /** @description The management token that made the deployment; null if a person made it. */
                token_id: string | null;
                /** @description The person who made the deployment; null if a token made it. */
                person_id: string | null;
                /** @description The person's e-mail address, or the name of the token; null if the person or token no longer exists. */
                by_name: string | null;
                /** @description RFC 3339, UTC. */
                created_at: string;
            } | null;
            replicas: {
                id: string;
                name: string;
                /** @description Version of Weir on the replica. */
                version: string;
                /**
                 * @description `failed`: the replica cannot activate the newest deployment, so an earlier policy stays active.
                 * @enum {string}
                 */
                state: "active" | "pending" | "failed" | "lost";
                /** @description Deployment whose policy judges calls on this replica; null for the policies folder. */
                deployment: number | null;
                /** @description Digest of the active policy on this replica; null if no policy is active and calls are refused. */
                digest: string | null;
                problem: string | null;
                tests_passed: number;
                /** @description RFC 3339, UTC. */
                heartbeat_at: string;
            }[];
        };
        App: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description RFC 3339, UTC. */
            created_at: string;
        };
        AppChange: {
            /** @description Name shown in lists, logs and events. */
            name?: string;
            /** @description All limits of the app; they are replaced together, and can only be stricter than the limits of the operator. With `null`, only the limits of the operator apply. */
            limits?: components["schemas"]["AppLimits"] | null;
        };
        AppDetail: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description RFC 3339, UTC. */
            created_at: string;
            /** @description The limits of the app; null if only the limits of the operator apply. */
            limits: {
                /** @description Limit: at most `count` calls in any period of `seconds` seconds. */
                events: {
                    count: number;
                    seconds: number;
                } | null;
                /** @description Limit: at most `count` calls in any period of `seconds` seconds. */
                proxy: {
                    count: number;
                    seconds: number;
                } | null;
            } | null;
            usage: {
                /** @description The limit and its current use; null if there is no limit. */
                events: {
                    /** @description The active limit. */
                    count: number;
                    seconds: number;
                    /** @description Number of calls that count towards the limit now. */
                    used: number;
                } | null;
                /** @description The limit and its current use; null if there is no limit. */
                proxy: {
                    /** @description The active limit. */
                    count: number;
                    seconds: number;
                    /** @description Number of calls that count towards the limit now. */
                    used: number;
                } | null;
                /** @description Limit of calls judged through `/v1/calls`, and its current use; null if there is no limit. */
                calls: {
                    /** @description The active limit. */
                    count: number;
                    seconds: number;
                    /** @description Number of calls that count towards the limit now. */
                    used: number;
                } | null;
                /**
                 * @description `this_replica`: each replica counts and limits separately, because the service has no Redis.
                 * @enum {string}
                 */
                counted_by: "all_replicas" | "this_replica";
            };
            /** @description Number of calls in the last 24 hours, counted in whole hours; null without the scope `events:read`. */
            calls_24h: number | null;
            /** @description Time of the last event; null if there is none, and without the scope `events:read`. */
            last_event_at: string | null;
        };
        AppLimits: {
            /** @description Limit of submitted events. Default: the operator's. */
            events?: {
                count: number;
                seconds: number;
            } | null;
            /** @description Limit of proxied calls and, counted separately, of calls judged through `/v1/calls`. Default: the operator's. */
            proxy?: {
                count: number;
                seconds: number;
            } | null;
        };
        AppReception: {
            /** @description RFC 3339, UTC. */
            last_event_at: string | null;
            /** @description Calls of the last ten minutes that were refused before they were recorded; the most frequent refusals come first. */
            refused: {
                status: number;
                /** @description The error type sent to the caller. */
                type: string;
                count: number;
                /** @description RFC 3339, UTC. */
                last_at: string;
            }[];
        };
        Apps: {
            data: components["schemas"]["App"][];
        };
        Attention: {
            /** @description RFC 3339, UTC. */
            checked_at: string;
            /** @description The entries that the caller may see, the most severe first. Entries about keys need the scope `keys:admin`, entries about policies the scope `policy:read`. */
            data: {
                id: string;
                /** @enum {string} */
                kind: "rule_spike" | "exception_ending" | "replica_behind" | "budget_forecast" | "detector_failing" | "key_expiring" | "key_unused" | "review_overdue" | "emergency_change" | "trial_ending" | "marks_open";
                /** @enum {string} */
                severity: "critical" | "warn" | "info";
                /** @enum {string|null} */
                environment: "development" | "staging" | "production" | null;
                /** @description Names and figures in the text of the entry; the keys of this object depend on `kind`. */
                text_args: {
                    [key: string]: string | number | (null);
                };
                /** @description Number of events or calls that the entry is about. */
                count: number | null;
                /** @description RFC 3339, UTC. */
                since: string | null;
                /** @description Path of the dashboard page about the entry. */
                link: string | null;
            }[];
        };
        AuditEntry: {
            /** Format: uuid */
            id: string;
            /** @description RFC 3339, UTC. */
            at: string;
            /** @description account.created, account.closed, app.created, app.limits_changed, app.renamed, app.archived, attention.snoozed, budget.adjusted, email.verified, email.changed, email.change_requested, erasure.completed, erasure.requested, erasure.tried, event.marked, event.unmarked, export.bucket_tried, export.created, export.cancelled, export.downloaded, export.paused, export.resumed, export.removed, export.schedule_changed, export.schedule_created, export.schedule_deleted, key.created, key.deleted, key.rotated, password.changed, password.reset, policy.changed_in_emergency, policy.deployed, policy.rolled_back, session.ended, session.reauthenticated, session.started, subscription.changed, subscription.checkout_opened, subscription.portal_opened, token.created, token.deleted, view.changed, view.created, view.deleted */
            action: string;
            actor: {
                /** @enum {string} */
                kind: "person" | "token" | "operator" | "system";
                /** @description A person's id, or a management token's public id. */
                id: string | null;
                /** @description E-mail address of the person, or name of the token; null for other actors, and if the person or token no longer exists. */
                name: string | null;
            };
            /** @description Id of the changed object; for policies, the environment. */
            subject: string | null;
            /** @description Current name of the app, key, token or person; if it no longer exists, the name that it had before. Null for other objects. */
            subject_name: string | null;
            /** @description Details such as names, environments and dates; they never contain a secret. */
            details: {
                [key: string]: unknown;
            };
            from: {
                address: string | null;
                user_agent: string | null;
            };
        };
        AuditPage: {
            data: components["schemas"]["AuditEntry"][];
            next_cursor: string | null;
        };
        BatchAnswers: {
            /** @description One answer for each event, in the order of the batch. */
            answers: {
                /** @description Status of the answer that the event would have got if it had been submitted alone. */
                status: number;
                /** @description Seconds to wait before a retry, as in the header `Retry-After`. */
                retry_after?: number;
                /**
                 * @description True if the event was submitted before; this is then the answer to the first submission.
                 * @enum {boolean}
                 */
                replayed?: true;
                /**
                 * @description `ignored` if the event asks for `monitor_mode`, but the policy ignores such requests of clients.
                 * @enum {string}
                 */
                monitor_mode?: "ignored";
                /** @description Body of the answer that `POST /v1/events` would give. */
                body: {
                    [key: string]: unknown;
                };
            }[];
        };
        BucketTrial: {
            /** @description Whether an object of one byte could be written and deleted. */
            ok: boolean;
            /** @description Human-readable description of the failure. */
            problem: string | null;
            /** @description Name of the test object, which remains if it could not be deleted. */
            object: string;
        };
        BudgetAdjustment: {
            /**
             * Format: uuid
             * @description Id of the window of a scope: `period_id` in the list of budgets.
             */
            period_id: string;
            /** @description Amount to add to the used amount, in the budget's unit; a negative amount is subtracted. */
            amount: string;
            /** @description Reason for the adjustment; kept in the ledger entry and in the admin audit log. */
            because: string;
        };
        BudgetAudit: {
            exact: boolean;
            /** @description Number of events that report the end of a call which is still open in the ledger. */
            unsettled_events: number;
            data: {
                budget: string;
                /** @enum {string} */
                environment: "development" | "staging" | "production";
                period_id: string;
                scope: {
                    [key: string]: string | null;
                };
                /** @description RFC 3339, UTC. */
                start: string;
                /** @enum {string} */
                unit: "usd" | "tokens";
                /** @description Amount used according to the budget. */
                usage: string;
                /** @description Amount used according to the ledger: the sum of its entries. */
                ledger: string;
                /** @description Amount used according to the log: the sum of the costs of the events. Archived events count with their amount in the ledger. */
                events: string;
                /** @description Amount estimated for calls without a reported end. */
                estimated: string;
                /** @description Sum of the manual corrections. */
                adjusted: string;
                /** @description Amount reserved according to the budget. */
                reserved: string;
                /** @description Amount reserved according to the entries in the ledger. */
                held: string;
                /** @description Number of ledger entries whose event is neither in the log nor in the archive. */
                missing_events: number;
                /** @description True if `usage` = `ledger` = `events` + `estimated` + `adjusted`, and `reserved` = `held`. */
                exact: boolean;
            }[];
        };
        BudgetEntries: {
            data: {
                /** @description RFC 3339, UTC. */
                at: string;
                /**
                 * @description `reservation`: the amount is currently reserved; `release`: it was reserved, but not spent; `estimate`: it was counted without a reported end of the call.
                 * @enum {string}
                 */
                kind: "charge" | "reservation" | "release" | "estimate" | "adjustment";
                /** @description Amount as decimal text: in dollars, exact to the nano-dollar, or in tokens. */
                amount: string;
                /** @description Id of the charged event. */
                event_id: string | null;
                /** @description Reason for the adjustment. */
                because: string | null;
                /** @description Author of the adjustment. */
                by: {
                    kind: string;
                    id: string | null;
                    name: string | null;
                } | null;
            }[];
            next_cursor: string | null;
        };
        BudgetSeries: {
            /** @description Seconds between two points. The last point is now or the end of the window, and can be closer to the point before. The points of a window without an end begin with its first ledger entry. */
            step_seconds: number;
            points: {
                /** @description RFC 3339, UTC. */
                at: string;
                /** @description Amount used by calls that began before this point. */
                used: string;
                /** @description Amount still reserved by calls that began before this point. */
                reserved: string;
            }[];
            /** @description Forecast for the end of the window; null if the window has ended or has no end, and before four steps are complete. */
            forecast: {
                /** @description Amount used by the end of the window if the average rate so far continues. */
                at_end: string;
                /** @description Lower bound of the 80 % interval of `at_end`. */
                low: string;
                /** @description Upper bound of the 80 % interval of `at_end`. */
                high: string;
                /** @description `mean_of_steps_80`: computed from the mean and the variance of the completed steps. */
                method: string;
                /** @description Time at which the limit is reached if the average rate so far continues; null if this is after the end of the window. */
                reaches_limit_at: string | null;
            } | null;
        };
        BudgetState: {
            /** @description The budget's id in the policy. */
            budget: string;
            /** @enum {string} */
            environment: "development" | "staging" | "production";
            /** @description Id of the window of this scope; null before the first call in the window. */
            period_id: string | null;
            /** @description Scope of the budget, with metadata masked as in events. A null value stands for calls without this value. */
            scope: {
                [key: string]: string | null;
            };
            window: {
                /** @enum {string} */
                per: "hour" | "day" | "week" | "month" | "total";
                timezone: string;
                /** @description RFC 3339, UTC. */
                start: string;
                /** @description RFC 3339, UTC. */
                end: string | null;
            };
            /** @enum {string} */
            on_exceed: "record" | "block";
            /** @enum {string} */
            unit: "usd" | "tokens";
            /** @description Amount as decimal text: in dollars, exact to the nano-dollar, or in tokens. */
            limit: string;
            /** @description Amount as decimal text: in dollars, exact to the nano-dollar, or in tokens. */
            used: string;
            /** @description Amount reserved by calls in flight. */
            reserved: string;
            /** @description The limit minus the used amount; negative if the limit was exceeded. */
            remaining: string;
            used_ratio: number;
            /** @description RFC 3339, UTC. */
            exceeded_at: string | null;
            /** @description Thresholds of warnings in the active policy; empty for a removed budget. */
            warn_at: number[];
            /** @description Thresholds of `warn_at` that were reached. */
            warned: {
                ratio: number;
                /** @description RFC 3339, UTC. */
                at: string;
            }[];
            /** @description Amount charged to the window for the given events; only with the parameter `event`. */
            charged?: string;
        };
        Budgets: {
            data: components["schemas"]["BudgetState"][];
        };
        Bundle: {
            /** @enum {string} */
            format: "weir/bundle/v1";
            /** @enum {string} */
            environment: "development" | "staging" | "production";
            policy: {
                id: string;
                digest: string;
            };
            files: {
                path: string;
                text: string;
            }[];
            tests: {
                path: string;
                text: string;
            }[];
            requires: {
                plugin: string;
                version: string;
                revision: number;
            }[];
            source: {
                commit: string | null;
                clean: boolean;
            };
            signatures: {
                key_id: string;
                /** @enum {string} */
                algorithm: "ed25519";
                value: string;
                /**
                 * Format: uuid
                 * @description Id of the account for which the bundle was signed; absent in signatures made by earlier versions of Weir.
                 */
                account?: string;
                /** @description Serial number, which increases with every signature. A bundle with a lower number than an earlier deployed bundle counts as old. */
                serial?: number;
            }[];
        };
        CallEnd: {
            /**
             * Format: uuid
             * @description Id of the call: the header `x-weir-call` of the answer to its submission.
             */
            call: string;
            /** @description Id of the recorded `ai.response` or `ai.error`. */
            event_id: string;
            /** @description Violations of rules by the answer. The actions of these rules can no longer be enforced. */
            violations: components["schemas"]["Violation"][];
        };
        CallEnds: {
            /** @description One result per report, in the order of the reports. */
            answers: ({
                /**
                 * Format: uuid
                 * @description Id of the call: the header `x-weir-call` of the answer to its submission.
                 */
                call: string;
                /** @enum {number} */
                status: 200;
                /** @description Id of the recorded `ai.response` or `ai.error`. */
                event_id: string;
                /** @description Violations of rules by the answer. The actions of these rules can no longer be enforced. */
                violations: components["schemas"]["Violation"][];
            } | {
                /**
                 * Format: uuid
                 * @description Id of the call: the header `x-weir-call` of the answer to its submission.
                 */
                call: string;
                status: number;
                error: {
                    type: string;
                    message: string;
                    details?: {
                        path: string;
                        message: string;
                    }[];
                };
            })[];
        };
        CallRoutes: {
            providers: {
                id: string;
                style: string;
                /** @description Base URL of the provider in the settings of this service. */
                base_url: string;
            }[];
            routes: {
                provider: string;
                /** @enum {string} */
                method: "POST";
                /** @description Path of the route without vendor-specific prefixes. */
                path: string;
                /** @description Regular expression for the path of a URL, without its query; not case-sensitive. */
                pattern: string;
            }[];
            /**
             * @description Treatment of calls to routes that are not listed.
             * @enum {string}
             */
            unknown: "judged_as_generic";
        };
        CallSession: {
            session_id: string;
            app: {
                /** Format: uuid */
                id: string;
                name: string | null;
            };
            /** @enum {string} */
            environment: "development" | "staging" | "production";
            /** Format: date-time */
            first_at: string;
            /** Format: date-time */
            last_at: string;
            calls: number;
            /** @description Number of tool calls; `calls` includes them. */
            tool_calls: number;
            /** @description Number of calls by outcome. */
            outcomes: {
                allowed: number;
                flagged: number;
                would_block: number;
                redacted: number;
                error: number;
                unavailable: number;
                blocked: number;
            };
            /** @description Models called in the session, at most 20. */
            models: string[];
            /** @description Number of prompt and completion tokens; a sum above 2^53 is rounded. */
            tokens: number;
            /** @description Cost in integer nano-dollars, as text; calls without a price are not included. */
            cost_nano_usd: string;
            /** @description Number of calls whose tokens are known, but not their price. A call with several answers counts once for each of them. */
            without_price: number;
            /** @description Processing time that Weir added to the calls of the session, in milliseconds. Only if `session` names one session; null if it is unknown, or if the session has too many events to read them in time. */
            weir_ms?: number | null;
            /** @description Ids of the rules that fired in the session, including monitored ones. Only if `session` names one session; null if the session has too many events to read them in time. */
            rules?: string[] | null;
        };
        CallSessions: {
            data: components["schemas"]["CallSession"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        CapturedTest: {
            /** @description Suggested path in a policies folder. */
            path: string;
            /** @description Text of the test file, which contains the structure of the call, but no text written by users. */
            yaml: string;
            /** @description Whether the test passes with the policy that made the decision. */
            passes: boolean;
            /** @description Fields that the test does not reproduce, because their input was not stored. */
            missing: string[];
        };
        CreatedKey: {
            key: components["schemas"]["Key"];
            /** @description The complete credential. It is shown only once and not stored. */
            secret: string;
        };
        CreatedToken: {
            token: components["schemas"]["Token"];
            /** @description The complete credential. It is shown only once and not stored. */
            secret: string;
        };
        DeploymentAnswer: {
            /** @description One deployment in the history. */
            deployment: {
                number: number;
                /** @enum {string} */
                environment: "development" | "staging" | "production";
                /** @enum {string} */
                action: "deploy" | "promote" | "rollback" | "emergency";
                /** @description True if the policy was changed on the server in an emergency. */
                emergency: boolean;
                /** @description Digest of the policy; null if the policies folder applies again. */
                digest: string | null;
                /** @description The first twelve characters of the digest. */
                version: string | null;
                bundle_digest: string | null;
                /** @description The deployment on which the change is based. If another deployment is active, the answer is 409 `stale_plan`. */
                base: {
                    /** @description Number of the deployment that was active when the change was made; 0 for the policies folder. */
                    number: number;
                    /** @description Digest of the policy that was active when the change was made. */
                    digest: string;
                };
                /** @description For a rollback: number of the reactivated deployment; 0 for the policies folder. */
                restores: number | null;
                because: string | null;
                changed_files: string[];
                waived_tests: string[];
                untested: boolean;
                /** @description Names of the trusted keys that signed the bundle. */
                signed_by: string[];
                /** @description Serial number in the signatures of the bundle; null if no signature has one. */
                serial: number | null;
                source: {
                    commit: string | null;
                    clean: boolean;
                };
                /** @description The management token that made the deployment; null if a person made it. */
                token_id: string | null;
                /** @description The person who made the deployment; null if a token made it. */
                person_id: string | null;
                /** @description The person's e-mail address, or the name of the token; null if the person or token no longer exists. */
                by_name: string | null;
                /** @description RFC 3339, UTC. */
                created_at: string;
            };
            replicas: {
                id: string;
                name: string;
                /** @description Version of Weir on the replica. */
                version: string;
                /**
                 * @description `failed`: the replica cannot activate the newest deployment, so an earlier policy stays active.
                 * @enum {string}
                 */
                state: "active" | "pending" | "failed" | "lost";
                /** @description Deployment whose policy judges calls on this replica; null for the policies folder. */
                deployment: number | null;
                /** @description Digest of the active policy on this replica; null if no policy is active and calls are refused. */
                digest: string | null;
                problem: string | null;
                tests_passed: number;
                /** @description RFC 3339, UTC. */
                heartbeat_at: string;
            }[];
        };
        Deployments: {
            data: {
                number: number;
                /** @enum {string} */
                environment: "development" | "staging" | "production";
                /** @enum {string} */
                action: "deploy" | "promote" | "rollback" | "emergency";
                /** @description True if the policy was changed on the server in an emergency. */
                emergency: boolean;
                /** @description Digest of the policy; null if the policies folder applies again. */
                digest: string | null;
                /** @description The first twelve characters of the digest. */
                version: string | null;
                bundle_digest: string | null;
                /** @description The deployment on which the change is based. If another deployment is active, the answer is 409 `stale_plan`. */
                base: {
                    /** @description Number of the deployment that was active when the change was made; 0 for the policies folder. */
                    number: number;
                    /** @description Digest of the policy that was active when the change was made. */
                    digest: string;
                };
                /** @description For a rollback: number of the reactivated deployment; 0 for the policies folder. */
                restores: number | null;
                because: string | null;
                changed_files: string[];
                waived_tests: string[];
                untested: boolean;
                /** @description Names of the trusted keys that signed the bundle. */
                signed_by: string[];
                /** @description Serial number in the signatures of the bundle; null if no signature has one. */
                serial: number | null;
                source: {
                    commit: string | null;
                    clean: boolean;
                };
                /** @description The management token that made the deployment; null if a person made it. */
                token_id: string | null;
                /** @description The person who made the deployment; null if a token made it. */
                person_id: string | null;
                /** @description The person's e-mail address, or the name of the token; null if the person or token no longer exists. */
                by_name: string | null;
                /** @description RFC 3339, UTC. */
                created_at: string;
            }[];
            /** @description Value of `before` for the next page; null on the last page. */
            next_before: number | null;
        };
        Erasure: {
            /** Format: uuid */
            id: string;
            /**
             * @description `waiting`: some matching calls are still open; their events are emptied when the calls end.
             * @enum {string}
             */
            state: "running" | "waiting" | "done";
            dry_run: boolean;
            /** @enum {string|null} */
            environment: "development" | "staging" | "production" | null;
            /** Format: uuid */
            app: string | null;
            looked_for: {
                /** @enum {string} */
                kind: "metadata" | "session" | "token";
                /** @description Path of the metadata value; null for other kinds. */
                path: string | null;
                /** @description HMAC-SHA-256 of the searched value with the account's key; the value itself is not stored. */
                fingerprint: string;
            }[];
            because: string | null;
            /** @description Number of findings in each place; a dry run only counts them. */
            counts: {
                /** @description Emptied events, whose rows stay with time, app, model, decision, tokens and cost. */
                events: number;
                /** @description Emptied events that had a body. */
                bodies: number;
                /** @description Emptied events that had metadata. */
                metadata: number;
                /** @description Deleted answers, which were stored for retries with the same `event_id`. */
                remembered_answers: number;
                /** @description Session totals in which the id of the session was replaced. */
                sessions: number;
                /** @description Deleted session states, which rules read. */
                session_states: number;
                /** @description Deleted notes on decisions; the marks stay. */
                mark_notes: number;
                /** @description Budget reservations from which the client's request id was deleted; the amounts stay. */
                reservations: number;
                /** @description Budget windows whose label named the person and was emptied; the amounts stay. */
                budget_labels: number;
                /** @description Replaced reasons of adjustments, which named the person. */
                budget_reasons: number;
                /** @description Deleted export files, which may have contained data of the person. */
                export_files: number;
                /** @description Cancelled exports, which were being written. */
                exports_cancelled: number;
                /** @description Exports and schedules whose filters named the person; the filters are removed and the schedules paused. */
                export_filters: number;
                /** @description Deleted saved views, whose filters named the person. */
                views: number;
                /** @description Parts of the archive that were rewritten. */
                archive_parts: number;
                /** @description Matching events that stay unchanged because a legal hold covers their calls. */
                held: number;
            };
            /** @description Number of open calls that the erasure waits for. */
            open_calls: number;
            /** @description Copies of the data that remain after the erasure; null before the erasure has ended, and for a dry run. */
            remains: {
                /** @description Whether old versions of the changed rows were removed from the database files. */
                vacuumed: boolean;
                /** @description Number of export files in buckets that may contain data of the person; the owner of the bucket has to delete them. */
                bucket_files: number;
                /** @description Number of entries of the append-only admin audit log that name the person in reasons or names. */
                audit_entries: number;
                /** @description Time when the erasure ended: earlier backups and write-ahead logs contain the erased data until they are deleted. */
                backups_before: string;
            } | null;
            /** @description Why the erasure makes no progress; null while it does, and after it has ended. */
            problem: string | null;
            /** @description Position of the write-ahead log at the end of the erasure. */
            database_position: string | null;
            by: {
                kind: string;
                id: string | null;
                name: string | null;
            };
            created_at: string;
            ended_at: string | null;
        };
        Erasures: {
            data: components["schemas"]["Erasure"][];
        };
        Error: {
            error: {
                /** @enum {string} */
                type: "content_policy_violation" | "tool_use_blocked" | "budget_exceeded" | "budget_reserved" | "authentication_error" | "subscription_inactive" | "subscription_lapsed" | "email_not_verified" | "reauthentication_required" | "forbidden" | "not_found" | "in_progress" | "stale_plan" | "payload_too_large" | "invalid_request" | "event_id_conflict" | "reserved_event_type" | "rate_limit_exceeded" | "trial_limit_reached" | "internal_error" | "upstream_unreachable" | "guardrail_unavailable" | "overloaded" | "unavailable" | "upstream_timeout";
                message: string;
                /** @description Id of the request, as in the logs of the service. */
                trace_id: string;
                /** @description One entry per wrong field; the entries never contain submitted values. */
                details?: {
                    path: string;
                    message: string;
                }[];
                /** @enum {string} */
                decision?: "block";
                violations?: {
                    [key: string]: unknown;
                }[];
                event_id?: string;
                /** @description URL of the explanation of the error type. */
                docs: string;
            };
        };
        EvaluateBody: {
            /** @description Number of the deployment whose policy judges the call; 0 for the policies folder. Default: the active policy. */
            deployment?: number;
            /** @description Bundle whose policy judges the call, without being deployed. Cannot be combined with `deployment`. */
            bundle?: components["schemas"]["Bundle"];
            /**
             * @description Stage to evaluate. Default: `tool` if the body contains `tool`, otherwise `pre`.
             * @enum {string}
             */
            stage?: "pre" | "post" | "tool";
            /** @description The user's message, or at stage `post` the answer. */
            text?: string;
            /** @description A conversation; only at stage `pre`. */
            messages?: ({
                role: string;
                content: unknown;
            } & {
                [key: string]: unknown;
            })[];
            /** @description A tool call. */
            tool?: {
                name: string;
                arguments?: unknown;
            };
            model?: string;
            provider?: string;
            /** @description Name of the app that the call is attributed to. */
            app?: string;
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description Time of the call. Default: now.
             */
            at?: string;
            /** @description Detectors to simulate as unavailable. */
            unavailable?: string[];
            /** @description Also return the call and its decision as a policy test. */
            as_test?: boolean;
        };
        Evaluation: {
            /** @enum {string} */
            decision: "allow" | "redact" | "block" | "unavailable";
            reason: string | null;
            violations: {
                rule: string;
                policy: string;
                category: string;
                severity: string;
                action: string;
                enforced: boolean;
                message: string;
            }[];
            redactions: {
                type: string;
                count: number;
            }[];
            masks: {
                path: string;
                start: number;
                end: number;
                entity: string;
                detector: string;
                n: number | null;
            }[];
            /** @description The submitted `text` as it would be forwarded. If the call is refused: the text with all findings masked. */
            text: string | null;
            texts: {
                path: string;
                text: string;
            }[];
            /** @description The facts as they would be recorded. */
            facts: {
                [key: string]: unknown;
            };
            /** @description Required detectors that did not answer. */
            missing: string[];
            rules: components["schemas"]["ExplainedRule"][];
            /** @description Digest of the policy: SHA-256, in hex. */
            digest: string;
            deployment: number | null;
            /** @description CPU time of the evaluation, in milliseconds. */
            ms: number;
            /** @description The call as a policy test; null if the request does not contain `as_test`. */
            test: {
                /** @description Suggested path in a policies folder. */
                path: string;
                /** @description Text of the test file, which contains the call as it was sent. */
                yaml: string;
                /** @description Whether the test passes with the policy that judged the call. */
                passes: boolean;
                /** @description Problems of the test file, and expected fields that differ when the test runs; empty if the test passes. */
                missing: string[];
            } | null;
        };
        Event: {
            /**
             * Format: uuid
             * @description Id of the event in the service, a UUIDv7.
             */
            id: string;
            /** @description Id that the client gave the event; the same as `id` if the client sent none. */
            event_id: string;
            /** @enum {string} */
            type: "ai.request" | "ai.response" | "ai.error" | "agent.tool_call" | "policy.violation" | "budget.exceeded";
            app: {
                /** Format: uuid */
                id: string;
                name: string | null;
            };
            key_id: string;
            /**
             * @description The effective environment, which is the key's environment.
             * @enum {string}
             */
            environment: "development" | "staging" | "production";
            /** @enum {string} */
            declared_environment: "development" | "staging" | "production";
            /** @enum {string} */
            source: "rest" | "proxy" | "calls";
            request_id: string | null;
            /** @description Id of the event that caused this event. */
            parent_id: string | null;
            session_id: string | null;
            provider: string | null;
            model: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            /** @description Stored payload; `capture` shows whether it is redacted, complete or left out. */
            payload: unknown;
            /** @enum {string} */
            capture: "redacted" | "full" | "none";
            /** @description Masked places in the payload. Null if they are unknown, because no text is stored or an earlier version of Weir stored the event. */
            masks: components["schemas"]["Mask"][] | null;
            /** @description Number of masked places that are not in `masks`, because they have no path or come after the first 1,000. */
            masks_left_out: number;
            /** @description A line of the stored text, at most 160 characters; null if no text is stored. */
            excerpt: string | null;
            /** @enum {string|null} */
            decision: "allow" | "redact" | "block" | null;
            /** @description Reason of the block, or type of the error. */
            reason: string | null;
            /**
             * @description Outcome of the event in one word; null if the event only reports on another event.
             * @enum {string|null}
             */
            outcome: "allowed" | "flagged" | "would_block" | "redacted" | "error" | "unavailable" | "blocked" | null;
            violations: components["schemas"]["Violation"][];
            /** @description Rules that matched and were weakened by an exception of the policy. */
            excepted: {
                rule: string;
                exception: string;
                /**
                 * @description Action that the exception prevented; null if the action would not have been enforced even without the exception.
                 * @enum {string|null}
                 */
                kept: "redact" | "block" | null;
            }[];
            redactions: {
                type: string;
                count: number;
            }[];
            /** @description Parts of the call that could be neither recognised nor read; see `unread` in the policy. */
            unread: {
                /** @description Position in the body, such as `messages[0].content[1].file.file_data` or `parts[0]`. */
                path: string;
                /** @enum {string} */
                why: "binary" | "document" | "archive" | "ambiguous" | "encrypted" | "malformed" | "limit" | "outage";
                bytes: number;
            }[];
            usage: {
                prompt_tokens: number | null;
                completion_tokens: number | null;
                cache_read_tokens: number | null;
                cache_write_tokens: number | null;
                /** @description Number of those `cache_write_tokens` that are cached for an hour. */
                cache_write_1h_tokens: number | null;
                reasoning_tokens: number | null;
                /** @description Billed items other than plain tokens. If the price of one of these items is unknown, the cost of the call is null. */
                other: {
                    /** @enum {string} */
                    service_tier?: "batch" | "fast" | "flex" | "priority" | "scale" | "us" | "other";
                    audio_input_tokens?: number;
                    audio_output_tokens?: number;
                    web_searches?: number;
                    file_searches?: number;
                    /**
                     * @description True if the answer shows that work was billed, but not the fee.
                     * @enum {boolean}
                     */
                    unknown_fees?: true;
                } | null;
                /** @description True if Weir estimated the tokens, because the provider did not report them. */
                estimated: boolean;
            } | null;
            /** @description Cost in integer nano-dollars, as text so that any size is exact. */
            cost_nano_usd: string | null;
            price_version: string | null;
            latency_ms: {
                total: number | null;
                provider: number | null;
                weir: number | null;
            };
            policy: {
                id: string;
                digest: string | null;
                version: string | null;
            } | null;
            detectors: {
                key: string;
                plugin: string;
                version: string;
                revision: number;
                /** @enum {string} */
                status: "scanned" | "failed" | "timeout" | "not_run";
            }[];
            /** @description The facts that rules could read. They never contain matched text. */
            facts: {
                [key: string]: unknown;
            } | null;
            upstream_status: number | null;
            /** @description RFC 3339, UTC, milliseconds. */
            received_at: string;
            /** @description Id of the request that submitted the event, as in the logs of the service and in `x-request-id` of the answer. Null if no request submitted the event. */
            trace_id: string | null;
            /** @description Marks of the event or of its call; only in lists of events and in the answer for one event. */
            marks?: components["schemas"]["Mark"][];
        };
        EventCount: {
            count: number;
            /** @description True if there are, or may be, more matching events than `count`. */
            capped: boolean;
            /** @description Time of receipt (RFC 3339) that the search had reached when it was stopped, because it would have taken too long; null if the search is complete. */
            searched_to: string | null;
        };
        EventFacets: {
            /** @description True when only the newest matching events were counted. */
            sampled: boolean;
            /** @description Number of events whose values were counted. */
            of: number;
            /** @description Time of receipt (RFC 3339) that the search had reached when it was stopped, because it would have taken too long; null if the search is complete. */
            searched_to: string | null;
            data: {
                [key: string]: {
                    value: string;
                    /** @description Name of the app if the value is the id of an app; otherwise null. */
                    label: string | null;
                    count: number;
                }[];
            };
        };
        EventPage: {
            /** @description The events; with `fields=summary`, their summaries. */
            data: (components["schemas"]["Event"] | components["schemas"]["EventSummary"])[];
            /** @description Cursor of the next page; null on the last page. A page that ends early may be empty and still have a cursor. */
            next_cursor: string | null;
            /** @description Time of receipt (RFC 3339) that the search had reached when it was stopped, because it would have taken too long; null if the search is complete. */
            searched_to: string | null;
        };
        EventSummary: {
            /**
             * Format: uuid
             * @description Id of the event in the service, a UUIDv7.
             */
            id: string;
            /** @description Id that the client gave the event; the same as `id` if the client sent none. */
            event_id: string;
            /** @enum {string} */
            type: "ai.request" | "ai.response" | "ai.error" | "agent.tool_call" | "policy.violation" | "budget.exceeded";
            app: {
                /** Format: uuid */
                id: string;
                name: string | null;
            };
            key_id: string;
            /**
             * @description The effective environment, which is the key's environment.
             * @enum {string}
             */
            environment: "development" | "staging" | "production";
            /** @enum {string} */
            declared_environment: "development" | "staging" | "production";
            /** @enum {string} */
            source: "rest" | "proxy" | "calls";
            request_id: string | null;
            /** @description Id of the event that caused this event. */
            parent_id: string | null;
            session_id: string | null;
            provider: string | null;
            model: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            capture: "redacted" | "full" | "none";
            /** @description A line of the stored text, at most 160 characters; null if no text is stored. */
            excerpt: string | null;
            /** @enum {string|null} */
            decision: "allow" | "redact" | "block" | null;
            /** @description Reason of the block, or type of the error. */
            reason: string | null;
            /**
             * @description Outcome of the event in one word; null if the event only reports on another event.
             * @enum {string|null}
             */
            outcome: "allowed" | "flagged" | "would_block" | "redacted" | "error" | "unavailable" | "blocked" | null;
            violations: components["schemas"]["Violation"][];
            /** @description Rules that matched and were weakened by an exception of the policy. */
            excepted: {
                rule: string;
                exception: string;
                /**
                 * @description Action that the exception prevented; null if the action would not have been enforced even without the exception.
                 * @enum {string|null}
                 */
                kept: "redact" | "block" | null;
            }[];
            redactions: {
                type: string;
                count: number;
            }[];
            usage: {
                prompt_tokens: number | null;
                completion_tokens: number | null;
                cache_read_tokens: number | null;
                cache_write_tokens: number | null;
                /** @description Number of those `cache_write_tokens` that are cached for an hour. */
                cache_write_1h_tokens: number | null;
                reasoning_tokens: number | null;
                /** @description Billed items other than plain tokens. If the price of one of these items is unknown, the cost of the call is null. */
                other: {
                    /** @enum {string} */
                    service_tier?: "batch" | "fast" | "flex" | "priority" | "scale" | "us" | "other";
                    audio_input_tokens?: number;
                    audio_output_tokens?: number;
                    web_searches?: number;
                    file_searches?: number;
                    /**
                     * @description True if the answer shows that work was billed, but not the fee.
                     * @enum {boolean}
                     */
                    unknown_fees?: true;
                } | null;
                /** @description True if Weir estimated the tokens, because the provider did not report them. */
                estimated: boolean;
            } | null;
            /** @description Cost in integer nano-dollars, as text so that any size is exact. */
            cost_nano_usd: string | null;
            price_version: string | null;
            latency_ms: {
                total: number | null;
                provider: number | null;
                weir: number | null;
            };
            policy: {
                id: string;
                digest: string | null;
                version: string | null;
            } | null;
            upstream_status: number | null;
            /** @description RFC 3339, UTC, milliseconds. */
            received_at: string;
            /** @description Id of the request that submitted the event, as in the logs of the service and in `x-request-id` of the answer. Null if no request submitted the event. */
            trace_id: string | null;
            /** @description Marks of the event or of its call; only in lists of events and in the answer for one event. */
            marks?: components["schemas"]["Mark"][];
        };
        Exceptions: {
            /** @description Digest of the policy: SHA-256, in hex. */
            digest: string;
            deployment: number | null;
            data: {
                id: string;
                environment: string;
                rules: string[];
                /** @enum {string} */
                effect: "monitor" | "skip";
                /** @description Whether the exception has a condition; without a condition, the exception applies to every call. */
                conditional: boolean;
                expires: string;
                /** @enum {string} */
                state: "expired" | "within_3_days" | "within_14_days" | "within_30_days" | "later";
                because: string;
                approved_by: string;
                ticket: string;
                /** @description Condition of the exception; null if it applies to every call. */
                when: string | null;
                path: string | null;
                /** @description Line number, from 1. */
                line: number | null;
                /** @description Number of requests, answers and tool calls of the last 30 days to which the exception applied; null without `events:read`. */
                hits_30d: number | null;
                /** @description Those of `hits_30d` that would have been refused or redacted without the exception; null without `events:read`. */
                kept_30d: number | null;
                /** @description Time when the exception last applied, however long ago; null if it never did, or without `events:read`. */
                last_hit: string | null;
            }[];
        };
        ExplainedRule: {
            id: string;
            /** @enum {string} */
            stage: "pre" | "post" | "tool";
            /** @description For stage `tool`: index of the tool call in the answer, from 0. */
            tool_call: number | null;
            /** @enum {string} */
            outcome: "matched" | "not_matched" | "unknown";
            action: string | null;
            /** @enum {string} */
            mode: "enforce" | "monitor";
            exception: string | null;
            path: string | null;
            /** @description Line number, from 1. */
            line: number | null;
            conditions: {
                /** @description Line number, from 1. */
                line: number | null;
                text: string;
                /** @description Result of the condition; null if it is unknown. */
                result: boolean | null;
                fact: string | null;
                /** @description Value of the fact; for texts, only type and size. Null if the fact was absent. */
                value_shown: string | null;
            }[];
        };
        Explanation: {
            /** @description Whether evaluating the call again leads to the same decision; null if this is unknown. */
            reproduced: boolean | null;
            /** @description Differences between the recomputed and the recorded decision. */
            differs: string[];
            /** @description Reasons why `reproduced` is unknown: facts that were not stored, or an unavailable policy. */
            missing: string[];
            /**
             * @description The decision; null if no rule judged the event.
             * @enum {string|null}
             */
            decision: "allow" | "redact" | "block" | "unavailable" | null;
            deciding_rule: string | null;
            /** @description Digest of the policy that made the decision. */
            digest: string | null;
            /** @description Number of the deployment with the policy that made the decision; null if the policy was in the policies folder, or was not found. */
            deployment: number | null;
            /** @description The rules; those that fired come first. */
            rules: components["schemas"]["ExplainedRule"][];
        };
        Export: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            state: "queued" | "running" | "paused" | "done" | "failed" | "cancelled";
            /** @enum {string} */
            format: "jsonl" | "csv" | "parquet";
            filters: {
                [key: string]: string;
            };
            columns: string[] | null;
            bom: boolean;
            destination: {
                /** @enum {string} */
                kind: "download";
            } | {
                /** @enum {string} */
                kind: "s3";
                bucket: string;
                prefix: string;
                region: string;
                endpoint: string | null;
                /** @description The last four characters of the access key id. */
                access_key_ends: string;
            };
            /**
             * @description The only environment whose events the requester may see; null if all.
             * @enum {string|null}
             */
            environment: "development" | "staging" | "production" | null;
            /** @description Number of events in the file so far. */
            rows: number;
            /** @description Expected number of rows; null until the rows are counted, and always null if a filter searches free text. */
            rows_expected: number | null;
            bytes: number;
            /** @description SHA-256 of the complete file. */
            sha256: string | null;
            /** @description Position of the export among the events. */
            cursor: string | null;
            /** @description Human-readable reason for the failure, or, before the end, why the export began again. */
            error: string | null;
            by: {
                kind: string;
                id: string | null;
                name: string | null;
            };
            created_at: string;
            ended_at: string | null;
            /** @description Time when the file is deleted, or when a failed export can no longer be resumed. */
            expires_at: string | null;
            /** @description Whether `GET /v1/exports/{id}/file` returns the file. */
            has_file: boolean;
            /** @description Whether the export has failed and `PATCH` with `paused: false` continues it after its last row. */
            resumable: boolean;
            /** @description The schedule that started the export; null without a schedule. */
            schedule: {
                /** Format: uuid */
                id: string;
                /** @description Time at which the run was due; the file contains events received before this time. */
                due_at: string;
                /** @description Number of matching events of the same period that were stored after the file was written; null if they were not counted. */
                late_rows: number | null;
            } | null;
        };
        ExportChange: {
            /** @description True pauses the export, false resumes a paused or failed export. */
            paused: boolean;
        };
        ExportSchedule: {
            /** Format: uuid */
            id: string;
            name: string;
            paused: boolean;
            /** @description Human-readable reason why the service paused the schedule. */
            problem: string | null;
            /** @description Time when the schedule is due. */
            due: {
                /** @enum {string} */
                every: "day";
                /** @description Hour of the day, UTC. */
                hour: number;
            } | {
                /** @enum {string} */
                every: "week";
                /** @enum {string} */
                weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
                /** @description Hour of the day, UTC. */
                hour: number;
            } | {
                /** @enum {string} */
                every: "month";
                day: number;
                /** @description Hour of the day, UTC. */
                hour: number;
            };
            /** @enum {string} */
            format: "jsonl" | "csv" | "parquet";
            filters: {
                [key: string]: string;
            };
            columns: string[] | null;
            bom: boolean;
            destination: {
                /** @enum {string} */
                kind: "download";
            } | {
                /** @enum {string} */
                kind: "s3";
                bucket: string;
                prefix: string;
                region: string;
                endpoint: string | null;
                /** @description The last four characters of the access key id. */
                access_key_ends: string;
            };
            /**
             * @description The only environment whose events are exported; null if events of all environments are.
             * @enum {string|null}
             */
            environment: "development" | "staging" | "production" | null;
            /** @description End of the period covered by the files so far; the next file begins here. */
            covered_to: string;
            /** @description Time at which the schedule is next due; the export starts ten minutes later. Null while the schedule is paused. */
            next_at: string | null;
            last_run: {
                /**
                 * Format: uuid
                 * @description Id of the export.
                 */
                id: string;
                /** @enum {string} */
                state: "queued" | "running" | "paused" | "done" | "failed" | "cancelled";
                due_at: string;
                /** @description Human-readable reason for the failure of the run. The next file also contains the events of this run. */
                error: string | null;
            } | null;
            /** @description Person or token that last changed the schedule. If that person or token loses access to the account, the schedule is paused. */
            by: {
                kind: string;
                id: string | null;
                name: string | null;
            };
            created_at: string;
        };
        ExportScheduleChange: {
            name?: string;
            /** @description True pauses the schedule, false resumes it. The first file after a pause contains the events received during the pause. */
            paused?: boolean;
            /** @description Time when the schedule is due. */
            due?: {
                /** @enum {string} */
                every: "day";
                /** @description Hour of the day, UTC. */
                hour: number;
            } | {
                /** @enum {string} */
                every: "week";
                /** @enum {string} */
                weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
                /** @description Hour of the day, UTC. */
                hour: number;
            } | {
                /** @enum {string} */
                every: "month";
                day: number;
                /** @description Hour of the day, UTC. */
                hour: number;
            };
            /** @enum {string} */
            format?: "jsonl" | "csv" | "parquet";
            /** @description Filters, with the names and values of the query string of `GET /v1/events`. `from` and `to` are not allowed, because each file begins where the previous one ends. */
            filters?: {
                [key: string]: string;
            };
            /** @description Columns of the file; null for all columns. */
            columns?: ("id" | "received_at" | "type" | "event_id" | "app_id" | "app_name" | "key_id" | "environment" | "declared_environment" | "source" | "request_id" | "parent_id" | "session_id" | "provider" | "model" | "decision" | "reason" | "rules" | "prompt_tokens" | "completion_tokens" | "cost_nano_usd" | "latency_total_ms" | "latency_provider_ms" | "latency_weir_ms" | "policy_id" | "policy_version" | "upstream_status" | "trace_id" | "metadata" | "violations" | "redactions" | "payload")[] | null;
            /** @description Begin CSV with a byte order mark, so that Excel reads it as UTF-8. */
            bom?: boolean;
            /** @description The complete new destination, including credentials. */
            destination?: {
                /** @enum {string} */
                kind: "download";
            } | {
                /** @enum {string} */
                kind: "s3";
                /** @description Name of the bucket. */
                bucket: string;
                /** @description Prefix of the object name, such as `weir/`. */
                prefix?: string;
                region: string;
                /** @description URL of an S3-compatible service. Default: Amazon S3 in the region. */
                endpoint?: string;
                /** @description Credentials for the bucket. They are stored encrypted until the export is done, cancelled or removed, or can no longer be resumed after a failure, or until the schedule is deleted, and never shown again. */
                credentials: {
                    access_key_id: string;
                    secret_access_key: string;
                    session_token?: string;
                };
            };
        };
        ExportSchedules: {
            data: components["schemas"]["ExportSchedule"][];
        };
        Exports: {
            data: components["schemas"]["Export"][];
        };
        Key: {
            /** @description Public id of the key, shown in logs and events. */
            id: string;
            app: {
                /** Format: uuid */
                id: string;
                name: string;
            };
            name: string;
            /** @enum {string} */
            environment: "development" | "staging" | "production";
            /** @description RFC 3339, UTC. */
            created_at: string;
            /** @description Person or token that created the key, either directly or by rotating an older key; null if the audit log does not contain this action. */
            created_by: {
                /** @enum {string} */
                kind: "person" | "token" | "operator" | "system";
                id: string | null;
                /** @description E-mail address of the person, or name of the token. */
                name: string | null;
            } | null;
            /** @description RFC 3339, UTC. */
            expires_at: string | null;
            /** @description Time of the last use, to the minute. */
            last_used_at: string | null;
        };
        Keys: {
            data: components["schemas"]["Key"][];
        };
        Mark: {
            /**
             * Format: uuid
             * @description Id of the event in which the rule fired; for `missed`, of the event that was marked.
             */
            event: string;
            /**
             * Format: uuid
             * @description Id of the event with which the call began. A call has one mark for each rule.
             */
            call: string;
            rule: string;
            /**
             * @description `right`: the rule fired correctly. `wrong`: it fired, but should not have. `missed`: it did not fire, but should have.
             * @enum {string}
             */
            mark: "right" | "wrong" | "missed";
            note: string | null;
            /** @enum {string} */
            environment: "development" | "staging" | "production";
            app: {
                /** Format: uuid */
                id: string;
                name: string | null;
            };
            /** @description The last author of the mark. `name` is the e-mail address of the person or the name of the management token; null if the person or token no longer exists. */
            by: {
                /** @enum {string} */
                kind: "person" | "token";
                id: string;
                name: string | null;
            };
            /** @description RFC 3339, UTC. */
            at: string;
        };
        MarkPage: {
            data: components["schemas"]["Mark"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        Mask: {
            /** @description Path of the text in `payload`; it can continue in JSON that is inside a string. `$` is the whole payload. */
            path: string;
            /** @description Start of the masked place in the stored text, in UTF-16 units. */
            start: number;
            end: number;
            /** @description Code of the finding, such as `EMAIL`; `UNSCANNED` or `WITHHELD` if a whole text is masked. */
            entity: string;
            /** @description Detector of the finding; null if a whole text is masked because it could not be scanned. */
            detector: string | null;
            /** @description Rule with the strongest action among those that masked the place; null if the place was masked only in the log. */
            rule: string | null;
            /** @description Number of the masked value: equal values of one entity in one call have the same number; null if the values could not be compared. */
            n: number | null;
        };
        Me: {
            /** @description The person who has signed in; null for a management token. */
            person: {
                /** Format: uuid */
                id: string;
                email: string;
            } | null;
            /** @description The management token of the request; null for a session. */
            token: {
                id: string;
                name: string;
            } | null;
            account: {
                /** Format: uuid */
                id: string;
                email: string;
            };
            /**
             * @description The person's role in the account; null for a management token.
             * @enum {string|null}
             */
            role: "owner" | null;
            scopes: ("policy:read" | "policy:deploy" | "policy:rollback" | "policy:emergency" | "keys:admin" | "events:read" | "events:mark" | "events:erase" | "budgets:admin" | "account:admin")[];
            /** @description Environments that the caller may see. */
            environments: ("development" | "staging" | "production")[];
            subscription: components["schemas"]["Subscription"] | null;
            /** @description Retention of events in the active policies, for each environment that the caller may read. */
            retention: {
                /** @enum {string} */
                environment: "development" | "staging" | "production";
                /** @description Storing of texts in the active policy; null if this process cannot run the active policy and refuses calls. */
                content: {
                    /**
                     * @description Form in which the texts of new calls are stored: with findings masked, unchanged, or not at all.
                     * @enum {string}
                     */
                    stored: "redacted" | "full" | "none";
                    /** @description File of the policy that sets it; null if no file does, or if the caller lacks `policy:read`. */
                    path: string | null;
                    /** @description Line in that file. */
                    line: number | null;
                } | null;
                /** @description Number of days for which texts of calls are kept; null if they are kept as long as the rest of the event. */
                content_days: number | null;
                /** @description Number of days for which the rest of an event is kept; null if it is kept forever. */
                records_days: number | null;
                /** @description Active legal holds, which extend the retention of matching calls. */
                holds: {
                    id: string;
                    because: string;
                    /** Format: date-time */
                    until: string;
                }[];
                /** @description Number of events that are kept only because of legal holds. */
                held_events: number;
            }[];
            server: {
                version: string;
                /** @description Base URL of the service. */
                base_url: string;
                /** @enum {string} */
                billing: "on" | "off";
                providers: {
                    id: string;
                    /** @enum {string} */
                    style: "openai" | "anthropic" | "gemini";
                }[];
                /** @description Features that were added after the first version. */
                features: string[];
            };
        };
        NewApp: {
            /** @description Name shown in lists, logs and events. */
            name: string;
        };
        NewErasure: {
            /** @description Metadata values of the calls, by dotted path, such as `"user.id": "42"`. */
            metadata?: {
                [key: string]: string;
            };
            /** @description Id of a session, as the client sent it. */
            session?: string;
            /** @description A token by which redaction with `tokens: stable` replaced a value of the person. */
            token?: string;
            /** @description A value of the person, with its finding code, such as `EMAIL`; its token is searched for. */
            value?: {
                type: string;
                text: string;
            };
            /**
             * Format: uuid
             * @description Only events of this app.
             */
            app?: string;
            /**
             * @description Only events of this environment.
             * @enum {string}
             */
            environment?: "development" | "staging" | "production";
            /** @description Reason, stored in the certificate and in the admin audit log; it must not contain personal data. */
            because?: string;
            /** @description Only count, without changing anything. */
            dry_run?: boolean;
        };
        NewExport: {
            /** @enum {string} */
            format: "jsonl" | "csv" | "parquet";
            /** @description Filters, with the names and values of the query string of `GET /v1/events`; events must match all filters. At most 40, with at most 16 KiB together. */
            filters?: {
                [key: string]: string;
            };
            /** @description Columns of CSV and Parquet, in this order; all of them when absent. */
            columns?: ("id" | "received_at" | "type" | "event_id" | "app_id" | "app_name" | "key_id" | "environment" | "declared_environment" | "source" | "request_id" | "parent_id" | "session_id" | "provider" | "model" | "decision" | "reason" | "rules" | "prompt_tokens" | "completion_tokens" | "cost_nano_usd" | "latency_total_ms" | "latency_provider_ms" | "latency_weir_ms" | "policy_id" | "policy_version" | "upstream_status" | "trace_id" | "metadata" | "violations" | "redactions" | "payload")[];
            /** @description Begin CSV with a byte order mark, so that Excel reads it as UTF-8. */
            bom?: boolean;
            /** @description Destination of the file; `download` when absent. */
            destination?: {
                /** @enum {string} */
                kind: "download";
            } | {
                /** @enum {string} */
                kind: "s3";
                /** @description Name of the bucket. */
                bucket: string;
                /** @description Prefix of the object name, such as `weir/`. */
                prefix?: string;
                region: string;
                /** @description URL of an S3-compatible service. Default: Amazon S3 in the region. */
                endpoint?: string;
                /** @description Credentials for the bucket. They are stored encrypted until the export is done, cancelled or removed, or can no longer be resumed after a failure, or until the schedule is deleted, and never shown again. */
                credentials: {
                    access_key_id: string;
                    secret_access_key: string;
                    session_token?: string;
                };
            };
        };
        NewExportSchedule: {
            name: string;
            /** @description Time when the schedule is due. */
            due: {
                /** @enum {string} */
                every: "day";
                /** @description Hour of the day, UTC. */
                hour: number;
            } | {
                /** @enum {string} */
                every: "week";
                /** @enum {string} */
                weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
                /** @description Hour of the day, UTC. */
                hour: number;
            } | {
                /** @enum {string} */
                every: "month";
                day: number;
                /** @description Hour of the day, UTC. */
                hour: number;
            };
            /** @enum {string} */
            format: "jsonl" | "csv" | "parquet";
            /** @description Filters, with the names and values of the query string of `GET /v1/events`. `from` and `to` are not allowed, because each file begins where the previous one ends. */
            filters?: {
                [key: string]: string;
            };
            /** @description Columns of CSV and Parquet, in this order; all of them when absent. */
            columns?: ("id" | "received_at" | "type" | "event_id" | "app_id" | "app_name" | "key_id" | "environment" | "declared_environment" | "source" | "request_id" | "parent_id" | "session_id" | "provider" | "model" | "decision" | "reason" | "rules" | "prompt_tokens" | "completion_tokens" | "cost_nano_usd" | "latency_total_ms" | "latency_provider_ms" | "latency_weir_ms" | "policy_id" | "policy_version" | "upstream_status" | "trace_id" | "metadata" | "violations" | "redactions" | "payload")[];
            /** @description Begin CSV with a byte order mark, so that Excel reads it as UTF-8. */
            bom?: boolean;
            /** @description Destination of the files; `download` when absent. */
            destination?: {
                /** @enum {string} */
                kind: "download";
            } | {
                /** @enum {string} */
                kind: "s3";
                /** @description Name of the bucket. */
                bucket: string;
                /** @description Prefix of the object name, such as `weir/`. */
                prefix?: string;
                region: string;
                /** @description URL of an S3-compatible service. Default: Amazon S3 in the region. */
                endpoint?: string;
                /** @description Credentials for the bucket. They are stored encrypted until the export is done, cancelled or removed, or can no longer be resumed after a failure, or until the schedule is deleted, and never shown again. */
                credentials: {
                    access_key_id: string;
                    secret_access_key: string;
                    session_token?: string;
                };
            };
        };
        NewKey: {
            /** @description Name shown in lists, logs and events. */
            name: string;
            /**
             * @description Environment of the key, which is the effective environment of every call with the key.
             * @enum {string}
             */
            environment: "development" | "staging" | "production";
            /**
             * Format: date-time
             * @description Time when the key stops working. Default: it works until it is deleted.
             */
            expires_at?: string | null;
        };
        NewMark: {
            /**
             * @description `right`: the rule fired correctly. `wrong`: it fired, but should not have. `missed`: it did not fire, but should have.
             * @enum {string}
             */
            mark: "right" | "wrong" | "missed";
            /** @description Reason for the mark. Personal data and credentials in it are masked before it is stored. */
            note?: string | null;
        };
        NewToken: {
            /** @description Name shown in lists, logs and events. */
            name: string;
            scopes: ("policy:read" | "policy:deploy" | "policy:rollback" | "policy:emergency" | "keys:admin" | "events:read" | "events:mark" | "events:erase" | "budgets:admin" | "account:admin")[];
            /**
             * @description The only environment that the token may access. Default: all.
             * @enum {string|null}
             */
            environment?: "development" | "staging" | "production" | null;
            /**
             * Format: date-time
             * @description Time when the token expires. Default: in 90 days, or when the creating token expires if that is earlier; with `null`, it never expires. A token that expires can only create tokens that expire by then.
             */
            expires_at?: string | null;
        };
        NewView: {
            /** @enum {string} */
            page: "events";
            name: string;
            /** @description Filters as in the page's URL, with the parameter names of the API, such as `decision=block&app=shop`. */
            query: string;
            /** @description Whether the view is shared with everybody in the account. */
            shared?: boolean;
        };
        PolicyDiff: {
            from: {
                /** @description Digest of the policy: SHA-256, in hex. */
                digest: string;
                deployment: number | null;
                environment: string;
            };
            to: {
                /** @description Digest of the policy: SHA-256, in hex. */
                digest: string;
                deployment: number | null;
                environment: string;
            };
            rules: {
                id: string;
                /** @enum {string} */
                change: "added" | "removed" | "changed";
                /**
                 * @description Effect of the change, found by evaluating requests with both policies. `stricter` or `weaker`: the new policy refuses, masks or flags more or less; `same`: neither; `unknown`: there are too many combinations to try all.
                 * @enum {string}
                 */
                effect: "stricter" | "weaker" | "same" | "unknown";
                fields: {
                    path: string;
                    before: unknown;
                    after: unknown;
                }[];
                /** @description Requests on which the two policies decide differently because of this rule. */
                witness: {
                    facts: {
                        [key: string]: unknown;
                    };
                    /** @description Description of the request in words. */
                    when: string;
                    before: string;
                    after: string;
                }[];
            }[];
            /** @description Lists, exceptions, budgets, detectors and settings. */
            others: {
                /** @enum {string} */
                change: "added" | "removed" | "changed";
                /** @enum {string} */
                what: "rule" | "exception" | "budget" | "price" | "list" | "detector" | "setting";
                id: string;
                details: string[];
                weaker: boolean;
                /**
                 * @description Effect of the changed values. `weaker`: more passes than before; `stricter`: less passes; `neutral`: neither; `incomparable`: not decidable.
                 * @enum {string}
                 */
                effect: "weaker" | "stricter" | "neutral" | "incomparable";
                /**
                 * @description Evidence of the effect: requests that both policies judged, texts that both policies scanned, or the values alone.
                 * @enum {string}
                 */
                evidence: "requests" | "texts" | "values";
                /** @description Reasons of the effect; for budgets, also example calls that show it. */
                why: string[];
            }[];
            /** @description False if some rules have too many combinations, so that only a part of them was tried. */
            complete: boolean;
        };
        RotatedKey: {
            key: components["schemas"]["Key"];
            /** @description The complete credential. It is shown only once and not stored. */
            secret: string;
            old: components["schemas"]["Key"];
        };
        Rotation: {
            /** @description Time for which the old key stays valid. Default: until the old key is deleted. */
            delete_old_after_seconds?: number | null;
        };
        Rule: {
            id: string;
            title: string;
            /** @description Description of the rule in sentences, one per line; lines of conditions are indented. */
            prose: string;
            /** @enum {string} */
            stage: "pre" | "post" | "tool";
            /** @enum {string} */
            severity: "low" | "medium" | "high" | "critical";
            /** @enum {string} */
            action: "allow" | "flag" | "redact" | "block";
            /** @enum {string} */
            mode: "enforce" | "monitor";
            owner: string | null;
            /** @description Date by which the rule is to be reviewed. */
            review_by: string | null;
            /** @description Former ids of the rule. */
            formerly: string[];
            tags: string[];
            path: string;
            /** @description Line number, from 1. */
            line: number;
            /** @description Line number, from 1. */
            end_line: number;
            /** @description Number of tests in which the rule fires; null if the service does not have the tests. */
            tests: number | null;
        };
        RuleStats: {
            /** @enum {string} */
            environment: "development" | "staging" | "production";
            /** @description Digest of the active policy. */
            digest: string;
            from: string;
            to: string;
            /** @description Every rule of the active policy; the rule with the most hits comes first. */
            data: {
                rule: string;
                /** @description Former ids of the rule; the figures include their hits and marks. */
                formerly: string[];
                title: string;
                /** @enum {string} */
                stage: "pre" | "post" | "tool";
                /** @enum {string} */
                action: "allow" | "flag" | "redact" | "block";
                /** @enum {string} */
                mode: "enforce" | "monitor";
                /** @description Number of times that the rule fired, enforced or not. */
                hits: number;
                /** @description Number of hits at which the action of the rule was enforced. */
                enforced: number;
                /** @description Number of hits that were not enforced, but would have blocked or redacted. */
                monitored: number;
                /** @description Number of matches to which an exception applied. They also count as hits if the exception has `effect: monitor`. */
                excepted: number;
                /** @description Time of the first hit in the range (RFC 3339, UTC). */
                first_hit: string | null;
                last_hit: string | null;
                /** @description Number of marks on calls in the range; see `PUT /v1/events/{id}/marks/{rule}`. */
                marks: {
                    right: number;
                    wrong: number;
                    missed: number;
                };
                /** @description Number of hits in each of 30 equal parts of the range, oldest part first. */
                spark: number[];
            }[];
            /** @description Rules that fired in the range but are not in the active policy. */
            others: {
                rule: string;
                /** @description Number of times that the rule fired, enforced or not. */
                hits: number;
                /** @description Number of hits at which the action of the rule was enforced. */
                enforced: number;
                /** @description Number of hits that were not enforced, but would have blocked or redacted. */
                monitored: number;
                /** @description Number of matches to which an exception applied. They also count as hits if the exception has `effect: monitor`. */
                excepted: number;
                /** @description Time of the first hit in the range (RFC 3339, UTC). */
                first_hit: string | null;
                last_hit: string | null;
                /** @description Number of marks on calls in the range; see `PUT /v1/events/{id}/marks/{rule}`. */
                marks: {
                    right: number;
                    wrong: number;
                    missed: number;
                };
                /** @description Number of hits in each of 30 equal parts of the range, oldest part first. */
                spark: number[];
            }[];
        };
        Rules: {
            /** @description Digest of the policy: SHA-256, in hex. */
            digest: string;
            /** @description Number of the deployment; null for the policies folder. */
            deployment: number | null;
            rules: components["schemas"]["Rule"][];
            lists: {
                name: string;
                entries: (string | number)[];
            }[];
            budgets: {
                id: string;
                scope: string[];
                per: string;
                timezone: string;
                /** @enum {string} */
                unit: "usd" | "tokens";
                /** @description Limit in nano-dollars or tokens. */
                limit: string;
                /** @enum {string} */
                on_exceed: "record" | "block";
            }[];
            detectors: {
                key: string;
                plugin: string;
                version: string;
                codes: string[];
            }[];
        };
        Session: {
            person: {
                /** Format: uuid */
                id: string;
                email: string;
                email_verified: boolean;
            };
            account: {
                /** Format: uuid */
                id: string;
            };
            session: {
                /** Format: uuid */
                id: string;
                /** @description Time when the password was last entered. Keys and tokens can be created within ten minutes after that time. */
                authenticated_at: string;
                /** @description Time when the session ends, regardless of its use. */
                expires_at: string;
            };
        };
        Sessions: {
            data: {
                /** Format: uuid */
                id: string;
                current: boolean;
                /** @description RFC 3339, UTC. */
                created_at: string;
                /** @description Time of the last request, to the minute. */
                last_seen_at: string;
                /** @description RFC 3339, UTC. */
                expires_at: string;
                from: {
                    address: string | null;
                    user_agent: string | null;
                };
            }[];
        };
        Snooze: {
            /**
             * Format: date-time
             * @description Time until which the entry is hidden from the caller; at most 90 days ahead.
             */
            until: string;
        };
        Stats: {
            /**
             * Format: date-time
             * @description Start of the first bucket.
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the last bucket.
             */
            to: string;
            step_seconds: number;
            /**
             * Format: date-time
             * @description Time after which the figures may still be incomplete.
             */
            complete_until: string;
            /** @description Start of each bucket. */
            buckets: string[];
            groups: components["schemas"]["StatsGroup"][];
            totals: components["schemas"]["StatsTotals"];
            /** @description Totals of all groups in the previous period of equal length. If the range ends later than now, the totals of its previous period end at the same elapsed time: at 13:55, those of yesterday end at 13:55. */
            previous: components["schemas"]["StatsTotals"];
            deployments: {
                /** @enum {string} */
                environment: "development" | "staging" | "production";
                number: number;
                /** Format: date-time */
                at: string;
                /** @description Author of the deployment; null if the service itself made it, and without the scope `policy:read`. */
                by: {
                    /** @enum {string} */
                    kind: "person" | "token";
                    name: string | null;
                } | null;
                /** @description Reason for the deployment; null without the scope `policy:read`. */
                because: string | null;
            }[];
        };
        StatsGroup: {
            /** @description The outcome, environment, model or rule of the group, or the id of its app or key; `other` for all other groups together. */
            key: string;
            label: string;
            /** @description Number of calls per bucket; for a rule, number of its hits. */
            calls?: number[];
            /** @description Number of calls per bucket that a rule refused; absent when grouped by outcome or rule. */
            blocked?: number[];
            /** @description Cost per bucket; absent when grouped by outcome or rule. */
            cost_nano_usd?: string[];
            /** @description Present together with the cost. Number per bucket of calls whose tokens are known, but not their price: the cost does not include them. A call with several answers counts once for each of them. */
            without_price?: number[];
            /** @description Tokens per bucket; absent when grouped by outcome or rule. */
            tokens?: number[];
            /** @description Percentiles of Weir's own processing time; only when grouped by environment or app. */
            weir_ms?: {
                p50: (number | null)[];
                p95: (number | null)[];
                p99: (number | null)[];
            };
            /** @description Totals of the group in the previous period. Absent when grouped by outcome: the field `previous` of the answer contains these totals. */
            previous?: {
                calls: number;
                /** @description Cost in integer nano-dollars, as text; absent when grouped by rule. */
                cost_nano_usd?: string;
            };
        };
        StatsTotals: {
            calls: number;
            allowed: number;
            flagged: number;
            /** @description Calls that a rule in monitor mode would have blocked. */
            would_block: number;
            redacted: number;
            blocked: number;
            /** @description Calls refused because a guardrail could not be evaluated. */
            unavailable: number;
            /** @description Calls that failed at the provider. */
            errors: number;
            /** @description Cost in integer nano-dollars, as text. */
            cost_nano_usd: string;
            /** @description Number of calls whose tokens are known, but not their price: the cost does not include them. A call with several answers counts once for each of them. */
            without_price: number;
            prompt_tokens: number;
            completion_tokens: number;
            weir_ms: {
                p50: number | null;
                p95: number | null;
                p99: number | null;
            };
        };
        Subscription: {
            /**
             * @description Current subscription state of the account.
             * @enum {string}
             */
            state: "trialing" | "active" | "inactive" | "lapsed";
            /**
             * @description `off`: no subscription is needed.
             * @enum {string}
             */
            billing: "on" | "off";
            /** @description The trial; null if the account is not in a trial. */
            trial: {
                /** Format: date-time */
                started_at: string;
                /** Format: date-time */
                ends_at: string;
                events_used: number;
                events_included: number;
                /** @description True if the days or the events of the trial are used up; calls are then answered with 429 `trial_limit_reached`. */
                over: boolean;
            } | null;
            /**
             * Format: date-time
             * @description End of the paid period, if known.
             */
            period_ends_at: string | null;
            /** Format: date-time */
            changed_at: string;
        };
        Token: {
            /** @description Public id of the token, shown in logs. */
            id: string;
            name: string;
            scopes: string[];
            /** @enum {string|null} */
            environment: "development" | "staging" | "production" | null;
            /** @description RFC 3339, UTC. */
            created_at: string;
            /** @description RFC 3339, UTC. */
            expires_at: string | null;
            /** @description RFC 3339, UTC. */
            last_used_at: string | null;
        };
        Tokens: {
            data: components["schemas"]["Token"][];
        };
        /** @description The file is written to a bucket of an S3-compatible service. */
        TriedBucket: {
            /** @enum {string} */
            kind: "s3";
            /** @description Name of the bucket. */
            bucket: string;
            /** @description Prefix of the object name, such as `weir/`. */
            prefix?: string;
            region: string;
            /** @description URL of an S3-compatible service. Default: Amazon S3 in the region. */
            endpoint?: string;
            /** @description Credentials for the bucket. They are stored encrypted until the export is done, cancelled or removed, or can no longer be resumed after a failure, or until the schedule is deleted, and never shown again. */
            credentials: {
                access_key_id: string;
                secret_access_key: string;
                session_token?: string;
            };
        };
        View: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            page: "events";
            name: string;
            query: string;
            /** @description Whether the view is shared with everybody in the account. */
            shared: boolean;
            /** @description Person or token that saved the view. */
            by: {
                /** @enum {string} */
                kind: "person" | "token";
                id: string;
                name: string | null;
            };
            /** @description RFC 3339, UTC. */
            created_at: string;
        };
        ViewChange: {
            name?: string;
            /** @description Filters as in the page's URL, with the parameter names of the API, such as `decision=block&app=shop`. */
            query?: string;
            /** @description Whether the view is shared with everybody in the account. */
            shared?: boolean;
        };
        Views: {
            data: components["schemas"]["View"][];
        };
        Violation: {
            rule: string;
            policy: string;
            category: string;
            /** @enum {string} */
            severity: "low" | "medium" | "high" | "critical";
            /** @enum {string} */
            action: "flag" | "redact" | "block";
            enforced: boolean;
            message: string;
            /**
             * @description True if the rule's canned answer (`then.answer`) was returned: by the proxy instead of the error, by the REST API together with the error.
             * @enum {boolean}
             */
            answered?: true;
            detector?: string;
            locations?: string[];
            count?: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Prometheus exposition format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listApps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The apps. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Apps"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createApp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewApp"];
            };
        };
        responses: {
            /** @description The app; it has no keys yet. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["App"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to one environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The name is wrong or taken, or the account has 500 apps that are not archived. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the app. */
                app: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The app. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppDetail"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such app, or it was archived. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    archiveApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the app. */
                app: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The app is archived. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to one environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such app, or it was archived. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the app. */
                app: unknown;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppChange"];
            };
        };
        responses: {
            /** @description The app after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppDetail"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to one environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such app, or it was archived. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAdminActions: {
        parameters: {
            query?: {
                /** @description Only entries with these actions, separated by commas. */
                action?: ("account.created" | "account.closed" | "app.created" | "app.limits_changed" | "app.renamed" | "app.archived" | "attention.snoozed" | "budget.adjusted" | "email.verified" | "email.changed" | "email.change_requested" | "erasure.completed" | "erasure.requested" | "erasure.tried" | "event.marked" | "event.unmarked" | "export.bucket_tried" | "export.created" | "export.cancelled" | "export.downloaded" | "export.paused" | "export.resumed" | "export.removed" | "export.schedule_changed" | "export.schedule_created" | "export.schedule_deleted" | "key.created" | "key.deleted" | "key.rotated" | "password.changed" | "password.reset" | "policy.changed_in_emergency" | "policy.deployed" | "policy.rolled_back" | "session.ended" | "session.reauthenticated" | "session.started" | "subscription.changed" | "subscription.checkout_opened" | "subscription.portal_opened" | "token.created" | "token.deleted" | "view.changed" | "view.created" | "view.deleted")[];
                /** @description Only entries with these subjects, separated by commas. */
                subject?: string[];
                /** @description Only changes by these actors, separated by commas: ids of people, public ids of tokens, or person, token, operator, system. */
                actor?: string[];
                /** @description Only entries at this time or later (RFC 3339). */
                from?: string;
                /** @description Only entries before this time (RFC 3339). */
                to?: string;
                /** @description Entries per page; 50 when absent. */
                limit?: number;
                /** @description `next_cursor` of the previous page. With `format`, instead the `id` of an entry: only older entries are returned. */
                cursor?: string;
                /** @description Return all matching entries as one stream instead of a page: CSV, or one JSON entry per line. Cannot be combined with `limit`. */
                format?: "csv" | "jsonl";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries; with `format`, one entry per line. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                    "application/x-ndjson": components["schemas"]["AuditPage"];
                    "text/csv": components["schemas"]["AuditPage"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `account:admin`, or is bound to one environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAllKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys, including expired keys that are not deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Keys"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `keys:admin`, or is for another environment; or the member must enter the password again. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the app. */
                app: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys, including expired keys that are not deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Keys"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `keys:admin`, or is for another environment; or the member must enter the password again. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such app, or it was archived. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the app. */
                app: unknown;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** @description The key with its secret, which is shown only once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedKey"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `keys:admin`, or is for another environment; or the member must enter the password again. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such app. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong (`details` names it), or the account has 2000 keys; while keys are replaced, it may have twice as many. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Public id of the old key. */
                id: unknown;
                /** @description Id of the app. */
                app: unknown;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Rotation"];
            };
        };
        responses: {
            /** @description The new key with its secret, and the time when the old key expires. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedKey"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `keys:admin`, or is for another environment; or the member must enter the password again. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such key. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong (`details` names it), or the account has 2000 keys; while keys are replaced, it may have twice as many. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Public id of the key. */
                id: unknown;
                /** @description Id of the app. */
                app: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `keys:admin`, or is for another environment; or the member must enter the password again. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such key, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tokens, including expired tokens that are not deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tokens"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `account:admin` or a scope of the new token, or expires before the new token; or the member must enter the password again. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewToken"];
            };
        };
        responses: {
            /** @description The token with its secret, which is shown only once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedToken"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `account:admin` or a scope of the new token, or expires before the new token; or the member must enter the password again. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong (`details` names it), or the account has 500 tokens. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Public id of the token. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `account:admin` or a scope of the new token, or expires before the new token; or the member must enter the password again. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such token, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    signUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address. Mails are sent to the address in this spelling. */
                    email: string;
                    /** @description 12 to 128 characters; common passwords are refused. */
                    password: string;
                };
            };
        };
        responses: {
            /** @description The answer is the same whether or not the address has an account. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "accepted";
                        message: string;
                    };
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is not valid, or the password is too short or too common. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The confirmation page. It contains one button and no script. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    verify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Token from the link in the mail. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The address is confirmed. This does not start a session. All earlier sessions end. If several sign-ups used the address, no password may be valid until a new one is chosen by a reset. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description `already_verified`: the address was confirmed before. `already_verified_without_password`: the address was confirmed before, but no password is valid until a new one is chosen by a reset.
                         * @enum {string}
                         */
                        status: "verified" | "already_verified" | "already_verified_without_password";
                    };
                };
            };
            /** @description The address is confirmed; the form of the page is redirected to the sign-in page, or to the page for choosing a password. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request does not come from a page of this service. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The link is unknown or has expired. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    resendVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address. Mails are sent to the address in this spelling. */
                    email: string;
                };
            };
        };
        responses: {
            /** @description The answer is the same for every address. At most one mail a minute is sent, and five a day for each network of callers. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "accepted";
                        message: string;
                    };
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address. Mails are sent to the address in this spelling. */
                    email: string;
                    password: string;
                    /** @description For the sign-in form only: path on this service to open after the sign-in. For any other value, the service's start page or the account page opens. */
                    next?: string;
                };
            };
        };
        responses: {
            /** @description Signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The address or the password is wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller is signed out, even if there was no session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "done";
                    };
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session that the cookie belongs to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description There is no session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The active sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sessions"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such session, or it has ended. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reauthenticate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password: string;
                };
            };
        };
        responses: {
            /** @description The session continues; the answer sets its new cookie. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The password is wrong. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    current_password: string;
                    /** @description 12 to 128 characters; common passwords are refused. */
                    new_password: string;
                };
            };
        };
        responses: {
            /** @description The password is changed; the answer sets the cookie of a new session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The current password is wrong. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address. Mails are sent to the address in this spelling. */
                    new_email: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description The answer is the same for every address. The old address stays valid until the new one is confirmed. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "accepted";
                        message: string;
                    };
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The password is wrong. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    confirmEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Token from the link in the mail. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The address was changed; a mail to the old address reports the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "done";
                    };
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The link is invalid or has expired, or the address is taken. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    askReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address. Mails are sent to the address in this spelling. */
                    email: string;
                };
            };
        };
        responses: {
            /** @description The answer is the same for every address. At most one mail a minute is sent, and five a day for each network of callers. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "accepted";
                        message: string;
                    };
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Token from the link in the mail. */
                    token: string;
                    /** @description 12 to 128 characters; common passwords are refused. */
                    password: string;
                };
            };
        };
        responses: {
            /** @description The password is changed. This does not start a session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "done";
                    };
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The link is invalid or has expired, or the password is too short or too common. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    closeAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password: string;
                };
            };
        };
        responses: {
            /** @description The account is closed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "done";
                    };
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The password is wrong. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                environment: "development" | "staging" | "production";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The active policy and its replicas. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivePolicy"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPolicyBundle: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                environment: "development" | "staging" | "production";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bundle. If nothing is deployed, it contains the policies folder without tests. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bundle"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDeployments: {
        parameters: {
            query?: {
                /** @description Deployments per page; 50 when absent. */
                limit?: number;
                /** @description Only deployments with a lower number than this. */
                before?: number;
            };
            header?: never;
            path: {
                environment: "development" | "staging" | "production";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the history. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deployments"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deployPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                environment: "development" | "staging" | "production";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    bundle: components["schemas"]["Bundle"];
                    /** @description The deployment on which the change is based. If another deployment is active, the answer is 409 `stale_plan`. */
                    base: {
                        /** @description Number of the deployment that was active when the change was made; 0 for the policies folder. */
                        number: number;
                        /** @description Digest of the policy that was active when the change was made. */
                        digest: string;
                    };
                    /** @enum {string} */
                    action?: "deploy" | "promote";
                    /** @description Reason for the deployment. Required for a signed bundle that is older than an earlier deployed one. */
                    because?: string;
                    /** @description Accept a bundle without tests for its environment. */
                    untested?: boolean;
                };
            };
        };
        responses: {
            /** @description The new deployment. Replicas that have not reported yet are `pending`. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentAnswer"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `stale_plan`: there is a newer deployment than the base. Nothing has changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The bundle is refused; `details` contains the reasons. Nothing has changed. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Number of the deployment, counted from 1 in each environment. */
                number: number;
                environment: "development" | "staging" | "production";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentAnswer"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such deployment. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDeploymentBundle: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Number of the deployment, counted from 1 in each environment. */
                number: number;
                environment: "development" | "staging" | "production";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployed bundle. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bundle"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such deployment. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rollbackPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                environment: "development" | "staging" | "production";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Number of an earlier deployment; 0 for the policies folder. */
                    to: number;
                    /** @description The deployment on which the change is based. If another deployment is active, the answer is 409 `stale_plan`. */
                    base: {
                        /** @description Number of the deployment that was active when the change was made; 0 for the policies folder. */
                        number: number;
                        /** @description Digest of the policy that was active when the change was made. */
                        digest: string;
                    };
                    /** @description Reason for the change; kept in the history. */
                    because: string;
                };
            };
        };
        responses: {
            /** @description The new deployment. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentAnswer"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `stale_plan`: there is a newer deployment than the base. Nothing has changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The deployment cannot be reactivated; `details` contains the reasons. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changePolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                environment: "development" | "staging" | "production";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The deployment on which the change is based. If another deployment is active, the answer is 409 `stale_plan`. */
                    base: {
                        /** @description Number of the deployment that was active when the change was made; 0 for the policies folder. */
                        number: number;
                        /** @description Digest of the policy that was active when the change was made. */
                        digest: string;
                    };
                    changes: {
                        /** @description Path relative to the policies folder. */
                        path: string;
                        /** @description The whole new text; null removes the file. */
                        text: string | null;
                    }[];
                    /** @description Reason for the change; kept in the history. */
                    because: string;
                    /** @description Deploy even if the change breaks bundled tests; the deployment lists the broken tests. */
                    waive_failing_tests?: boolean;
                };
            };
        };
        responses: {
            /** @description The new deployment. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentAnswer"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `stale_plan`: there is a newer deployment than the base. Nothing has changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The change is refused; `details` contains the reasons. Nothing has changed. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Event types. */
                type?: ("ai.request" | "ai.response" | "ai.error" | "agent.tool_call" | "policy.violation" | "budget.exceeded")[];
                /** @description Effective environments. */
                environment?: ("development" | "staging" | "production")[];
                /** @description Ids or names of apps. */
                app?: string[];
                /** @description Session id. */
                session?: string;
                /** @description Model names. */
                model?: string[];
                /** @description Providers, such as `openai`. */
                provider?: string[];
                /** @description Public ids of keys. */
                key?: string[];
                /** @description `allow`, `redact` or `block`. */
                decision?: ("allow" | "redact" | "block")[];
                /** @description Outcomes, each in one word; with `view=calls`, the final outcome of the call. */
                outcome?: ("allowed" | "flagged" | "would_block" | "redacted" | "error" | "unavailable" | "blocked")[];
                /** @description Ids of rules that fired. */
                rule?: string[];
                /** @description Ids of policy exceptions that applied. */
                exception?: string[];
                /** @description Values that exclude an event. Event types. */
                "not.type"?: ("ai.request" | "ai.response" | "ai.error" | "agent.tool_call" | "policy.violation" | "budget.exceeded")[];
                /** @description Values that exclude an event. Effective environments. */
                "not.environment"?: ("development" | "staging" | "production")[];
                /** @description Values that exclude an event. Ids or names of apps. */
                "not.app"?: string[];
                /** @description Values that exclude an event. Session id. */
                "not.session"?: string;
                /** @description Values that exclude an event. Model names. */
                "not.model"?: string[];
                /** @description Values that exclude an event. Providers, such as `openai`. */
                "not.provider"?: string[];
                /** @description Values that exclude an event. Public ids of keys. */
                "not.key"?: string[];
                /** @description Values that exclude an event. `allow`, `redact` or `block`. */
                "not.decision"?: ("allow" | "redact" | "block")[];
                /** @description Values that exclude an event. Outcomes, each in one word; with `view=calls`, the final outcome of the call. */
                "not.outcome"?: ("allowed" | "flagged" | "would_block" | "redacted" | "error" | "unavailable" | "blocked")[];
                /** @description Values that exclude an event. Ids of rules that fired. */
                "not.rule"?: string[];
                /** @description Values that exclude an event. Ids of policy exceptions that applied. */
                "not.exception"?: string[];
                /** @description Request id shared by request, response and error of one call. */
                request_id?: string;
                /** @description Ids (`id`) of events. If a call begins with one of these events, its later events match as well. */
                call?: string[];
                /** @description Mark of the event; `none` selects events without a mark. If the query contains `rule`, only marks of those rules count. A rule that is marked as `missed` did not fire, so with `missed` and without `none`, `rule` selects only marks. */
                mark?: ("right" | "wrong" | "missed" | "none")[];
                /** @description Minimum cost in dollars. */
                min_cost_usd?: number;
                /** @description Minimum processing time of Weir, in milliseconds. */
                min_weir_ms?: number;
                /** @description Received at or after this RFC 3339 time. */
                from?: string;
                /** @description Received before this RFC 3339 time. */
                to?: string;
                /** @description Text that the stored payload or metadata contains; upper and lower case are the same. */
                q?: string;
                /** @description Events per page, 1 to 200; 50 when absent. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
                /** @description `desc` (default): newest first. `asc`: oldest first. */
                order?: "desc" | "asc";
                /** @description `calls`: one row per call, with the total cost, the total tokens and the strongest outcome of its request and answers. */
                view?: "events" | "calls";
                /** @description `true`: include events that were moved to the archive. This is slower. */
                archive?: "true" | "false";
                /** @description `summary`: omit payload, facts and detectors; this is faster. */
                fields?: "all" | "summary";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is unknown or unreadable; `details` names it. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    submitEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AiRequestEventDto"] | components["schemas"]["AiResponseEventDto"] | components["schemas"]["AiErrorEventDto"] | components["schemas"]["ToolCallEventDto"];
            };
        };
        responses: {
            /** @description The event is recorded. For `ai.request`, the answer contains the decision and the redacted payload. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Id that the client gave the event, or the id from the service if the client sent none. */
                        event_id: string;
                        /** @enum {string} */
                        decision: "allow" | "redact";
                        violations: components["schemas"]["Violation"][];
                        redactions: {
                            type: string;
                            count: number;
                        }[];
                        /** @description The masked payload to send to the provider; only with the decision `redact`. */
                        payload?: {
                            [key: string]: unknown;
                        };
                    } | {
                        /** @description Id that the client gave the event, or the id from the service if the client sent none. */
                        event_id: string;
                        /** @enum {string} */
                        status: "recorded";
                        violations: components["schemas"]["Violation"][];
                    } | {
                        /** @description Id that the client gave the event, or the id from the service if the client sent none. */
                        event_id: string;
                    };
                };
            };
            /** @description Refused by a rule, or by a budget that blocks. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            /** @enum {string} */
                            type: "content_policy_violation" | "tool_use_blocked" | "budget_exceeded";
                            message: string;
                            trace_id: string;
                            /** @enum {string} */
                            decision: "block";
                            /** @description The rules that fired; a refusal by a budget lists those that did not refuse. */
                            violations: components["schemas"]["Violation"][];
                            /** @description Id that the client gave the event, or the id from the service if the client sent none. */
                            event_id: string;
                            docs: string;
                        };
                    };
                };
            };
            /** @description No valid service key. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The subscription of the account has ended. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The same event is being processed: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is over the limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The event is malformed or of a reserved type, or its `event_id` was used with another body. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Over the rate limit of the app, or the rest of a budget is reserved by calls in flight: try again after `Retry-After` seconds. With `trial_limit_reached`, the trial is used up: there is no `Retry-After`, and a retry cannot help. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A guardrail or the log is unavailable, or the service is overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    submitEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown[];
            };
        };
        responses: {
            /** @description The results, one per event. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchAnswers"];
                };
            };
            /** @description No valid service key. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is over the limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is neither a JSON array nor JSON Lines, or contains too many events. No event was processed. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Over the rate limit of the app: try again after `Retry-After` seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is overloaded, or keys cannot be looked up: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listMarks: {
        parameters: {
            query?: {
                /** @description Only this environment. */
                environment?: "development" | "staging" | "production";
                /** @description Ids of rules. */
                rule?: string[];
                /** @description Only marks of these kinds. */
                mark?: ("right" | "wrong" | "missed")[];
                /** @description Id of an app. */
                app?: string;
                /** @description Id of any event of a call: only marks of this call. */
                event?: string;
                /** @description Marked at this time or later (RFC 3339). */
                from?: string;
                /** @description Marked before this time (RFC 3339). */
                to?: string;
                /** @description Marks per page; 50 when absent. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of marks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarkPage"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    markEvent: {
        parameters: {
            query?: {
                /** @description Id or name of an app; needed when several apps or environments have used the same `event_id`. */
                app?: string;
                /** @description Effective environment; needed when several apps or environments have used the same `event_id`. */
                environment?: "development" | "staging" | "production";
            };
            header?: never;
            path: {
                /** @description The service's `id`, or the client's `event_id`, of any event of the call. */
                id: unknown;
                /** @description Id of the rule. */
                rule: unknown;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMark"];
            };
        };
        responses: {
            /** @description The mark. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mark"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:mark`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such event, or the token may not read it, or the event has no mark of the rule. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `right` or `wrong`, but the rule did not fire; or `missed`, but the rule fired or is not active. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    unmarkEvent: {
        parameters: {
            query?: {
                /** @description Id or name of an app; needed when several apps or environments have used the same `event_id`. */
                app?: string;
                /** @description Effective environment; needed when several apps or environments have used the same `event_id`. */
                environment?: "development" | "staging" | "production";
            };
            header?: never;
            path: {
                /** @description The service's `id`, or the client's `event_id`, of any event of the call. */
                id: unknown;
                /** @description Id of the rule. */
                rule: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The mark was removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:mark`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such event, or the token may not read it, or the event has no mark of the rule. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportEvents: {
        parameters: {
            query?: {
                /** @description Event types. */
                type?: ("ai.request" | "ai.response" | "ai.error" | "agent.tool_call" | "policy.violation" | "budget.exceeded")[];
                /** @description Effective environments. */
                environment?: ("development" | "staging" | "production")[];
                /** @description Ids or names of apps. */
                app?: string[];
                /** @description Session id. */
                session?: string;
                /** @description Model names. */
                model?: string[];
                /** @description Providers, such as `openai`. */
                provider?: string[];
                /** @description Public ids of keys. */
                key?: string[];
                /** @description `allow`, `redact` or `block`. */
                decision?: ("allow" | "redact" | "block")[];
                /** @description Outcomes, each in one word; with `view=calls`, the final outcome of the call. */
                outcome?: ("allowed" | "flagged" | "would_block" | "redacted" | "error" | "unavailable" | "blocked")[];
                /** @description Ids of rules that fired. */
                rule?: string[];
                /** @description Ids of policy exceptions that applied. */
                exception?: string[];
                /** @description Values that exclude an event. Event types. */
                "not.type"?: ("ai.request" | "ai.response" | "ai.error" | "agent.tool_call" | "policy.violation" | "budget.exceeded")[];
                /** @description Values that exclude an event. Effective environments. */
                "not.environment"?: ("development" | "staging" | "production")[];
                /** @description Values that exclude an event. Ids or names of apps. */
                "not.app"?: string[];
                /** @description Values that exclude an event. Session id. */
                "not.session"?: string;
                /** @description Values that exclude an event. Model names. */
                "not.model"?: string[];
                /** @description Values that exclude an event. Providers, such as `openai`. */
                "not.provider"?: string[];
                /** @description Values that exclude an event. Public ids of keys. */
                "not.key"?: string[];
                /** @description Values that exclude an event. `allow`, `redact` or `block`. */
                "not.decision"?: ("allow" | "redact" | "block")[];
                /** @description Values that exclude an event. Outcomes, each in one word; with `view=calls`, the final outcome of the call. */
                "not.outcome"?: ("allowed" | "flagged" | "would_block" | "redacted" | "error" | "unavailable" | "blocked")[];
                /** @description Values that exclude an event. Ids of rules that fired. */
                "not.rule"?: string[];
                /** @description Values that exclude an event. Ids of policy exceptions that applied. */
                "not.exception"?: string[];
                /** @description Request id shared by request, response and error of one call. */
                request_id?: string;
                /** @description Ids (`id`) of events. If a call begins with one of these events, its later events match as well. */
                call?: string[];
                /** @description Mark of the event; `none` selects events without a mark. If the query contains `rule`, only marks of those rules count. A rule that is marked as `missed` did not fire, so with `missed` and without `none`, `rule` selects only marks. */
                mark?: ("right" | "wrong" | "missed" | "none")[];
                /** @description Minimum cost in dollars. */
                min_cost_usd?: number;
                /** @description Minimum processing time of Weir, in milliseconds. */
                min_weir_ms?: number;
                /** @description Received at or after this RFC 3339 time. */
                from?: string;
                /** @description Received before this RFC 3339 time. */
                to?: string;
                /** @description Text that the stored payload or metadata contains; upper and lower case are the same. */
                q?: string;
                /** @description `true`: include events that were moved to the archive. This is slower. */
                archive?: "true" | "false";
                /** @description Columns of CSV and Parquet, in this order; all of them when absent. */
                columns?: ("id" | "received_at" | "type" | "event_id" | "app_id" | "app_name" | "key_id" | "environment" | "declared_environment" | "source" | "request_id" | "parent_id" | "session_id" | "provider" | "model" | "decision" | "reason" | "rules" | "prompt_tokens" | "completion_tokens" | "cost_nano_usd" | "latency_total_ms" | "latency_provider_ms" | "latency_weir_ms" | "policy_id" | "policy_version" | "upstream_status" | "trace_id" | "metadata" | "violations" | "redactions" | "payload")[];
                /** @description Begin CSV with a byte order mark, so that Excel reads it as UTF-8. */
                bom?: boolean;
                /** @description Only events older than the one with this `id`. */
                before?: string;
                /** @description Format; default `jsonl`. */
                format?: "jsonl" | "csv" | "parquet";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events, one per line or row. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                    "application/vnd.apache.parquet": string;
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is unknown or unreadable; `details` names it. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The account has 10 exports, or all accounts have 20 exports, running on this server; the message names the limit, and `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    tailEvents: {
        parameters: {
            query?: {
                /** @description Event types. */
                type?: ("ai.request" | "ai.response" | "ai.error" | "agent.tool_call" | "policy.violation" | "budget.exceeded")[];
                /** @description Effective environments. */
                environment?: ("development" | "staging" | "production")[];
                /** @description Ids or names of apps. */
                app?: string[];
                /** @description Session id. */
                session?: string;
                /** @description Model names. */
                model?: string[];
                /** @description Providers, such as `openai`. */
                provider?: string[];
                /** @description Public ids of keys. */
                key?: string[];
                /** @description `allow`, `redact` or `block`. */
                decision?: ("allow" | "redact" | "block")[];
                /** @description Outcomes, each in one word; with `view=calls`, the final outcome of the call. */
                outcome?: ("allowed" | "flagged" | "would_block" | "redacted" | "error" | "unavailable" | "blocked")[];
                /** @description Ids of rules that fired. */
                rule?: string[];
                /** @description Ids of policy exceptions that applied. */
                exception?: string[];
                /** @description Values that exclude an event. Event types. */
                "not.type"?: ("ai.request" | "ai.response" | "ai.error" | "agent.tool_call" | "policy.violation" | "budget.exceeded")[];
                /** @description Values that exclude an event. Effective environments. */
                "not.environment"?: ("development" | "staging" | "production")[];
                /** @description Values that exclude an event. Ids or names of apps. */
                "not.app"?: string[];
                /** @description Values that exclude an event. Session id. */
                "not.session"?: string;
                /** @description Values that exclude an event. Model names. */
                "not.model"?: string[];
                /** @description Values that exclude an event. Providers, such as `openai`. */
                "not.provider"?: string[];
                /** @description Values that exclude an event. Public ids of keys. */
                "not.key"?: string[];
                /** @description Values that exclude an event. `allow`, `redact` or `block`. */
                "not.decision"?: ("allow" | "redact" | "block")[];
                /** @description Values that exclude an event. Outcomes, each in one word; with `view=calls`, the final outcome of the call. */
                "not.outcome"?: ("allowed" | "flagged" | "would_block" | "redacted" | "error" | "unavailable" | "blocked")[];
                /** @description Values that exclude an event. Ids of rules that fired. */
                "not.rule"?: string[];
                /** @description Values that exclude an event. Ids of policy exceptions that applied. */
                "not.exception"?: string[];
                /** @description Request id shared by request, response and error of one call. */
                request_id?: string;
                /** @description Ids (`id`) of events. If a call begins with one of these events, its later events match as well. */
                call?: string[];
                /** @description Mark of the event; `none` selects events without a mark. If the query contains `rule`, only marks of those rules count. A rule that is marked as `missed` did not fire, so with `missed` and without `none`, `rule` selects only marks. */
                mark?: ("right" | "wrong" | "missed" | "none")[];
                /** @description Minimum cost in dollars. */
                min_cost_usd?: number;
                /** @description Minimum processing time of Weir, in milliseconds. */
                min_weir_ms?: number;
            };
            header?: {
                /** @description Id of the event after which the stream continues. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream ends when the client disconnects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is unknown or unreadable; `details` names it. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The account has 50 streams, or all accounts have 100 streams, connected to this server; the message names the limit, and `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    countEvents: {
        parameters: {
            query?: {
                /** @description Event types. */
                type?: ("ai.request" | "ai.response" | "ai.error" | "agent.tool_call" | "policy.violation" | "budget.exceeded")[];
                /** @description Effective environments. */
                environment?: ("development" | "staging" | "production")[];
                /** @description Ids or names of apps. */
                app?: string[];
                /** @description Session id. */
                session?: string;
                /** @description Model names. */
                model?: string[];
                /** @description Providers, such as `openai`. */
                provider?: string[];
                /** @description Public ids of keys. */
                key?: string[];
                /** @description `allow`, `redact` or `block`. */
                decision?: ("allow" | "redact" | "block")[];
                /** @description Outcomes, each in one word; with `view=calls`, the final outcome of the call. */
                outcome?: ("allowed" | "flagged" | "would_block" | "redacted" | "error" | "unavailable" | "blocked")[];
                /** @description Ids of rules that fired. */
                rule?: string[];
                /** @description Ids of policy exceptions that applied. */
                exception?: string[];
                /** @description Values that exclude an event. Event types. */
                "not.type"?: ("ai.request" | "ai.response" | "ai.error" | "agent.tool_call" | "policy.violation" | "budget.exceeded")[];
                /** @description Values that exclude an event. Effective environments. */
                "not.environment"?: ("development" | "staging" | "production")[];
                /** @description Values that exclude an event. Ids or names of apps. */
                "not.app"?: string[];
                /** @description Values that exclude an event. Session id. */
                "not.session"?: string;
                /** @description Values that exclude an event. Model names. */
                "not.model"?: string[];
                /** @description Values that exclude an event. Providers, such as `openai`. */
                "not.provider"?: string[];
                /** @description Values that exclude an event. Public ids of keys. */
                "not.key"?: string[];
                /** @description Values that exclude an event. `allow`, `redact` or `block`. */
                "not.decision"?: ("allow" | "redact" | "block")[];
                /** @description Values that exclude an event. Outcomes, each in one word; with `view=calls`, the final outcome of the call. */
                "not.outcome"?: ("allowed" | "flagged" | "would_block" | "redacted" | "error" | "unavailable" | "blocked")[];
                /** @description Values that exclude an event. Ids of rules that fired. */
                "not.rule"?: string[];
                /** @description Values that exclude an event. Ids of policy exceptions that applied. */
                "not.exception"?: string[];
                /** @description Request id shared by request, response and error of one call. */
                request_id?: string;
                /** @description Ids (`id`) of events. If a call begins with one of these events, its later events match as well. */
                call?: string[];
                /** @description Mark of the event; `none` selects events without a mark. If the query contains `rule`, only marks of those rules count. A rule that is marked as `missed` did not fire, so with `missed` and without `none`, `rule` selects only marks. */
                mark?: ("right" | "wrong" | "missed" | "none")[];
                /** @description Minimum cost in dollars. */
                min_cost_usd?: number;
                /** @description Minimum processing time of Weir, in milliseconds. */
                min_weir_ms?: number;
                /** @description Received at or after this RFC 3339 time. */
                from?: string;
                /** @description Received before this RFC 3339 time. */
                to?: string;
                /** @description Text that the stored payload or metadata contains; upper and lower case are the same. */
                q?: string;
                /** @description `calls`: one row per call, with the total cost, the total tokens and the strongest outcome of its request and answers. */
                view?: "events" | "calls";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventCount"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is unknown or unreadable; `details` names it. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listEventFacets: {
        parameters: {
            query?: {
                /** @description Event types. */
                type?: ("ai.request" | "ai.response" | "ai.error" | "agent.tool_call" | "policy.violation" | "budget.exceeded")[];
                /** @description Effective environments. */
                environment?: ("development" | "staging" | "production")[];
                /** @description Ids or names of apps. */
                app?: string[];
                /** @description Session id. */
                session?: string;
                /** @description Model names. */
                model?: string[];
                /** @description Providers, such as `openai`. */
                provider?: string[];
                /** @description Public ids of keys. */
                key?: string[];
                /** @description `allow`, `redact` or `block`. */
                decision?: ("allow" | "redact" | "block")[];
                /** @description Outcomes, each in one word; with `view=calls`, the final outcome of the call. */
                outcome?: ("allowed" | "flagged" | "would_block" | "redacted" | "error" | "unavailable" | "blocked")[];
                /** @description Ids of rules that fired. */
                rule?: string[];
                /** @description Ids of policy exceptions that applied. */
                exception?: string[];
                /** @description Values that exclude an event. Event types. */
                "not.type"?: ("ai.request" | "ai.response" | "ai.error" | "agent.tool_call" | "policy.violation" | "budget.exceeded")[];
                /** @description Values that exclude an event. Effective environments. */
                "not.environment"?: ("development" | "staging" | "production")[];
                /** @description Values that exclude an event. Ids or names of apps. */
                "not.app"?: string[];
                /** @description Values that exclude an event. Session id. */
                "not.session"?: string;
                /** @description Values that exclude an event. Model names. */
                "not.model"?: string[];
                /** @description Values that exclude an event. Providers, such as `openai`. */
                "not.provider"?: string[];
                /** @description Values that exclude an event. Public ids of keys. */
                "not.key"?: string[];
                /** @description Values that exclude an event. `allow`, `redact` or `block`. */
                "not.decision"?: ("allow" | "redact" | "block")[];
                /** @description Values that exclude an event. Outcomes, each in one word; with `view=calls`, the final outcome of the call. */
                "not.outcome"?: ("allowed" | "flagged" | "would_block" | "redacted" | "error" | "unavailable" | "blocked")[];
                /** @description Values that exclude an event. Ids of rules that fired. */
                "not.rule"?: string[];
                /** @description Values that exclude an event. Ids of policy exceptions that applied. */
                "not.exception"?: string[];
                /** @description Request id shared by request, response and error of one call. */
                request_id?: string;
                /** @description Ids (`id`) of events. If a call begins with one of these events, its later events match as well. */
                call?: string[];
                /** @description Mark of the event; `none` selects events without a mark. If the query contains `rule`, only marks of those rules count. A rule that is marked as `missed` did not fire, so with `missed` and without `none`, `rule` selects only marks. */
                mark?: ("right" | "wrong" | "missed" | "none")[];
                /** @description Minimum cost in dollars. */
                min_cost_usd?: number;
                /** @description Minimum processing time of Weir, in milliseconds. */
                min_weir_ms?: number;
                /** @description Received at or after this RFC 3339 time. */
                from?: string;
                /** @description Received before this RFC 3339 time. */
                to?: string;
                /** @description Text that the stored payload or metadata contains; upper and lower case are the same. */
                q?: string;
                /** @description `calls`: one row per call, with the total cost, the total tokens and the strongest outcome of its request and answers. */
                view?: "events" | "calls";
                /** @description Fields: app, model, provider, environment, type, key, decision, outcome, session, rule, metadata (its keys), or metadata.<key> (its values). Default: app, model, rule and outcome. */
                field?: string[];
                /** @description Values per field, 1 to 100; 20 when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The values with their number of events, the most frequent first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventFacets"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is unknown or unreadable; `details` names it. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getEvent: {
        parameters: {
            query?: {
                /** @description Id or name of an app; needed when several apps or environments have used the same `event_id`. */
                app?: string;
                /** @description Effective environment; needed when several apps or environments have used the same `event_id`. */
                environment?: "development" | "staging" | "production";
            };
            header?: never;
            path: {
                /** @description The service's `id`, or the client's `event_id`. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such event, or the token may not read it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The `event_id` names several events: add `app`, `environment` or both. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listExports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The exports of the last 30 days, at most 200. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Exports"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createExport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewExport"];
            };
        };
        responses: {
            /** @description The export is queued. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A filter is unknown or unreadable; `details` names it. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many exports are queued already. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    tryExportBucket: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TriedBucket"];
            };
        };
        responses: {
            /** @description The result of the test, even if it failed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BucketTrial"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Exports to this endpoint are not allowed; `details` names the field. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the export. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The export. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such export. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the export. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The export is cancelled or removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such export. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the export. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExportChange"];
            };
        };
        responses: {
            /** @description The export. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such export. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The export has ended and cannot be resumed, or it cannot be paused because its destination is a bucket. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many exports are queued already. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getExportFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the export. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson; charset=utf-8": string;
                    "text/csv; charset=utf-8; header=present": string;
                    "application/vnd.apache.parquet": string;
                };
            };
            /** @description The rest of the file, as requested by `Range`. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson; charset=utf-8": string;
                    "text/csv; charset=utf-8; header=present": string;
                    "application/vnd.apache.parquet": string;
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such export, or it has no file, or its file was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The export is not done yet: try again after `Retry-After` seconds. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listExportSchedules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedules. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportSchedules"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createExportSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewExportSchedule"];
            };
        };
        responses: {
            /** @description The schedule. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportSchedule"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong (`details` names it), or there are already 20 schedules. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getExportSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the schedule. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportSchedule"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such schedule. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteExportSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the schedule. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such schedule. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeExportSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the schedule. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExportScheduleChange"];
            };
        };
        responses: {
            /** @description The schedule after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportSchedule"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such schedule. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A field is wrong (`details` names it), or the body changes no field. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listExportScheduleRuns: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the schedule. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The runs of the last 400 days, at most 200. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Exports"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such schedule. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listErasures: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The latest 200 erasures. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasures"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:erase`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createErasure: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewErasure"];
            };
        };
        responses: {
            /** @description The erasure has started. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:erase`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request contains no condition, or its reason names the person. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description 20 erasures are already running. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getErasure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the erasure. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The erasure. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:erase`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such erasure. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCallRoutes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The governed routes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallRoutes"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    answerCalls: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": string;
            };
        };
        responses: {
            /** @description The results, one per answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallEnds"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    answerCall: {
        parameters: {
            query?: never;
            header?: {
                /** @description Milliseconds from sending the call to the last byte of its answer. Default: the time since the call was submitted. */
                "x-weir-latency-ms"?: number;
                /** @description Description of the failure, if `x-weir-ended` is `error`. */
                "x-weir-error"?: "upstream_unreachable" | "upstream_timeout";
                /** @description `complete`: the whole answer was received; `aborted`: the client stopped reading; `error`: the provider ended the answer early or did not answer; `unsent`: the call was not made. */
                "x-weir-ended"?: "complete" | "aborted" | "error" | "unsent";
                /** @description Status of the answer. Required unless `x-weir-ended` is `error` or `unsent`. */
                "x-weir-status"?: number;
            };
            path: {
                /** @description Id of the call: the header `x-weir-call` of the answer to its submission. */
                call: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": string;
            };
        };
        responses: {
            /** @description The end of the call was recorded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallEnd"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description This app has no such call in this environment. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A header is missing or wrong, or the call was refused. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listBudgets: {
        parameters: {
            query?: {
                /** @description Only this environment. */
                environment?: "development" | "staging" | "production";
                /** @description Include past windows. */
                past?: boolean;
                /** @description Ids (`id`) of events: return only windows to which one of these events was charged, with the charged amount. */
                event?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One entry per budget, scope and window. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Budgets"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getBudget: {
        parameters: {
            query?: {
                /** @description Only this environment. */
                environment?: "development" | "staging" | "production";
                /** @description Include past windows. */
                past?: boolean;
                /** @description Only windows with this scope: its names and values in the order of the policy, separated by spaces, such as `app=web metadata.team=payments`; `(none)` stands for a missing value. */
                scope?: string;
                /** @description Only the window with this id. */
                period_id?: string;
            };
            header?: never;
            path: {
                /** @description The budget's id in the policy. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One entry per scope and window. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Budgets"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No policy contains or contained such a budget, or it has no such window. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getBudgetSeries: {
        parameters: {
            query?: {
                /** @description Id of a window of one scope; optional if the budget has only one window. */
                period_id?: string;
            };
            header?: never;
            path: {
                /** @description The budget's id in the policy. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Spending at the end of each step so far, and a forecast. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BudgetSeries"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The budget has no such window. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listBudgetEntries: {
        parameters: {
            query?: {
                /** @description Id of a window of one scope; optional if the budget has only one window. */
                period_id?: string;
                /** @description Entries per page; 50 when absent. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The budget's id in the policy. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BudgetEntries"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The budget has no such window. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    adjustBudget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The budget's id in the policy. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BudgetAdjustment"];
            };
        };
        responses: {
            /** @description The window after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BudgetState"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The budget has no such window. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    auditBudgets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The comparison; `exact` is true for a window in which no amount is missing or counted twice. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BudgetAudit"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRules: {
        parameters: {
            query?: {
                /** @description Number of a deployment; 0 for the policies folder. */
                deployment?: number;
                /** @description SHA-256 of the compiled policy, in hex, as events record it. */
                digest?: string;
            };
            header?: never;
            path: {
                environment: "development" | "staging" | "production";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules, in the order in which they are written. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rules"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such environment, deployment or digest. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listExceptions: {
        parameters: {
            query?: {
                /** @description Number of a deployment; 0 for the policies folder. */
                deployment?: number;
                /** @description SHA-256 of the compiled policy, in hex, as events record it. */
                digest?: string;
            };
            header?: never;
            path: {
                environment: "development" | "staging" | "production";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The exceptions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Exceptions"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such environment, deployment or digest. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    diffPolicies: {
        parameters: {
            query?: {
                /** @description Number of the earlier deployment; 0 for the policies folder. Default: the deployment before that of `to`. */
                from?: number;
                /** @description Number of the later deployment. Default: the newest deployment. */
                to?: number;
                /** @description Another environment: its active policy is compared with the active policy of the environment in the path. */
                to_environment?: "development" | "staging" | "production";
                /** @description Id of an exception: the later policy is compared with the same policy without this exception. */
                without?: string;
            };
            header?: never;
            path: {
                environment: "development" | "staging" | "production";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The differences. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyDiff"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such environment, deployment or digest. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    evaluatePolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                environment: "development" | "staging" | "production";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EvaluateBody"];
            };
        };
        responses: {
            /** @description The decision, and every evaluated rule. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Evaluation"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such environment, deployment or digest. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There were more than 60 requests in a minute, or the previous requests took too long. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    explainEvent: {
        parameters: {
            query?: {
                /** @description Id or name of an app; needed when several apps or environments have used the same `event_id`. */
                app?: string;
                /** @description Effective environment; needed when several apps or environments have used the same `event_id`. */
                environment?: "development" | "staging" | "production";
                /** @description Include rules that did not fire. */
                all?: boolean;
            };
            header?: never;
            path: {
                /** @description The service's `id`, or the client's `event_id`. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules and conditions, with their results at the time of the decision. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks one of the scopes `events:read` and `policy:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such event, or the token may not read it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    captureEvent: {
        parameters: {
            query?: {
                /** @description Id or name of an app; needed when several apps or environments have used the same `event_id`. */
                app?: string;
                /** @description Effective environment; needed when several apps or environments have used the same `event_id`. */
                environment?: "development" | "staging" | "production";
                /** @description Name of the test: lower-case letters, digits, dots and dashes. Default: `captured-<event>`. */
                id?: string;
            };
            header?: never;
            path: {
                /** @description The service's `id`, or the client's `event_id`. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The test. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapturedTest"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks one of the scopes `events:read` and `policy:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such event, or the token may not read it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No rule judged the event, or its policy is no longer available. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getStats: {
        parameters: {
            query?: {
                /** @description Effective environment. */
                environment?: "development" | "staging" | "production";
                /** @description Id or name of an app. */
                app?: string;
                /** @description Model name. */
                model?: string;
                /** @description A key's public id. */
                key?: string;
                /** @description Id of a rule; only with `group_by=rule`. */
                rule?: string;
                /** @description Start of the range: calls that began at or after this time. Default: a day before `to`. */
                from?: string;
                /** @description End of the range: calls that began before this time. Default: now. */
                to?: string;
                /** @description Length of a bucket in seconds: whole minutes, or above one hour whole hours, that divide a day evenly. `auto` chooses a length that results in about 60 buckets. Whole hours if the range and the period before it began over 70 days ago: sums per minute are kept for so long. */
                step?: string;
                /** @description How the figures are grouped; `outcome` when absent. With `rule`, the figures are numbers of hits; the buckets are then whole hours, and figures per model or key are not available. */
                group_by?: "outcome" | "environment" | "app" | "model" | "key" | "rule";
                /** @description Number of groups to return: those with the most calls; all other groups are combined into one. 5 when absent. */
                top?: number;
                /** @description Figures to return; all when absent. */
                metrics?: ("calls" | "cost" | "tokens" | "weir_ms")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures, per bucket and in total. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stats"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is unknown or unreadable; `details` names it. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRuleStats: {
        parameters: {
            query?: {
                /** @description Start of the range (RFC 3339), rounded down to the hour. Default: 30 days ago. */
                from?: string;
                /** @description End of the range (RFC 3339), rounded up to the hour. Default: now. */
                to?: string;
            };
            header?: never;
            path: {
                environment: "development" | "staging" | "production";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules, sorted by hits in descending order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleStats"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks one of the scopes, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such environment. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The range is empty or too long; `details` names the parameter. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCallSessions: {
        parameters: {
            query?: {
                /** @description Effective environments. */
                environment?: ("development" | "staging" | "production")[];
                /** @description Id or name of an app. */
                app?: string;
                /** @description A model that was called in the session. */
                model?: string;
                /** @description Sessions that contain a call with one of these outcomes. */
                outcome?: ("allowed" | "flagged" | "would_block" | "redacted" | "error" | "unavailable" | "blocked")[];
                /** @description Session id. */
                session?: string;
                /** @description Sessions with an event at or after this time. */
                from?: string;
                /** @description Sessions with an event before this time. */
                to?: string;
                /** @description Sessions per page; 50 when absent. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallSessions"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A parameter is unknown or unreadable; `details` names it. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The owner of the token or session; for a token, also its scopes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: {
                /** @description On any route that accepts a session, `1` means that the page sends the request on its own, not for an action of the user. Such a request does not extend the session. */
                "X-Weir-Background"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller, the account and the service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAttention: {
        parameters: {
            query?: {
                /** @description Only this environment. */
                environment?: "development" | "staging" | "production";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attention"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    snoozeAttention: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the entry, from the list. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Snooze"];
            };
        };
        responses: {
            /** @description The entry is hidden until the given time. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`, or is bound to another environment. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no entry with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAppReception: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the app. */
                app: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Calls and refusals. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppReception"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such app, or it was archived. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listViews: {
        parameters: {
            query?: {
                /** @description Only views of this page. */
                page?: "events";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The views, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Views"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createView: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewView"];
            };
        };
        responses: {
            /** @description The view. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["View"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The name is taken, or the query contains a parameter that is not a filter. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteView: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the view. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The view is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such view, or the caller may not delete it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeView: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the view. */
                id: unknown;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ViewChange"];
            };
        };
        responses: {
            /** @description The view after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["View"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token lacks the scope `events:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such view, or the caller may not change it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The object was changed by another request at the same time: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is alive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service accepts traffic; the answer contains the digest of every active policy. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ready";
                        /** @enum {string} */
                        database: "ok" | "unreachable";
                        /**
                         * @description State of the server in DATABASE_READ_URL; absent without this setting. If the state is `behind` or `away`, reads go to the primary.
                         * @enum {string}
                         */
                        read_replica?: "ok" | "behind" | "away";
                        /** @description Policies of the policies folder, which apply to accounts without deployments. */
                        policies: {
                            development?: {
                                policy: string;
                                /** @description SHA-256 of the active policy, in hex. */
                                digest: string;
                                version: string;
                                /** @description True if the files on disk do not compile, so that an earlier policy stays active. */
                                stale: boolean;
                            };
                            staging?: {
                                policy: string;
                                /** @description SHA-256 of the active policy, in hex. */
                                digest: string;
                                version: string;
                                /** @description True if the files on disk do not compile, so that an earlier policy stays active. */
                                stale: boolean;
                            };
                            production?: {
                                policy: string;
                                /** @description SHA-256 of the active policy, in hex. */
                                digest: string;
                                version: string;
                                /** @description True if the files on disk do not compile, so that an earlier policy stays active. */
                                stale: boolean;
                            };
                        };
                        deployed: {
                            /** @enum {string} */
                            environment: "development" | "staging" | "production";
                            /** @description SHA-256 of the active policy, in hex. */
                            digest: string | null;
                            version: string | null;
                            accounts: number;
                        }[];
                    };
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service cannot accept traffic; `details` contains the reasons. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found in this account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    openCheckout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uri
                         * @description URL of a page of the payment provider, for this account only. It expires after a while.
                         */
                        url: string;
                    };
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The operator has not set up payments. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The payment provider does not answer. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    openBillingPortal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uri
                         * @description URL of a page of the payment provider, for this account only. It expires after a while.
                         */
                        url: string;
                    };
                };
            };
            /** @description No valid management token or session. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The account has no subscription yet, or the operator has not set up payments. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The payment provider does not answer. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    receiveStripeEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event was applied, or it does not concern a subscription. Repeated deliveries change nothing. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The signature is missing, wrong, or more than five minutes old. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credentials do not permit the request, or a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No webhook is set up. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request is malformed; `details` names the wrong fields. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; `Retry-After` contains the waiting time. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address and the headers of the request are over 16 KiB. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is unavailable or overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    askCall: {
        parameters: {
            query?: never;
            header?: {
                /** @description Method of the provider's route. */
                "x-weir-method"?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
                /** @description Idempotency key: a repeated request with the same key gets the same answer and is counted once. */
                "idempotency-key"?: string;
                /** @description A JSON object that is recorded with the call. */
                "x-service-metadata"?: string;
                /** @description Session that the call belongs to. */
                "x-service-session"?: string;
            };
            path: {
                /** @description `openai`, `anthropic`, `gemini`, or a provider from the settings. */
                provider: string;
                /** @description The provider's path with its query, without credentials. */
                path: string;
            };
            cookie?: never;
        };
        /** @description The body that the client would send to the provider, of any content type, optionally compressed with `gzip`, `deflate`, `br` or `zstd`. */
        requestBody?: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description The call may be sent with this uncompressed body in place of its own. Every compressed body is answered in this way. */
            200: {
                headers: {
                    /** @description Id of the call, for reporting its answer. */
                    "x-weir-call"?: string;
                    /** @description Id of the event that was recorded. */
                    "x-weir-event-id"?: string;
                    /** @description `allow`, `redact` or `block`. */
                    "x-weir-decision"?: string;
                    /** @description `false`: the route is not governed; only the texts in its JSON were judged. */
                    "x-weir-governed"?: string;
                    /** @description Number of replacements by type, such as `EMAIL=2`. */
                    "x-weir-redactions"?: string;
                    /** @description `true` if this is the stored answer to an earlier submission of the same request. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The call may be sent unchanged. */
            204: {
                headers: {
                    /** @description Id of the call, for reporting its answer. */
                    "x-weir-call"?: string;
                    /** @description Id of the event that was recorded. */
                    "x-weir-event-id"?: string;
                    /** @description `allow`, `redact` or `block`. */
                    "x-weir-decision"?: string;
                    /** @description `false`: the route is not governed; only the texts in its JSON were judged. */
                    "x-weir-governed"?: string;
                    /** @description Number of replacements by type, such as `EMAIL=2`. */
                    "x-weir-redactions"?: string;
                    /** @description `true` if this is the stored answer to an earlier submission of the same request. */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused by a rule, or by a budget that blocks. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description No valid service key. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The subscription of the account has ended. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A page of another site sent the request, which is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description There is no such provider here. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The same request is being processed: try again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request cannot be read with certainty, or its idempotency key was used for another request; `details` contains the reasons. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Too many requests, or the rest of a budget is reserved by calls in flight: try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A fault of this service. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A guardrail or the log is unavailable, or the service is overloaded: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    proxy_openai_chat_completions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The provider's answer, as a stream if requested. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Refused by a rule, in the format of the route; `error.weir` names the rule. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description There is no valid service key, or the provider answered with this status. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The subscription of the account has ended. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service does not allow the request, or the provider answered with this status. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider is unknown here, or it has no such route. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request cannot be read with certainty; `details` contains the reasons. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Too many requests, or the rest of a budget is reserved by calls in flight: try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service failed, or the provider answered with this status. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider cannot be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A guardrail or the log is unavailable: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider did not answer in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    proxy_openai_completions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The provider's answer, as a stream if requested. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Refused by a rule, in the format of the route; `error.weir` names the rule. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description There is no valid service key, or the provider answered with this status. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The subscription of the account has ended. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service does not allow the request, or the provider answered with this status. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider is unknown here, or it has no such route. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request cannot be read with certainty; `details` contains the reasons. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Too many requests, or the rest of a budget is reserved by calls in flight: try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service failed, or the provider answered with this status. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider cannot be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A guardrail or the log is unavailable: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider did not answer in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    proxy_openai_responses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The provider's answer, as a stream if requested. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Refused by a rule, in the format of the route; `error.weir` names the rule. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description There is no valid service key, or the provider answered with this status. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The subscription of the account has ended. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service does not allow the request, or the provider answered with this status. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider is unknown here, or it has no such route. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request cannot be read with certainty; `details` contains the reasons. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Too many requests, or the rest of a budget is reserved by calls in flight: try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service failed, or the provider answered with this status. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider cannot be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A guardrail or the log is unavailable: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider did not answer in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    proxy_openai_responses_input_tokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The provider's answer, as a stream if requested. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Refused by a rule, in the format of the route; `error.weir` names the rule. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description There is no valid service key, or the provider answered with this status. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The subscription of the account has ended. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service does not allow the request, or the provider answered with this status. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider is unknown here, or it has no such route. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request cannot be read with certainty; `details` contains the reasons. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Too many requests, or the rest of a budget is reserved by calls in flight: try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service failed, or the provider answered with this status. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider cannot be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A guardrail or the log is unavailable: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider did not answer in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    proxy_openai_responses_compact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The provider's answer, as a stream if requested. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Refused by a rule, in the format of the route; `error.weir` names the rule. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description There is no valid service key, or the provider answered with this status. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The subscription of the account has ended. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service does not allow the request, or the provider answered with this status. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider is unknown here, or it has no such route. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request cannot be read with certainty; `details` contains the reasons. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Too many requests, or the rest of a budget is reserved by calls in flight: try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service failed, or the provider answered with this status. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider cannot be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A guardrail or the log is unavailable: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider did not answer in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    proxy_openai_embeddings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The provider's answer, as a stream if requested. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Refused by a rule, in the format of the route; `error.weir` names the rule. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description There is no valid service key, or the provider answered with this status. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The subscription of the account has ended. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service does not allow the request, or the provider answered with this status. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider is unknown here, or it has no such route. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request cannot be read with certainty; `details` contains the reasons. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Too many requests, or the rest of a budget is reserved by calls in flight: try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service failed, or the provider answered with this status. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider cannot be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A guardrail or the log is unavailable: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider did not answer in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    proxy_anthropic_messages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The provider's answer, as a stream if requested. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Refused by a rule, in the format of the route; `error.weir` names the rule. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description There is no valid service key, or the provider answered with this status. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The subscription of the account has ended. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service does not allow the request, or the provider answered with this status. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider is unknown here, or it has no such route. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request cannot be read with certainty; `details` contains the reasons. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Too many requests, or the rest of a budget is reserved by calls in flight: try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service failed, or the provider answered with this status. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider cannot be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A guardrail or the log is unavailable: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider did not answer in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    proxy_anthropic_messages_count_tokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The provider's answer, as a stream if requested. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Refused by a rule, in the format of the route; `error.weir` names the rule. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description There is no valid service key, or the provider answered with this status. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The subscription of the account has ended. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service does not allow the request, or the provider answered with this status. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider is unknown here, or it has no such route. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request cannot be read with certainty; `details` contains the reasons. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Too many requests, or the rest of a budget is reserved by calls in flight: try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service failed, or the provider answered with this status. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider cannot be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A guardrail or the log is unavailable: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider did not answer in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    proxy_gemini_models_model_generateContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The model's name. */
                model: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The provider's answer, as a stream if requested. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Refused by a rule, in the format of the route; `error.weir` names the rule. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description There is no valid service key, or the provider answered with this status. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The subscription of the account has ended. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service does not allow the request, or the provider answered with this status. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider is unknown here, or it has no such route. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request cannot be read with certainty; `details` contains the reasons. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Too many requests, or the rest of a budget is reserved by calls in flight: try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service failed, or the provider answered with this status. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider cannot be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A guardrail or the log is unavailable: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider did not answer in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    proxy_gemini_models_model_streamGenerateContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The model's name. */
                model: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The provider's answer, as a stream if requested. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Refused by a rule, in the format of the route; `error.weir` names the rule. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description There is no valid service key, or the provider answered with this status. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The subscription of the account has ended. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service does not allow the request, or the provider answered with this status. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider is unknown here, or it has no such route. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request cannot be read with certainty; `details` contains the reasons. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Too many requests, or the rest of a budget is reserved by calls in flight: try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service failed, or the provider answered with this status. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider cannot be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A guardrail or the log is unavailable: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider did not answer in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    proxy_gemini_models_model_countTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The model's name. */
                model: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The provider's answer, as a stream if requested. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Refused by a rule, in the format of the route; `error.weir` names the rule. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description There is no valid service key, or the provider answered with this status. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The subscription of the account has ended. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service does not allow the request, or the provider answered with this status. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider is unknown here, or it has no such route. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request cannot be read with certainty; `details` contains the reasons. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Too many requests, or the rest of a budget is reserved by calls in flight: try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service failed, or the provider answered with this status. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider cannot be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A guardrail or the log is unavailable: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider did not answer in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    proxy_gemini_models_model_embedContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The model's name. */
                model: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The provider's answer, as a stream if requested. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Refused by a rule, in the format of the route; `error.weir` names the rule. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description There is no valid service key, or the provider answered with this status. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The subscription of the account has ended. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service does not allow the request, or the provider answered with this status. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider is unknown here, or it has no such route. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request cannot be read with certainty; `details` contains the reasons. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Too many requests, or the rest of a budget is reserved by calls in flight: try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service failed, or the provider answered with this status. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider cannot be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A guardrail or the log is unavailable: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider did not answer in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    proxy_gemini_models_model_batchEmbedContents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The model's name. */
                model: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The provider's answer, as a stream if requested. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Refused by a rule, in the format of the route; `error.weir` names the rule. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description There is no valid service key, or the provider answered with this status. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The subscription of the account has ended. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service does not allow the request, or the provider answered with this status. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider is unknown here, or it has no such route. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request cannot be read with certainty; `details` contains the reasons. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Too many requests, or the rest of a budget is reserved by calls in flight: try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service failed, or the provider answered with this status. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider cannot be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A guardrail or the log is unavailable: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider did not answer in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    proxy_any: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `openai`, `anthropic`, `gemini`, or a provider from the settings. */
                provider: string;
                /** @description The rest of the provider's path. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The provider's answer, as a stream if requested. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Refused by a rule, in the format of the route; `error.weir` names the rule. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description There is no valid service key, or the provider answered with this status. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The subscription of the account has ended. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service does not allow the request, or the provider answered with this status. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider is unknown here, or it has no such route. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request cannot be read with certainty; `details` contains the reasons. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Too many requests, or the rest of a budget is reserved by calls in flight: try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description This service failed, or the provider answered with this status. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider cannot be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A guardrail or the log is unavailable: try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The provider did not answer in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
}
