import { rememberedBy, type BoundStructure } from '../../core/detection/bind-structures.js';
import { afterCall, historyOf, NEW_SESSION } from '../../core/history/session-state.js';
import { NO_TEXTS, type DecodedCall } from '../../core/model/call.js';
import type { SessionHistory } from '../../core/model/session.js';
import type { TestSessionStep } from './suite-schema.js';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** The session described by a test; without steps, it begins with the judged call. */
export function sessionOf(steps: readonly TestSessionStep[], structures: readonly BoundStructure[]): SessionHistory {
  const state = steps.reduce(
    (before, step) => afterCall(before, rememberedBy(structures, callOf(step)), -agoMs(step)),
    NEW_SESSION,
  );
  return historyOf(state, 0, (address) => address);
}

function callOf(step: TestSessionStep): DecodedCall {
  if ('user' in step) {
    return { ...NO_TEXTS, segments: [{ path: 'session', role: 'user', text: step.user, ref: 0 }] };
  }
  const place = { path: 'session', segments: [] };
  if ('tool_result' in step) return { ...NO_TEXTS, pastToolResults: [{ ...place, name: step.tool_result }] };
  return { ...NO_TEXTS, newToolCalls: [{ ...place, name: step.tool_call, args: {} }] };
}

function agoMs(step: TestSessionStep): number {
  if (!('ago' in step) || step.ago === undefined) return 0;
  return Number(step.ago.slice(0, -1)) * UNIT_MS[step.ago.at(-1)!]!;
}
