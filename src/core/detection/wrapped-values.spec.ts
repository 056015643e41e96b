import fc from 'fast-check';
import { masked, part, parts } from '../../../test/support/found-values.js';

const RANDOM = 'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA';
const random = (length: number, from = 0): string =>
  RANDOM.repeat(Math.ceil((from + length) / RANDOM.length)).slice(from, from + length);
const ANTHROPIC = ['sk-ant-', 'api03-', random(95)].join('');
const OPENAI = ['sk-', 'proj-', random(156)].join('');
const JWT = [`eyJhbGciOiJSUzI1NiJ9.ey`, random(180), '.', random(86, 3)].join('');

/** Wraps a value at this column. */
const wrapped = (value: string, column: number, between = '\n'): string =>
  value.match(new RegExp(`.{1,${column}}`, 'g'))!.join(between);
const CODES = ['anthropic_api_key', 'openai_api_key', 'jwt'];
const valuesIn = async (text: string): Promise<string> => {
  const found = (await masked([part(text, 'prompt')])).map((one) => one.split(/:([^]*)/));
  return found.map(([code = '', value = '']) => (CODES.includes(code) ? value : '')).join('');
};

describe('a credential of variable length', () => {
  it.each<[string, string, number]>([
    ['a key of Anthropic', ANTHROPIC, 80],
    ['a key of OpenAI', OPENAI, 80],
    ['a JWT', JWT, 76],
    ['a JWT in short lines', JWT, 64],
  ])('is found up to its end if it is wrapped and its first line alone is valid: %s', async (_what, value, column) => {
    expect(await valuesIn(`Use this:\n\n${wrapped(value, column)}\n\nThanks`)).toBe(value);
    expect(await valuesIn(`> Use this:\n>\n> ${wrapped(value, column, '\n> ')}\n>\n> Thanks`)).toBe(value);
    expect(await valuesIn(`Use this:\n\n${wrapped(value, column)} and tell me.`)).toBe(value);
  });

  it('that is split over the strings of a program is found in each string', async () => {
    expect(await valuesIn(`key = "${ANTHROPIC.slice(0, 60)}" + "${ANTHROPIC.slice(60)}"`)).toBe(ANTHROPIC);
  });

  it('is found once per line', async () => {
    const found = await masked([part(wrapped(ANTHROPIC, 80), 'prompt')]);
    expect(found).toEqual([`anthropic_api_key:${ANTHROPIC.slice(0, 80)}`, `anthropic_api_key:${ANTHROPIC.slice(80)}`]);
    const split = await masked(parts(ANTHROPIC.slice(0, 80), ANTHROPIC.slice(80)));
    expect(split).toEqual(found);
  });

  it.each([
    '\nPlease use it.',
    '\nSTRIPE_KEY=other',
    '\nDB2_Pa55W0rd=other',
    '\n"k8s9Pod7Name2": 1',
    '\nregards',
    '\nuser-session-id',
    '\n2024-01-15T10:11:12Z',
    '** is bold',
  ])('does not include the next line if that has a word, a name or a date: %j', async (rest) => {
    expect(await valuesIn(`key ${ANTHROPIC.slice(0, 80)}${rest}`)).toBe(ANTHROPIC.slice(0, 80));
  });

  it.each(["' '", '" "'])('does not include the next string of a list: %j', async (between) => {
    const quote = between.charAt(0);
    const text = `run ${quote}${ANTHROPIC.slice(0, 80)}${between}${random(20, 5)}${quote}`;
    expect(await valuesIn(text)).toBe(ANTHROPIC.slice(0, 80));
  });

  it('does not include a word after its last line', async () => {
    expect(await valuesIn(`${wrapped(ANTHROPIC, 80)}\nPlease use it.`)).toBe(ANTHROPIC);
  });

  it('does not include another credential on the next line, or the next cell', async () => {
    const other = ['sk-ant-', 'api03-', random(67, 7)].join('');
    const found = await masked([part(`${ANTHROPIC.slice(0, 80)}\n${other}`, 'prompt')]);
    expect(found).toEqual([`anthropic_api_key:${ANTHROPIC.slice(0, 80)}`, `anthropic_api_key:${other}`]);
    expect(await valuesIn(`| ${ANTHROPIC.slice(0, 80)} | ${random(12, 5)} |`)).toBe(ANTHROPIC.slice(0, 80));
  });

  it('is found up to its end wherever it is wrapped', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: ANTHROPIC.length - 12 }), async (column) => {
        expect(await valuesIn(`see\n\n${ANTHROPIC.slice(0, column)}\n${ANTHROPIC.slice(column)}`)).toBe(ANTHROPIC);
      }),
      { numRuns: 60 },
    );
  });
});
