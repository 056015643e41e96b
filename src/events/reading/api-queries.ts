/**
 * Reading the log: filters, search, facets, tail, export. A search that would take too long ends early and reports how far it got.
 */
import { ApiQueries } from '../../http/index.js';
import { EVENT_PARAMETERS } from './event-query.js';

/** Every parameter of the listing, in the words of its table, but for those that a route does not take. */
export function ApiEventQueries(without: readonly string[] = []): MethodDecorator {
  return ApiQueries(Object.fromEntries(Object.entries(EVENT_PARAMETERS).filter(([name]) => !without.includes(name))));
}
