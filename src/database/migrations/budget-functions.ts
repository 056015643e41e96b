import { readFileSync } from 'node:fs';

/** The functions of the ledger, in the order in which one may need another: each is a file, which says what it is for. */
const NAMES = ['shown', 'place', 'write', 'period', 'reserve', 'charge', 'apply', 'sweep', 'extend', 'adjust'];

/** The ledger's protocol, each step one call. See src/budgets/ledger/README.md. */
export const BUDGET_FUNCTIONS = NAMES.map((name) =>
  readFileSync(new URL(`../../budgets/ledger/functions/budget-${name}.sql`, import.meta.url), 'utf8'),
);
