import { defaultLevel, LINT_CODES, type LintFinding } from '../../src/authoring/index.js';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** Findings as SARIF 2.1.0 (OASIS), for code scanning. Columns are UTF-16 code units. */
export function sarif(findings: readonly LintFinding[]): string {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  const run = {
    tool: {
      driver: {
        name: 'weir',
        rules: codes.map((code) => ({
          id: code,
          shortDescription: { text: LINT_CODES[code] ?? code },
          help: { text: `weir lint --explain ${code}` },
          defaultConfiguration: { level: defaultLevel(code) === 'error' ? 'error' : 'warning' },
        })),
      },
    },
    columnKind: 'utf16CodeUnits',
    originalUriBaseIds: { SRCROOT: { description: { text: 'The folder in which weir was started.' } } },
    results: findings.map((finding) => result(finding, codes)),
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

function result(finding: LintFinding, codes: readonly string[]): object {
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
