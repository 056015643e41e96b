import type { CodeScore } from '../../src/authoring/index.js';
import { CODES } from '../../plugins/pii/codes.js';
import type { Corpus, MeasuredText } from './corpora.js';
import { countOf, goal, per, table, type Goal } from './markdown.js';
import { bound, piiByRegion, score, type Preparation } from './score.js';

const SYNTHETIC = ['pii_presidio_synth_v2', 'pii_presidio_gen_large', 'pii_presidio_gen_small'];
const JSON_USERS = ['pii_tau_retail_users', 'pii_tau_airline_users'];
const NATIONAL = 'pii_presidio_tests';

/** One line of the table: a code on some corpora, with the goals in per cent. */
interface Row {
  readonly code: string;
  readonly on: string;
  readonly corpora: readonly string[];
  readonly f1?: number;
  readonly precision?: number;
}

const ROWS: readonly Row[] = [
  { code: 'EMAIL', on: 'synthetic', corpora: SYNTHETIC, f1: 100 },
  { code: 'EMAIL', on: 'JSON of users', corpora: JSON_USERS, f1: 100 },
  { code: 'CREDIT_CARD', on: 'synthetic', corpora: SYNTHETIC, f1: 99 },
  { code: 'IBAN', on: 'synthetic', corpora: SYNTHETIC, f1: 99 },
  { code: 'IBAN', on: "Presidio's own tests", corpora: [NATIONAL], f1: 99 },
  { code: 'US_SSN', on: 'synthetic', corpora: SYNTHETIC, f1: 99 },
  { code: 'IP_ADDRESS', on: 'synthetic', corpora: SYNTHETIC, f1: 99 },
  { code: 'IP_ADDRESS', on: "Presidio's own tests", corpora: [NATIONAL], f1: 99 },
  { code: 'PHONE', on: 'synthetic', corpora: SYNTHETIC, f1: 80 },
  { code: 'PHONE', on: 'libphonenumber examples', corpora: ['pii_phone_examples'], f1: 95 },
  { code: 'PHONE', on: 'libphonenumber matcher tests', corpora: ['pii_libphonenumber_matcher'], f1: 95 },
  { code: 'DATE_TIME', on: 'synthetic', corpora: SYNTHETIC, f1: 85 },
  { code: 'DATE_OF_BIRTH', on: 'JSON of users', corpora: JSON_USERS, f1: 97 },
  { code: 'PERSON', on: 'synthetic', corpora: SYNTHETIC, f1: 78, precision: 85 },
  { code: 'PERSON', on: 'JSON of users', corpora: JSON_USERS },
  { code: 'PERSON', on: 'tweets and comments (WNUT 17)', corpora: ['pii_wnut17'] },
  { code: 'ADDRESS', on: 'synthetic v2, free text', corpora: ['pii_presidio_synth_v2'], f1: 45 },
  { code: 'ADDRESS', on: 'JSON of users', corpora: JSON_USERS, f1: 90 },
  { code: 'ZIP_CODE', on: 'JSON of users', corpora: JSON_USERS },
  { code: 'LOCATION', on: 'synthetic', corpora: SYNTHETIC },
  { code: 'NRP', on: 'synthetic v2', corpora: ['pii_presidio_synth_v2'] },
  { code: 'ORGANIZATION', on: 'synthetic', corpora: SYNTHETIC },
];

/** The section on personal data: results by code, national identifiers, false hits. */
export async function piiSection(corpora: readonly Corpus[]): Promise<string[]> {
  const named = (names: readonly string[]): Corpus[] => corpora.filter(({ name }) => names.includes(name));
  const detectorFor = piiByRegion(true);
  const lines: string[][] = [];
  for (const row of ROWS) {
    const used = named(row.corpora);
    if (used.length === 0) continue;
    const { codes } = await score(used, detectorFor, row.corpora.includes(NATIONAL) ? ownNames : undefined);
    const found = codes.find(({ code }) => code === row.code);
    if (found === undefined || found.gold === 0) continue;
    lines.push(rowOf(row, found));
  }
  return [
    '## Personal data',
    'A finding is correct if it has the code of the label and the two ranges overlap by half (intersection over union). Codes that are off by default are on for this table. A telephone number without `+` is found only for a known country: in the two libphonenumber sets, each text states its country.',
    table(['code', 'on', 'labelled', 'precision %', 'recall %', 'F1 %', 'goal'], lines),
    ...(await nationalIds(named([NATIONAL]))),
    ...(await falseHits(corpora)),
  ];
}

function rowOf({ code, on, f1, precision }: Row, found: CodeScore): string[] {
  const goals: Goal[] = [
    ...(f1 === undefined ? [] : [{ value: (found.f1 ?? 0) * 100, least: f1 }]),
    ...(precision === undefined ? [] : [{ value: (found.precision ?? 0) * 100, least: precision, of: 'precision' }]),
  ];
  return [`\`${code}\``, on, countOf(found.gold), per(found.precision), per(found.recall), per(found.f1), goal(goals)];
}

/**
 * Presidio's labels that differ from Weir's codes. Its labels for passports and driving licences of single countries all correspond to
 * one code each.
 */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ABA_ROUTING_NUMBER: 'US_ABA_ROUTING',
  CRYPTO: 'CRYPTO_ADDRESS',
  DE_FUEHRERSCHEIN: 'DRIVER_LICENSE',
  DE_PLZ: 'ZIP_CODE',
  SG_NRIC_FIN: 'SG_NRIC',
  UK_DRIVING_LICENCE: 'DRIVER_LICENSE',
  UK_POSTCODE: 'ZIP_CODE',
};

function codeOf(label: string): string | undefined {
  const code = OTHER_NAMES[label] ?? label.replace(/^[A-Z]{2}_(PASSPORT|DRIVER_LICENSE)$/, '$1');
  return Object.hasOwn(CODES, code) ? code : undefined;
}

/** Renames findings to the labels in the scope of the text. */
function ownNames(text: MeasuredText): Preparation {
  const renamed = new Map<string, string>();
  for (const label of text.scope ?? []) {
    const code = codeOf(label);
    if (code !== undefined && code !== label) renamed.set(`pii/${code}`, label);
  }
  return { text, renamed };
}

const NATIONAL_LABEL = /^[A-Z]{2}_|^ABA_ROUTING_NUMBER$/;
const DOCUMENT = new Set(['PASSPORT', 'DRIVER_LICENSE', 'ZIP_CODE']);

async function nationalIds(corpora: readonly Corpus[]): Promise<string[]> {
  if (corpora.length === 0) return [];
  const { codes } = await score(corpora, piiByRegion(true), ownNames);
  const labelled = codes.filter(({ code, gold }) => NATIONAL_LABEL.test(code) && gold > 0);
  const national = labelled.filter(({ code }) => codeOf(code) !== undefined && !DOCUMENT.has(codeOf(code)!));
  const documents = labelled.filter(({ code }) => DOCUMENT.has(codeOf(code) ?? ''));
  const absent = labelled.filter(({ code }) => codeOf(code) === undefined).map(({ code }) => `\`${code}\``);
  const mean = meanF1(national);
  const imperfect = [...national, ...documents].filter(({ f1 }) => (f1 ?? 0) < 1);
  return [
    '### National identifiers',
    `${national.length} kinds of numbers in the tests of Presidio’s own recognisers, without those that Presidio itself scores below 0.4: mean F1 ${(mean * 100).toFixed(1)} % (goal 97 ${mean >= 0.97 ? '✓' : '✗'}). ${documents.length} kinds of passports and driving licences, each of one country: mean F1 ${(meanF1(documents) * 100).toFixed(1)} %. The other kinds are tested only with our own examples.${absent.length === 0 ? '' : ` Not covered: ${absent.join(', ')}.`}`,
    ...(imperfect.length === 0
      ? []
      : [
          'Those below 100 %:',
          table(
            ['identifier', 'labelled', 'precision %', 'recall %', 'F1 %'],
            imperfect.map(({ code, gold, precision, recall, f1 }) => [
              `\`${code}\``,
              countOf(gold),
              per(precision),
              per(recall),
              per(f1),
            ]),
          ),
        ]),
  ];
}

function meanF1(scores: readonly CodeScore[]): number {
  return scores.reduce((sum, { f1 }) => sum + (f1 ?? 0), 0) / scores.length;
}

/** Corpora without personal data. Tool results are excluded, since they contain invented people, so findings in them are correct. */
export function harmlessCorpora(corpora: readonly Corpus[]): Corpus[] {
  return corpora.filter(({ name }) => name.startsWith('ben_') && name !== 'ben_tool_results');
}

async function falseHits(corpora: readonly Corpus[]): Promise<string[]> {
  const harmless = harmlessCorpora(corpora);
  if (harmless.length === 0) return [];
  const detector = bound('pii');
  const result = await score(harmless, () => detector);
  const all = result.micro.falseHitsPerMb ?? 0;
  const rows = [...result.codes]
    .sort((a, b) => (b.falseHitsPerMb ?? 0) - (a.falseHitsPerMb ?? 0))
    .slice(0, 12)
    .map(({ code, falseHitsPerMb }) => [`\`${code}\``, (falseHitsPerMb ?? 0).toFixed(1)]);
  return [
    '### False hits',
    `${(result.bytes / 1e6).toFixed(1)} MB of documentation, code, prompts and questions, default codes: ${all.toFixed(0)} hits per MB (goal at most 150 ${all <= 150 ? '✓' : '✗'}). Every hit counts as false, although the documentation contains real addresses and numbers. The most frequent:`,
    table(['code', 'hits per MB'], rows),
  ];
}
