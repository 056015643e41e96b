/** Data stored by pages of the dashboard. */
export const PAGES = [
  // Calls of apps that were refused before they were recorded.
  `CREATE TABLE call_refusals (
    account_id uuid NOT NULL,
    app_id uuid NOT NULL,
    minute timestamptz NOT NULL,
    status integer NOT NULL,
    type text NOT NULL,
    n bigint NOT NULL,
    last_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, app_id, minute, status, type)
  ) WITH (fillfactor = 70)`,
  // Entries that a person has hidden for a while.
  `CREATE TABLE attention_snoozes (
    account_id uuid NOT NULL REFERENCES accounts (id),
    owner_kind text NOT NULL CHECK (owner_kind IN ('person', 'token')),
    owner_id text NOT NULL,
    item text NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (account_id, owner_kind, owner_id, item)
  )`,
  // Saved filters with a name: private to the person who saved them, or shared within the account.
  `CREATE TABLE saved_views (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    owner_kind text NOT NULL CHECK (owner_kind IN ('person', 'token')),
    owner_id text NOT NULL,
    page text NOT NULL,
    name text NOT NULL,
    query text NOT NULL,
    shared boolean NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
  )`,
  'CREATE UNIQUE INDEX saved_views_name ON saved_views (account_id, page, owner_kind, owner_id, name)',
];
