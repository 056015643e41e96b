/**
 * Budgets: the cost of calls, limits on spending, and the ledger that keeps both in step with the log. It judges no
 * content.
 */
export { BudgetsModule } from './budgets.module.js';
export { BudgetLedgerModule } from './ledger.module.js';
export { BudgetLedgerWriter } from './ledger/ledger-writer.js';
export { isListedModel } from './prices/price-book.js';
export { BudgetSpending } from './spending.service.js';
export { BudgetCourse } from './management/budget-course.js';
export { BudgetReader } from './management/budget-reader.js';
