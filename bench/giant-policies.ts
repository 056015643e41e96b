import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './shipped-policy.js';

const HEAD = `apiVersion: weir/v1
kind: Policy
metadata: { id: giant, title: Giant, owner: bench@example.com }
environment: production
default: allow
`;
const each = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_unused, index) => line(index)).join('');
const when = (conditions: string): string =>
  `    stage: pre
    when: { any: [${conditions}] }
    then: { action: flag }
    on_unknown: no_match
`;

/** Policies close to the limits of an upload: of its size, or of the list of a detector. */
export const GIANT_POLICIES: Readonly<Record<string, string>> = {
  '2,000 rules': `${HEAD}detectors:
  marks: { plugin: keywords@^1, lists: { mark: { words: [marked] } } }
rules:
${each(2_000, (index) => `  - id: giant.rule-${index}\n${when(`{ marks.count: { gt: ${index + 1} } }`)}`)}`,
  '5,000 keywords': `${HEAD}detectors:
  marks:
    plugin: keywords@^1
    lists:
      mark:
        words:
${each(5_000, (index) => `          - word${index}x\n`)}rules:
  - id: giant.words
${when('{ marks.count: { gt: 0 } }')}`,
  '9,000 conditions': `${HEAD}detectors:
  marks: { plugin: keywords@^1, lists: { mark: { words: [marked] } } }
rules:
${each(
  90,
  (rule) =>
    `  - id: giant.rule-${rule}\n${when(
      each(100, (index) => `${index === 0 ? '' : ', '}{ model.name: { in: [m${rule * 100 + index}] } }`),
    )}`,
)}`,
};

/** Writes the shipped policies with another policy for production into a folder. @returns its path */
export function policiesFolder(parent: string, production: string): string {
  const folder = join(parent, 'policies');
  cpSync(join(root(), 'policies'), folder, { recursive: true });
  rmSync(join(folder, 'production'), { recursive: true });
  mkdirSync(join(folder, 'production'));
  writeFileSync(join(folder, 'production', 'policy.yaml'), production);
  return folder;
}
