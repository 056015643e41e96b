import { z } from 'zod';
import { nameUpTo } from '../core/index.js';
import { parameter } from '../http/index.js';

/** Pages whose filters can be saved. */
export const PAGES = ['events'] as const;

const name = nameUpTo(80);
const query = z
  .string()
  .max(2_000)
  .describe("Filters as in the page's URL, with the parameter names of the API, such as `decision=block&app=shop`.");
const shared = z.boolean().describe('Whether the view is shared with everybody in the account.');

export const NEW_VIEW = z
  .strictObject({ page: z.enum(PAGES), name, query, shared: shared.optional() })
  .meta({ id: 'NewView' });
export const VIEW_CHANGE = z
  .strictObject({ name: name.optional(), query: query.optional(), shared: shared.optional() })
  .meta({ id: 'ViewChange' });
export const VIEW = z
  .strictObject({
    id: z.uuid(),
    page: z.enum(PAGES),
    name: z.string(),
    query: z.string(),
    shared,
    by: z
      .strictObject({ kind: z.enum(['person', 'token']), id: z.string(), name: z.string().nullable() })
      .describe('Person or token that saved the view.'),
    created_at: z.string().describe('RFC 3339, UTC.'),
  })
  .meta({ id: 'View' });
export const VIEWS = z.strictObject({ data: z.array(VIEW) }).meta({ id: 'Views' });

export const VIEWS_QUERY = { page: parameter.oneOf(PAGES, 'Only views of this page.') };
