import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand, textOption } from '../../../command.js';
import { withoutContent } from '../../../events/event-line.js';
import { filterQuery } from '../../../events/filter-flags.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { plural } from '../../../output/plural.js';
import { SESSION, SESSION_CALL, SessionClient, type Session } from '../../../sessions/session-client.js';
import { sessionText } from '../../../sessions/session-text.js';
import { andMore, environmentFlag, limitOf, limitOption } from '../../../vocabulary.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  sessions: z.array(SESSION).describe('Figures for each app and environment in which the session id was used.'),
  calls: z.array(SESSION_CALL).describe('The oldest first.'),
  more: z.boolean().describe('Whether the session has more calls than `calls` contains.'),
});

/** `weir sessions show`: prints the figures of a session and its calls, the oldest first. */
export const sessionsShow = defineCommand({
  usage: 'show <session>',
  summary: 'Show the figures of one session and its calls in order',
  positionals: {
    session: { type: 'string', demandOption: true, describe: 'Session id' },
  },
  options: {
    ...SERVER_OPTIONS,
    app: textOption('App id or name; default: every app that used the session id'),
    ...environmentFlag('default: every environment in which the session id was used'),
    ...limitOption(200),
  },
  output: OUTPUT,

  async run(args, { io }) {
    const limit = limitOf(args);
    const place = filterQuery(args, Date.now());
    const client = await SessionClient.of(args, io);
    const { rows: sessions } = await client.list(place, Number.POSITIVE_INFINITY);
    const { rows: calls, more } = await client.calls(placeOfCalls(place, sessions), limit, args.showContent);
    if (sessions.length + calls.length === 0)
      throw usageError('there is no such session for this token. See: weir sessions list');
    const shown = args.showContent ? calls : calls.map(withoutContent);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, sessions, calls: shown, more };
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : sessionText(sessions, calls));
    return { exit: EXIT.ok, words: calls.length === 0 ? NO_CALLS : `${plural(calls.length, 'call')}${andMore(more)}` };
  },
});

/**
 * The parameters for the calls of these sessions: the list of events takes several apps, separated by commas, and the list of sessions one.
 *
 * @throws CliError (exit 2) if several apps are named
 */
function placeOfCalls(place: URLSearchParams, sessions: readonly Session[]): URLSearchParams {
  const app = place.get('app');
  if (app === null) return place;
  const ids = [...new Set(sessions.map((session) => session.app.id))];
  if (ids.length === 0 && app.includes(',')) throw usageError('--app takes the id or name of one app');
  const exact = new URLSearchParams(place);
  if (ids.length > 0) exact.set('app', ids.join(','));
  return exact;
}

/** The words for a session whose events were archived or deleted, while its figures are still stored. */
const NO_CALLS = 'the log contains no call of the session; for archived ones: weir events list --archive --session';
