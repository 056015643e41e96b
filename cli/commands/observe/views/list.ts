import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { VIEW, Views } from '../../../events/views.js';
import { columns, nameAndId } from '../../../output/columns.js';
import { entryList } from '../../../output/entry-list.js';
import { LIMIT_OPTION, limited } from '../../../vocabulary.js';

const VIEWS = entryList('view', VIEW);

/** `weir views list`: lists your saved filters and the shared ones. */
export const viewsList = defineCommand({
  usage: 'list',
  summary: 'List saved filters',
  options: {
    ...SERVER_OPTIONS,
    ...LIMIT_OPTION,
  },
  output: VIEWS.output,

  async run(args, { io }) {
    return VIEWS.print(limited(await (await Views.of(args, io)).list(), args), args, io, (views) =>
      columns(
        ['ID', 'NAME', 'WHOSE', 'BY', 'FILTERS'],
        views.map(({ id, name, shared, by, query }) => [
          id,
          name,
          shared ? 'shared' : 'own',
          nameAndId(by.name, by.id),
          query,
        ]),
      ),
    );
  },
});
