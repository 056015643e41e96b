/**
 * The pages of policies: rules, exceptions, deployments, differences, playground. A deployment is never made here,
 * except a rollback.
 */

export { DiffPage } from './diff-page.tsx';
export { ExceptionsPage } from './exceptions-page.tsx';
export { FilesPage } from './files-page.tsx';
export { HistoryPage } from './history-page.tsx';
export { PoliciesPage } from './policies-page.tsx';
export { RulePage } from './rule-page.tsx';
export { RulesPage } from './rules-page.tsx';
