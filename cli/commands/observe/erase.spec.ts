import { runWeir } from '../../../test/support/run-weir.js';

describe('weir erase', () => {
  it.each([
    ['a command without search terms', [], 'name the person to erase'],
    ['a key without a value', ['--metadata', 'user_id'], '--metadata takes key=value'],
    ['two values of one key', ['--metadata', 'user_id=u1,user_id=u2'], 'each key only once'],
    ['a value without its code', ['--value', 'jan@example.com'], '--value takes a code and a value'],
    ['a value from an empty stdin', ['--value', 'EMAIL=-'], 'stdin contains no value'],
  ])('refuses %s', async (_, flags, words) => {
    const { exit, stdout, stderr } = await runWeir(['erase', ...flags, '--yes']);
    expect([exit, stdout, stderr]).toEqual([2, '', expect.stringContaining(words)]);
  });
});
