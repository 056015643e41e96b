import { parseOperatorName } from './policy-runtime.js';

describe('The names of operators', () => {
  it('are cached up to a limit, because policies of accounts choose the facts in them', () => {
    const name = 'closed:app.name@metadata.first:eq';
    const first = parseOperatorName(name);
    expect(parseOperatorName(name)).toBe(first);
    for (let index = 0; index < 10_000; index++) parseOperatorName(`closed:app.name@metadata.key${index}:eq`);
    expect(parseOperatorName(name)).not.toBe(first);
    expect(parseOperatorName(name)).toEqual(first);
  });
});
