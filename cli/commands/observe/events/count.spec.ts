import { runOnAnswers } from '../../../../test/support/run-on-answers.js';

const events = (argv: readonly string[], answer: object) => runOnAnswers(['events', ...argv], answer);

describe('weir events count', () => {
  it('marks a number that is a minimum, and says from when on events are counted', async () => {
    expect(await events(['count'], { count: 10_000, capped: true, searched_to: null })).toMatchObject({
      ...{ exit: 0, stdout: '10000+\n' },
      stderr: 'exit 0: at least 10000 events\n',
    });
    const ended = { count: 1, capped: true, searched_to: '2026-11-21T09:00:00.000Z' };
    expect((await events(['count', '--calls'], ended)).stderr).toBe(
      'exit 0: at least 1 call, received since 2026-11-21T09:00:00.000Z; earlier ones are not counted, because counting them takes too long: set --since\n',
    );
  });
});

describe('weir events facets', () => {
  const facets = (fields: object) => ({ sampled: false, of: 3, searched_to: null, data: {}, ...fields });

  it.each([
    [[], 10_000, null],
    [[], 10_000, '2026-11-21T09:00:00.000Z'],
    [['--text', 'x'], 2_000, '2026-11-21T09:00:00.000Z'],
  ])('says that only the newest events are counted: %j %d %j', async (flags, of, end) => {
    const answer = facets({ sampled: true, of, searched_to: end });
    expect((await events(['facets', ...flags], answer)).stderr).toBe(`exit 0: values of the newest ${of} events\n`);
  });

  it('says from when on events are counted if counting took too long', async () => {
    const answer = facets({ sampled: true, of: 2_000, searched_to: '2026-11-21T09:00:00.000Z' });
    expect((await events(['facets'], answer)).stderr).toBe(
      'exit 0: values of 2000 events, received since 2026-11-21T09:00:00.000Z; earlier ones are not counted, because counting them takes too long: set --since\n',
    );
  });

  it('prints no control or formatting character of a value, and the long values last', async () => {
    const value = `a\u001b[2J\r\n\u202e${'x'.repeat(300)}`;
    const data = { model: [{ value, label: null, count: 2 }], app: [{ value: 'a-1', label: value, count: 1 }] };
    const { exit, stdout } = await events(['facets'], facets({ data }));
    const lines = stdout.trimEnd().split('\n');
    expect([exit, lines.length, lines[0]]).toEqual([0, 3, 'FIELD  EVENTS  VALUE']);
    expect(lines[1]).toMatch(/^model {2}2 {7}a \[2J {3}x{300}$/);
    expect(lines[2]).toMatch(/^app {4}1 {7}a .* \(a-1\)$/);
  });
});
