/** The commands `weir sessions …` for the calls with one session id, such as a conversation. Their shared code is in cli/sessions. */
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { FILTER_ARGUMENT, filterQuery, SEARCH_OPTIONS } from '../../../events/filter-flags.js';
import { entryList } from '../../../output/entry-list.js';
import { SESSION, SessionClient } from '../../../sessions/session-client.js';
import { sessionTable } from '../../../sessions/session-text.js';
import { limitOf, limitOption } from '../../../vocabulary.js';

const SESSIONS = entryList('session', SESSION);

const { env, app, session, model, outcome, since, until } = SEARCH_OPTIONS;

/** The filters of events that also select sessions. */
const FILTERS = {
  env,
  app,
  session,
  model: { ...model, describe: `${model.describe}; matches sessions in which it was called` },
  outcome: { ...outcome, describe: `${outcome.describe}; matches sessions with such a call` },
  since: { ...since, describe: `${since.describe}; matches sessions with a later event` },
  until: { ...until, describe: `${until.describe}; matches sessions with an earlier event` },
} as const;

/** `weir sessions list`: lists sessions of calls with their figures. */
export const sessionsList = defineCommand({
  usage: 'list [environment]',
  summary: 'List sessions of calls with their figures, latest first',
  positionals: FILTER_ARGUMENT,
  options: {
    ...SERVER_OPTIONS,
    ...FILTERS,
    ...limitOption(50),
  },
  examples: [['$0 sessions list --outcome blocked --since 24h', 'sessions of the last day with a blocked call']],
  output: SESSIONS.output,

  async run(args, { io }) {
    const limit = limitOf(args);
    const query = filterQuery(args, Date.now());
    const found = await (await SessionClient.of(args, io)).list(query, limit);
    return SESSIONS.print(found, args, io, sessionTable);
  },
});
