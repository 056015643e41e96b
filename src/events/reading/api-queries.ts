/**
 * Reading the log: filters, search, facets, tail, export. A search that would take too long ends early and reports how far it got.
 */
import { ApiQueries } from '../../http/index.js';
import { EVENT_PARAMETERS } from './event-query.js';

/** Documents every parameter of the listing, except those that a route does not accept. */
export function ApiEventQueries(without: readonly string[] = []): MethodDecorator {
  return ApiQueries(Object.fromEntries(Object.entries(EVENT_PARAMETERS).filter(([name]) => !without.includes(name))));
}
