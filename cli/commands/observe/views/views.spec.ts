import { runOnAnswers } from '../../../../test/support/run-on-answers.js';

const view = (id: string, name: string) => ({
  ...{ id, name, page: 'events', query: 'outcome=blocked', shared: id === 'v-2' },
  ...{ by: { kind: 'person', id: `p-${id}`, name: null }, created_at: '2026-11-21T09:00:00.000Z' },
});
/** An own view and one that a colleague shares have the same name; the name of the third is the id of the first. */
const VIEWS = [view('v-3', 'v-1'), view('v-1', 'To judge'), view('v-2', 'To judge')];

/** The last segments of the changed addresses, and the result of the command. */
async function changed(...argv: string[]) {
  const { exit, stderr, asked } = await runOnAnswers(['views', ...argv], ({ pathname }) =>
    pathname === '/v1/views' ? { data: VIEWS } : view('v-1', 'To judge'),
  );
  const ids = asked.flatMap(({ pathname }) => /^\/v1\/views\/(.+)$/.exec(pathname)?.slice(1) ?? []);
  return { exit, stderr, ids };
}

describe('weir views update and delete', () => {
  it.each([
    ['update', '--shared'],
    ['delete', '--yes'],
  ])('%s refuses a name that several views have, and changes none of them', async (command, flag) => {
    expect(await changed(command, 'To judge', flag)).toEqual({
      ...{ exit: 2, ids: [] },
      stderr: 'exit 2: several views have this name; use an id: weir views list\n',
    });
  });

  it.each([
    ['update', '--shared'],
    ['delete', '--yes'],
  ])('%s prefers the view with an id to one with the same text as its name', async (command, flag) => {
    expect(await changed(command, 'v-1', flag)).toMatchObject({ exit: 0, ids: ['v-1'] });
  });
});
