import { readFileSync } from 'node:fs';

/** The functions of the ledger, each after those that it calls. Each has a file, which describes it. */
const NAMES = ['shown', 'place', 'write', 'period', 'reserve', 'charge', 'apply', 'sweep', 'extend', 'adjust'];

/** The SQL functions of the ledger. See src/budgets/ledger/README.md. */
export const BUDGET_FUNCTIONS = NAMES.map((name) =>
  readFileSync(new URL(`../../budgets/ledger/functions/budget-${name}.sql`, import.meta.url), 'utf8'),
);
