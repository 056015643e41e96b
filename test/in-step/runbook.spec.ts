import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { parse } from 'yaml';
import { ERROR_STATUS } from '../../src/http/error-status.js';

const RUNBOOK = readFileSync('docs/runbook.md', 'utf8');
/** The sections of the runbook, by their heading of any level. */
const PARTS = RUNBOOK.split(/^#{2,4} /m).map((part) => {
  const [heading = '', ...lines] = part.split('\n');
  return { heading, text: lines.join('\n') };
});
const { groups } = parse(readFileSync('deploy/prometheus/alerts.yaml', 'utf8')) as {
  groups: { rules: { alert: string }[] }[];
};

/** Whether a section has all required paragraphs. */
const isWhole = (text: string): boolean =>
  ['**Meaning.**', '**Diagnosis.**', '**Remedy.**'].every((word) => text.includes(word));

/** The text of a string, of a template with `…` for its expressions, or of both branches of a conditional. */
function textsOf(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    return [[node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')];
  }
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
  return [];
}

/** The functions with which features log problems: a logger's own methods, injected `report` functions, and `logFailure`. */
const SAYS = /(?:^|\.)(?:(?:log|logger|SOURCES\.\w+)\.(?:warn|error|fatal)|(?:this\.)?report|logFailure)$/;

/** The messages of log records at `warn` and above in the sources of the server, each with its file. */
function loggedTexts(): (readonly [string, string])[] {
  const files = globSync('src/**/*.ts').filter((file) => !/\.spec\.ts$|^src\/(?:core|authoring|bundles)\//.test(file));
  return files.flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    // Few files call one of these functions, and parsing the others would cost most of the time of this test.
    if (!/(?:warn|error|fatal|report|logFailure)\s*(?:\?\.)?[(<]/.test(source)) return [];
    const found: (readonly [string, string])[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && SAYS.test(node.expression.getText())) {
        for (const text of node.arguments.flatMap(textsOf)) found.push([text, file]);
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
    return found;
  });
}

/** The longest part of a message that is the same in all its log records. */
const fixedWordsOf = (text: string): string =>
  text
    .split(/…|\n/)
    .map((words) => words.trim())
    .reduce((longest, words) => (words.length > longest.length ? words : longest), '');

describe('The runbook', () => {
  it.each(groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)))('explains the alert %s', (alert) => {
    expect(PARTS.filter(({ heading, text }) => heading === alert && isWhole(text)).length).toBe(1);
  });

  const ofOurSide = Object.entries(ERROR_STATUS).filter(([, status]) => status >= 500);
  it.each(ofOurSide.map(([type]) => type))('explains errors of the type %s', (type) => {
    expect(PARTS.filter(({ heading, text }) => heading === `\`${type}\`` && isWhole(text)).length).toBe(1);
  });

  const texts = loggedTexts();
  it.each(texts)('explains the log message "%s" of %s', (text) => {
    const words = fixedWordsOf(text);
    expect(words.length).toBeGreaterThan(10);
    const [part] = PARTS.filter((each) => each.text.includes(words));
    expect(part).toBeDefined();
    expect(isWhole(part?.text ?? '') || part?.heading === 'Errors with a type').toBe(true);
  });

  it('contains no log message that the service does not write', () => {
    const sources = globSync('src/**/*.ts')
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    const named = [...RUNBOOK.matchAll(/^- `(.*)`$/gm)].map((match) => fixedWordsOf(match[1]!));
    expect(named.length).toBeGreaterThan(25);
    expect(named.filter((words) => !sources.includes(words))).toEqual([]);
    expect(texts.length).toBeGreaterThan(35);
  });
});
