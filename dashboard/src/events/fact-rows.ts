/** The facts of a decision as rows of a table. Callers choose some of the names, such as those of metadata and of tools. */
import type { CallEvent } from '../api/types.ts';
import { visible } from '../parts/visible.ts';

export interface FactRow {
  readonly stage: string;
  /** With invisible characters made visible. */
  readonly name: string;
  readonly value: string;
  /** The source of the fact; empty if it is from the call itself. */
  readonly from: string;
}

interface Stage {
  readonly stage?: string;
  readonly facts?: unknown;
}

/** The facts that the rules could read, and the detectors whose facts are unknown. */
export function factRows({ facts, detectors }: Pick<CallEvent, 'facts' | 'detectors'>): readonly FactRow[] {
  const stages = facts?.['stages'];
  const sources = new Map(detectors.map(({ key, version }) => [key, `${key} ${version}`]));
  const known = (Array.isArray(stages) ? (stages as readonly Stage[]) : []).flatMap(({ stage = '', facts: found }) =>
    flatten(found, '').map(([name, value]) => ({
      ...{ stage, name: visible(name), value },
      from: sources.get(rootOf(name)) ?? '',
    })),
  );
  return [...known, ...unknownOf(detectors)];
}

/** The names of a detector's facts begin with its key. */
const rootOf = (name: string): string => name.split('.', 1)[0] ?? '';

const WHY: Readonly<Record<string, string>> = {
  failed: 'the detector failed',
  timeout: 'the detector timed out',
  not_run: 'the detector did not run',
};

/** Detectors without an answer: their facts are unknown. */
function unknownOf(detectors: CallEvent['detectors']): readonly FactRow[] {
  return detectors.flatMap(({ key, version, status }) =>
    status === 'scanned'
      ? []
      : [{ stage: '', name: `${key}.*`, value: `unknown: ${WHY[status] ?? status}`, from: `${key} ${version}` }],
  );
}

function flatten(value: unknown, name: string): readonly (readonly [name: string, value: string])[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) => flatten(inner, name === '' ? key : `${name}.${key}`));
  }
  return [[name, value === undefined ? 'unknown' : JSON.stringify(value)]];
}

/** The tool calls that the rules could read, as JSON with invisible characters made visible. */
export const toolsText = (tools: readonly unknown[]): string => visible(JSON.stringify(tools, null, 2));

/** The facts about each tool call of an event. */
export function toolFacts({ facts }: Pick<CallEvent, 'facts'>): readonly unknown[] {
  const stages = facts?.['stages'];
  if (!Array.isArray(stages)) return [];
  return (stages as readonly Stage[]).flatMap((stage) => {
    const calls = (stage.facts as { readonly tool_calls?: unknown } | undefined)?.tool_calls;
    return Array.isArray(calls) ? (calls as unknown[]) : [];
  });
}
