import { defaultLevel, LINT_CODES, type LintFinding } from '../../src/authoring/index.js';
import type { PolicyProblem } from '../../src/core/index.js';
import { FAILED_TEST } from './test-report.js';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** The description of a finding code. */
interface SarifRule {
  readonly text: string;
  readonly help: string;
  readonly level: 'error' | 'warning';
}

/** The findings of the linter as SARIF. */
export function lintSarif(findings: readonly LintFinding[]): string {
  return sarif(findings, lintRule);
}

/** Compile problems, which have lint codes, and failed tests as SARIF. */
export function problemSarif(problems: readonly PolicyProblem[]): string {
  return sarif(problems, (code) => (code in LINT_CODES ? lintRule(code) : FAILED_TEST));
}

function lintRule(code: string): SarifRule {
  return {
    text: LINT_CODES[code] ?? code,
    help: `weir lint --explain ${code}`,
    level: defaultLevel(code) === 'error' ? 'error' : 'warning',
  };
}

/** Findings as SARIF 2.1.0 (OASIS), for code scanning. Columns are UTF-16 code units. */
export function sarif(findings: readonly Finding[], about: (code: string) => SarifRule): string {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  const run = {
    tool: {
      driver: {
        name: 'weir',
        rules: codes.map((code) => {
          const { text, help, level } = about(code);
          return { id: code, shortDescription: { text }, help: { text: help }, defaultConfiguration: { level } };
        }),
      },
    },
    columnKind: 'utf16CodeUnits',
    originalUriBaseIds: { SRCROOT: { description: { text: 'The folder in which weir was started.' } } },
    results: findings.map((finding) => result(finding, codes)),
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

type Finding = PolicyProblem & Pick<LintFinding, 'ignored'>;

function result(finding: Finding, codes: readonly string[]): object {
  const { code, level, message, hint, file, line, column, length, ignored } = finding;
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level,
    message: { text: hint === undefined ? message : `${message} (${hint})` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(file), uriBaseId: 'SRCROOT' },
          region: { startLine: line, startColumn: column, endLine: line, endColumn: column + length },
        },
      },
    ],
    ...(ignored !== undefined && { suppressions: [{ kind: 'inSource', justification: ignored }] }),
  };
}
