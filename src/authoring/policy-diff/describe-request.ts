import { Unknown, type FactValue, type Stage } from '../../core/model/fact.js';
import { splitFactName } from '../../core/facts/read-path.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import type { RawFinding, Request } from './request.js';

/** A request for people, for reports and for a test, as plain data. */
export interface DescribedRequest {
  readonly stage: Stage;
  /** Facts by dotted name; null: absent. Those of detectors are under `findings`. */
  readonly facts: Readonly<Record<string, FactValue>>;
  /** What each detector finds, as far as it matters. */
  readonly findings: Readonly<Record<string, readonly RawFinding[]>>;
  /** Detectors, plugins or `budget` that do not answer. */
  readonly unavailable: readonly string[];
  /** RFC 3339, when the clock matters. */
  readonly at?: string;
  readonly monitorMode?: boolean;
  /** Per fact other values with which the same happens. */
  readonly alike: Readonly<Record<string, readonly string[]>>;
  /** Everything, also what is at rest: what a test needs. */
  readonly whole: Request;
}

/** @param shown the variables that are described; the others are at rest */
export function describeRequest(
  request: Request,
  policy: CompiledPolicy,
  nowMs: number,
  shown: ReadonlySet<string>,
): DescribedRequest {
  const facts: Record<string, FactValue> = {};
  const findings: Record<string, readonly RawFinding[]> = {};
  const alike: Record<string, readonly string[]> = {};
  const unavailable: string[] = [];
  const more: { at?: string; monitorMode?: boolean } = {};
  const silent = new Set<string>();
  for (const { part } of request.settings.values()) {
    if (part.kind !== 'down') continue;
    unavailable.push(part.source);
    for (const root of part.roots) silent.add(root);
  }
  for (const [name, { part, alike: others }] of request.settings) {
    if (!shown.has(name) || silent.has(splitFactName(name).root)) continue;
    if (others.length > 0) alike[name] = others;
    switch (part.kind) {
      case 'facts':
        for (const [fact, value] of Object.entries({ ...part.facts, ...part.follows?.(policy) }))
          facts[fact] = value ?? null;
        break;
      case 'findings':
        findings[part.detector] = part.findings;
        break;
      case 'text':
        facts[`${part.detector}.text`] = part.text;
        break;
      case 'usage': {
        const own = part.facts(policy);
        for (const [fact, value] of Object.entries(Object.keys(own).length > 0 ? own : part.shown)) {
          if (!(value instanceof Unknown)) facts[fact] = value;
        }
        break;
      }
      case 'clock':
        if (part.isAsked || part.nowMs !== nowMs) more.at = new Date(part.nowMs).toISOString();
        break;
      case 'client':
        if (part.monitor) more.monitorMode = true;
        break;
      case 'down':
      case 'answering':
        break;
    }
  }
  return { stage: request.stage, facts, findings, unavailable: unavailable.sort(), alike, whole: request, ...more };
}
