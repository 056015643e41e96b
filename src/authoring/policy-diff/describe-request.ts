import { Unknown, type FactValue, type Stage } from '../../core/model/fact.js';
import { splitFactName } from '../../core/facts/read-path.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import type { RawFinding, Request } from './request.js';

/** A request as plain data, for people, reports and tests. */
export interface DescribedRequest {
  readonly stage: Stage;
  /** Facts by dotted name; null: absent. Detectors are described in `findings` instead. */
  readonly facts: Readonly<Record<string, FactValue>>;
  /** The findings of each relevant detector. */
  readonly findings: Readonly<Record<string, readonly RawFinding[]>>;
  /** Detectors, plugins or `budget` that are unavailable. */
  readonly unavailable: readonly string[];
  /** The time in RFC 3339, if it is relevant. */
  readonly at?: string;
  readonly monitorMode?: boolean;
  /** Other values with the same effect, by fact. */
  readonly alike: Readonly<Record<string, readonly string[]>>;
  /** The complete request with all variables, also those that are not described; a test needs all of them. */
  readonly whole: Request;
}

/** @param shown names of the variables to describe */
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
