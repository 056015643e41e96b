import { ApiQuery } from '@nestjs/swagger';
import { EVENT_PARAMETERS } from './event-query.js';

/** Every parameter of the listing, in the words of its table, but for those that a route does not take. */
export function ApiEventQueries(without: readonly string[] = []): MethodDecorator {
  const queries = Object.entries(EVENT_PARAMETERS)
    .filter(([name]) => !without.includes(name))
    .map(([name, { about }]) => ApiQuery({ name, required: false, description: about, schema: { type: 'string' } }));
  return (target, key, descriptor) => {
    for (const query of queries) query(target, key, descriptor);
  };
}
