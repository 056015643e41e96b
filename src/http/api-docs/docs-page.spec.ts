import { ERROR_CATALOGUE, type ErrorType } from '../../core/index.js';
import { retryMayHelp } from '../retry-help.js';
import { docsPage } from './docs-page.js';

const TYPES = Object.keys(ERROR_CATALOGUE) as ErrorType[];

describe('The table of errors', () => {
  it('recommends a retry only if the same request may succeed later', () => {
    expect(TYPES.filter(retryMayHelp)).toEqual([
      'budget_reserved',
      'in_progress',
      'stale_plan',
      'rate_limit_exceeded',
      'internal_error',
      'upstream_unreachable',
      'guardrail_unavailable',
      'overloaded',
      'unavailable',
      'upstream_timeout',
    ]);
  });

  it('says on the page of the API what it says in the reference', () => {
    const page = docsPage({ openapi: '3.0.0', info: { title: 'Weir', version: '1' }, paths: {} }, undefined);
    for (const type of TYPES) {
      const [row = ''] = new RegExp(`<tr id="error-${type}">.*?</tr>`).exec(page) ?? [];
      expect([type, row.endsWith(`<td>${retryMayHelp(type) ? 'yes' : 'no'}</td></tr>`)]).toEqual([type, true]);
    }
  });
});
