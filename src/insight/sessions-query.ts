import { ENVIRONMENTS } from '../core/index.js';
import { isUuid, OUTCOMES } from '../events/index.js';
import { BadParameter, parameter, type QueryParameter } from '../http/index.js';

/** The end of a page of sessions: the listing is in the order of these values. */
export interface SessionPlace {
  /** Microseconds, the resolution of the database. */
  readonly lastAt: string;
  readonly environment: string;
  readonly appId: string;
  readonly sessionId: string;
}

const cursor: QueryParameter<SessionPlace> = {
  about: '`next_cursor` of the previous page.',
  schema: { type: 'string', minLength: 1, maxLength: 2_000 },
  read: (value) => {
    const place = decodePlace(value);
    if (place === null) throw new BadParameter('is not a cursor of this service');
    return place;
  },
};

export const SESSIONS_QUERY = {
  environment: parameter.listOf(parameter.oneOf(ENVIRONMENTS, 'Effective environments.')),
  app: parameter.text('Id or name of an app.'),
  model: parameter.text('A model that was called in the session.'),
  outcome: parameter.listOf(parameter.oneOf(OUTCOMES, 'Sessions that contain a call with one of these outcomes.')),
  session: parameter.text('Session id.'),
  from: parameter.instant('Sessions with an event at or after this time.'),
  to: parameter.instant('Sessions with an event before this time.'),
  limit: parameter.integer(1, 200, 'Sessions per page; 50 when absent.'),
  cursor,
};

export function encodePlace({ lastAt, environment, appId, sessionId }: SessionPlace): string {
  return Buffer.from(JSON.stringify([lastAt, environment, appId, sessionId])).toString('base64url');
}

function decodePlace(text: string): SessionPlace | null {
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
  if (!Array.isArray(read) || read.length !== 4 || !read.every((part) => typeof part === 'string')) return null;
  const [lastAt, environment, appId, sessionId] = read as [string, string, string, string];
  if (!/^\d{1,17}$/.test(lastAt) || !isUuid(appId) || sessionId.includes('\0')) return null;
  return { lastAt, environment, appId, sessionId };
}
