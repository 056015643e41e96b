/** Bundles, the history of deployments, and the reported state of each replica. */
export const POLICIES = [
  `CREATE TABLE policy_bundles (
    account_id uuid NOT NULL REFERENCES accounts (id),
    digest text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
    body text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, digest)
  )`,
  // A row without a bundle returns to the policy of the policies folder.
  `CREATE TABLE policy_deployments (
    account_id uuid NOT NULL REFERENCES accounts (id),
    environment text NOT NULL CHECK (environment IN ('development', 'staging', 'production')),
    number integer NOT NULL CHECK (number > 0),
    action text NOT NULL CHECK (action IN ('deploy', 'promote', 'rollback', 'emergency')),
    bundle_digest text,
    policy_digest text,
    base_number integer NOT NULL,
    base_digest text NOT NULL,
    restores integer,
    because text,
    changed_files text[] NOT NULL,
    waived_tests text[] NOT NULL,
    untested boolean NOT NULL,
    tests_at timestamptz NOT NULL,
    signed_by text[] NOT NULL,
    source_commit text,
    source_clean boolean NOT NULL,
    token_id text,
    created_at timestamptz NOT NULL,
    person_id uuid REFERENCES people (id),
    serial bigint CHECK (serial > 0),
    signatures text,
    PRIMARY KEY (account_id, environment, number),
    FOREIGN KEY (account_id, bundle_digest) REFERENCES policy_bundles (account_id, digest),
    CHECK ((bundle_digest IS NULL) = (policy_digest IS NULL)),
    CHECK (bundle_digest IS NOT NULL OR action = 'rollback'),
    CHECK (because IS NOT NULL OR action IN ('deploy', 'promote')),
    CONSTRAINT policy_deployments_one_deployer CHECK (num_nonnulls(token_id, person_id) = 1)
  )`,
  `CREATE FUNCTION policy_history_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'the history of deployments only grows' USING ERRCODE = 'restrict_violation'; END
  $$`,
  `CREATE TRIGGER policy_deployments_only_grow BEFORE UPDATE OR DELETE ON policy_deployments
    FOR EACH ROW EXECUTE FUNCTION policy_history_only_grows()`,
  `CREATE TRIGGER policy_bundles_only_grow BEFORE UPDATE OR DELETE ON policy_bundles
    FOR EACH ROW EXECUTE FUNCTION policy_history_only_grows()`,
  // The processes of the instance; they belong to no account.
  `CREATE TABLE policy_replicas (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    version text NOT NULL,
    folder_digests json NOT NULL,
    started_at timestamptz NOT NULL,
    heartbeat_at timestamptz NOT NULL
  )`,
  `CREATE TABLE policy_activations (
    account_id uuid NOT NULL REFERENCES accounts (id),
    environment text NOT NULL CHECK (environment IN ('development', 'staging', 'production')),
    replica_id uuid NOT NULL REFERENCES policy_replicas (id) ON DELETE CASCADE,
    considered integer NOT NULL,
    active_number integer,
    active_digest text,
    problem text,
    tests_passed integer NOT NULL,
    reported_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, environment, replica_id)
  )`,
  'CREATE INDEX policy_activations_replica ON policy_activations (replica_id)',
];
