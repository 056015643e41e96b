import type { Finding } from '../../src/core/plugin-api.js';
import type { InjectionCode } from './phrase.js';

/**
 * Signs of an injection that are structures and not phrases: a request between rows of data or before the headers of a mail, and one short
 * piece repeated many times.
 */
export function structuralSigns(text: string): Finding<InjectionCode>[] {
  return [...strangeLines(text), ...floods(text)];
}

const HEAD_UNITS = 2_000;
const MAX_LINES = 2_000;
const MAX_LINE_UNITS = 2_000;
const TABLE_ROW = /\|[^|\n]{0,200}\|/;
const MAIL_HEAD = /^[^\n]{12,400}\n{1,3}(?:subject|from|email_from|to|date|received)\s?:/i;
/** First words of requests: verbs of writing, telling and doing, and question words. */
const REQUESTS = new Set(
  'add analyze answer append apply calculate can change classify compare compose compute convert could create delete describe design determine discuss do does draft explain extract find follow format forward generate give help how identify ignore illustrate include insert is list make mention modify name offer outline paraphrase please point present print produce provide rank recommend remember remind remove replace reply report respond reverse review rewrite say search send share should show solve state suggest summarise summarize tell translate update use visit what when where which who why would write'.split(
    ' ',
  ),
);

interface Line {
  readonly start: number;
  readonly text: string;
}

/** Lines with a request in a table or before the headers of a mail, where the other lines are data. */
function strangeLines(text: string): Finding<InjectionCode>[] {
  const head = text.slice(0, HEAD_UNITS);
  const findings: Finding<InjectionCode>[] = [];
  // Without the check for a line end, the expression takes long to fail.
  if (head.includes('\n') && MAIL_HEAD.test(head)) {
    const [first] = linesOf(head);
    if (first !== undefined && isRequest(first.text)) findings.push(finding(first));
  }
  if (!head.includes('|') || !TABLE_ROW.test(head)) return findings;
  const lines = linesOf(text);
  const rows = lines.filter((line) => isRow(line.text)).length;
  if (rows < 3 || rows < lines.length * 0.7) return findings;
  for (const line of lines) if (!line.text.includes('|') && isRequest(line.text)) findings.push(finding(line));
  return findings;
}

function finding(line: Line): Finding<InjectionCode> {
  return { code: 'tool_hijack', start: line.start, end: line.start + line.text.length, score: 0.65 };
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length && lines.length < MAX_LINES;) {
    const end = text.indexOf('\n', start);
    const stop = end < 0 ? text.length : end;
    const line = text.slice(start, Math.min(stop, start + MAX_LINE_UNITS)).trimEnd();
    const lead = line.length - line.trimStart().length;
    if (line.length > lead) lines.push({ start: start + lead, text: line.slice(lead) });
    start = stop + 1;
  }
  return lines;
}

function isRow(line: string): boolean {
  const first = line.indexOf('|');
  return first >= 0 && line.indexOf('|', first + 1) > first;
}

/** Whether a line is a request: it begins with a word of `REQUESTS` and ends like a sentence. */
function isRequest(line: string): boolean {
  if (line.length < 12 || line.length > 400 || !/[.?!"']$/.test(line)) return false;
  return REQUESTS.has(/^[A-Za-z]{2,12}/.exec(line)?.[0].toLowerCase() ?? '');
}

const FLOOD_UNITS = 120;
const MAX_PERIOD = 40;
const MOST_MISSES = 0.25;

/** One short piece repeated many times, which can push earlier instructions out of the context or confuse a model. */
function floods(text: string): Finding<InjectionCode>[] {
  if (text.length < FLOOD_UNITS) return [];
  const sample = text.slice(0, HEAD_UNITS);
  const allowed = sample.length * MOST_MISSES;
  for (let period = 1; period <= MAX_PERIOD && sample.length >= period * 4; period++) {
    if (!hasPeriod(sample, period, allowed)) continue;
    // A row of dashes or spaces is a separator or an indentation, not a flood.
    return /[\p{L}\p{N}()[\]{}]/u.test(sample.slice(0, period))
      ? [{ code: 'instruction_override', start: 0, end: text.length, score: 0.6 }]
      : [];
  }
  return [];
}

const GLANCE_UNITS = 24;

/** Whether at most `allowed` units differ from the unit `period` positions before. Most texts fail within the first units. */
function hasPeriod(sample: string, period: number, allowed: number): boolean {
  let misses = 0;
  const glanced = period + GLANCE_UNITS;
  for (let index = period; index < sample.length; index++) {
    if (sample.charCodeAt(index) === sample.charCodeAt(index - period)) continue;
    if (++misses > allowed || (misses > GLANCE_UNITS / 2 && index <= glanced)) return false;
  }
  return true;
}
