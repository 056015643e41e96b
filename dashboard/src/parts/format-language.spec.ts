import { execFileSync } from 'node:child_process';

/** What the formats write in a process whose language is German: they ask for the language when they are loaded. */
function written(): Readonly<Record<string, readonly string[]>> {
  const script = `
    globalThis.localStorage = { getItem: () => null };
    const f = await import(${JSON.stringify(new URL('format.ts', import.meta.url).href)});
    const { fileSize } = await import(${JSON.stringify(new URL('numbers.ts', import.meta.url).href)});
    process.stdout.write(JSON.stringify({
      costs: [f.money('1284070000000', 2), f.money('1226000', 5), f.money('7000', 5)],
      ledger: [f.dollars('1284.07'), f.dollars('0.1234567'), f.columnAmount('205.105', 'usd')],
      counts: [f.count(184203), f.amount('12345', 'tokens'), f.counted(1, 'call')],
      others: [f.duration(1.34), f.duration(1800), fileSize(3100000)],
      shares: [f.ratio(0.054), f.relativeChange(106, 100)].map((text) => text.replace('\\u00a0', ' ')),
    }));`;
  const env = { ...process.env, LC_ALL: 'de_DE.UTF-8', NODE_OPTIONS: '' };
  const text = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { env, encoding: 'utf8' });
  return JSON.parse(text) as Readonly<Record<string, readonly string[]>>;
}

describe('In a browser whose language separates thousands by a point', () => {
  it('an amount has a comma before its decimal digits, and times, shares and sizes are written like the counts beside them', () => {
    expect(written()).toEqual({
      costs: ['$1.284,07', '$0,00123', '<$0,00001'],
      ledger: ['$1.284,07', '$0,12346', '$205,10500'],
      counts: ['184.203', '12.345 tokens', '1 call'],
      others: ['1,3 ms', '1,8 s', '3,1 MB'],
      shares: ['5,4 %', '+6 %'],
    });
  });
});
