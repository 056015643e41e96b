import { substitute } from './substitute.js';

describe('substitute', () => {
  const cells = new Map<string, number | string | string[]>([
    ['used', 0.8],
    ['secret', 'aws_access_key'],
    ['rules', ['a.b']],
  ]);

  it('keeps the type of a cell if it is the whole value, and inserts it as text into a longer text', () => {
    const filled = substitute({ facts: { ratio: '$used' }, text: 'at $used', expect: { rules: '$rules' } }, cells);
    expect(filled.value).toEqual({ facts: { ratio: 0.8 }, text: 'at 0.8', expect: { rules: ['a.b'] } });
    expect([...filled.used]).toEqual(['used', 'rules']);
  });

  it('keeps a cell without a value as null, and does not take its name for its value', () => {
    const filled = substitute(
      { metadata: { team: '$team' }, expect: { answer: '$answer' } },
      new Map([
        ['team', null],
        ['answer', null],
      ]),
    );
    expect(filled.value).toEqual({ metadata: { team: null }, expect: { answer: null } });
    expect([...filled.unknown]).toEqual([]);
  });

  it('substitutes within annotations and keys', () => {
    expect(substitute({ 'k-$secret': 'key {{$secret:xxxx}}' }, cells).value).toEqual({
      'k-aws_access_key': 'key {{aws_access_key:xxxx}}',
    });
  });

  it('reads two dollar signs as one, and reports names that are not columns', () => {
    const filled = substitute(['$$used costs $5', '$nope', 'a $other b'], cells);
    expect(filled.value).toEqual(['$used costs $5', '$nope', 'a $other b']);
    expect([...filled.unknown]).toEqual(['nope', 'other']);
  });

  it('accepts braces around a name that is followed by letters', () => {
    const filled = substitute('[${secret}_1] ${nope}', cells);
    expect(filled.value).toBe('[aws_access_key_1] ${nope}');
    expect([...filled.unknown]).toEqual(['nope']);
  });

  it('does not replace names within an inserted cell', () => {
    expect(substitute('x $a', new Map([['a', '$b']])).value).toBe('x $b');
  });
});
