import { substitute } from './substitute.js';

describe('substitute', () => {
  const cells = new Map<string, number | string | string[]>([
    ['used', 0.8],
    ['secret', 'aws_access_key'],
    ['rules', ['a.b']],
  ]);

  it('keeps the type of a cell that stands alone and writes it out inside a text', () => {
    const filled = substitute({ facts: { ratio: '$used' }, text: 'at $used', expect: { rules: '$rules' } }, cells);
    expect(filled.value).toEqual({ facts: { ratio: 0.8 }, text: 'at 0.8', expect: { rules: ['a.b'] } });
    expect([...filled.used]).toEqual(['used', 'rules']);
  });

  it('fills in marks and keys', () => {
    expect(substitute({ 'k-$secret': 'key {{$secret:xxxx}}' }, cells).value).toEqual({
      'k-aws_access_key': 'key {{aws_access_key:xxxx}}',
    });
  });

  it('takes two dollar signs for one, and tells names that are no column', () => {
    const filled = substitute(['$$used costs $5', '$nope', 'a $other b'], cells);
    expect(filled.value).toEqual(['$used costs $5', '$nope', 'a $other b']);
    expect([...filled.unknown]).toEqual(['nope', 'other']);
  });

  it('knows braces around a name that letters follow', () => {
    const filled = substitute('[${secret}_1] ${nope}', cells);
    expect(filled.value).toBe('[aws_access_key_1] ${nope}');
    expect([...filled.unknown]).toEqual(['nope']);
  });

  it('does not fill in what it filled in', () => {
    expect(substitute('x $a', new Map([['a', '$b']])).value).toBe('x $b');
  });
});
