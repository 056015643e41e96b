import { NotJudged } from '../input/compiled-project.js';
import { junit } from './junit.js';
import { notJudgedReport } from './not-judged.js';
import type { ReportCase } from './report-case.js';
import { tap } from './tap.js';

const CASES: readonly ReportCase[] = [
  { suite: 'a.test.yaml', name: 'one', file: 'a.test.yaml', line: 3, outcome: 'passed', durationMs: 12 },
  { suite: 'b.test.yaml', name: 'two', outcome: 'skipped', message: 'flaky until Monday' },
  {
    suite: 'a.test.yaml',
    name: 'three <#3>',
    file: 'a.test.yaml',
    line: 9,
    outcome: 'failed',
    message: 'action "x"\nwhy\u0007',
  },
];

describe('Machine-readable reports', () => {
  it('write JUnit XML with a suite per file and escape what XML cannot hold', () => {
    expect(junit('weir test', CASES)).toBe(
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<testsuites name="weir test" tests="3" failures="1" errors="0" time="0.012">',
        '  <testsuite name="a.test.yaml" tests="2" failures="1" errors="0" skipped="0" time="0.012" file="a.test.yaml">',
        '    <testcase name="one" classname="a.test.yaml" time="0.012"/>',
        '    <testcase name="three &lt;#3&gt;" classname="a.test.yaml">',
        '      <failure message="action &quot;x&quot;">action &quot;x&quot;\nwhy\ufffd\nat a.test.yaml:9</failure>',
        '    </testcase>',
        '  </testsuite>',
        '  <testsuite name="b.test.yaml" tests="1" failures="0" errors="0" skipped="1" time="0.000">',
        '    <testcase name="two" classname="b.test.yaml">',
        '      <skipped message="flaky until Monday"/>',
        '    </testcase>',
        '  </testsuite>',
        '</testsuites>',
        '',
      ].join('\n'),
    );
  });

  it('write no attribute that the JUnit schema of Jenkins lacks', () => {
    const allowed: Readonly<Record<string, readonly string[]>> = {
      testsuites: ['name', 'tests', 'failures', 'errors', 'time'],
      testsuite: ['name', 'tests', 'failures', 'errors', 'skipped', 'time', 'file'],
      testcase: ['name', 'classname', 'time'],
      failure: ['message', 'type'],
      skipped: ['message', 'type'],
    };
    const elements = [...junit('weir test', CASES).matchAll(/<(\w+)((?: \w+="[^"]*")*)\/?>/g)];
    expect(elements.length).toBe(8);
    for (const [, element, attributes] of elements) {
      const names = [...attributes!.matchAll(/ (\w+)="/g)].map(([, name]) => name!);
      expect({ element, unknown: names.filter((name) => !allowed[element!]!.includes(name)) }).toEqual({
        element,
        unknown: [],
      });
    }
  });

  it('write TAP 14 with a plan, and a block with the reason of each failure', () => {
    expect(tap(CASES)).toBe(
      [
        'TAP version 14',
        '1..3',
        'ok 1 - a.test.yaml one',
        'ok 2 - b.test.yaml two # SKIP flaky until Monday',
        'not ok 3 - a.test.yaml three <\\#3>',
        '  ---',
        '  message: "action \\"x\\"\\nwhy\\u0007"',
        '  at: "a.test.yaml:9"',
        '  ...',
        '',
      ].join('\n'),
    );
  });

  it('contain compile errors instead of being empty, since an empty report counts as one without failures', () => {
    const problem = {
      file: 'a.yaml',
      line: 4,
      column: 2,
      length: 3,
      level: 'error',
      code: 'C102',
      message: 'no such field',
    };
    const error = new NotJudged(3, '1 file could not be compiled', [{ ...problem, level: 'error' }]);
    const report = (format: string): string => notJudgedReport(format, 'weir test', error) ?? '';
    expect(report('junit')).toContain('<testsuites name="weir test" tests="1" failures="1" errors="0"');
    expect(report('junit')).toContain('1 file could not be compiled: no such field');
    expect(report('tap')).toContain('not ok 1');
    expect(report('github')).toContain('::error file=a.yaml,line=4,col=2');
    const [run] = (JSON.parse(report('sarif')) as { runs: { results: { message: { text: string } }[] }[] }).runs;
    expect(run!.results.map(({ message }) => message.text)).toEqual(['no such field']);
    expect(report('pretty')).toBe('');
  });
});
