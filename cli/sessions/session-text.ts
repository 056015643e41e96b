import { columns, minuteText, nameAndId } from '../output/columns.js';
import { costText, dollars, millisecondsText } from '../output/figures.js';
import { plural } from '../output/plural.js';
import { placeOf, type Session, type SessionCall } from './session-client.js';
import { sessionSteps } from './session-steps.js';

/** The maximum indentation, so that deep chains of calls stay readable. */
const DEEPEST = 6;

/** One line per session. The id is last, because clients choose it and it may be long. */
export function sessionTable(sessions: readonly Session[]): string {
  return columns(
    ['LAST EVENT', 'APP', 'ENVIRONMENT', 'CALLS', 'TOOL CALLS', 'OUTCOMES', 'TOKENS', 'COST', 'SESSION'],
    sessions.map((session) => [
      ...[minuteText(session.last_at), session.app.name ?? session.app.id, session.environment],
      ...[String(session.calls), String(session.tool_calls), outcomesText(session), String(session.tokens)],
      ...[costText(session.cost_nano_usd, session.without_price), session.session_id],
    ]),
  );
}

/** The figures of one session and its calls as text; a session id in several apps or environments has figures for each of them. */
export function sessionText(sessions: readonly Session[], calls: readonly SessionCall[]): string {
  const places = new Set(calls.map(placeOf));
  const figures = sessions.map((session) => figuresText(session, places.has(placeOf(session))));
  return [...figures, ...(calls.length === 0 ? [] : [callTable(calls)])].join('\n');
}

/** @param hasCalls whether the log contains calls of the session */
function figuresText(session: Session, hasCalls: boolean): string {
  const { app, calls, tool_calls: toolCalls, models, weir_ms: weirMs, rules } = session;
  const rows: [label: string, value: string][] = [
    ['session', session.session_id],
    ['app', nameAndId(app.name, app.id)],
    ['environment', session.environment],
    ['first event', minuteText(session.first_at)],
    ['last event', minuteText(session.last_at)],
    ['calls', `${calls}, including ${plural(toolCalls, 'tool call')}`],
    ['outcomes', outcomesText(session)],
    ['models', models.length === 0 ? 'none' : models.join(', ')],
    ['tokens', String(session.tokens)],
    ['cost', costText(session.cost_nano_usd, session.without_price)],
    ['Weir added', typeof weirMs === 'number' ? millisecondsText(weirMs) : 'unknown'],
    ['rules', rulesText(rules, hasCalls)],
  ];
  return rows.map(([label, value]) => `${label.padEnd(12)} ${value.replace(/[\p{Cc}\p{Cf}]/gu, ' ')}\n`).join('');
}

/** The calls in order. Calls below another one are indented; the environment and the app are shown if they differ. */
function callTable(calls: readonly SessionCall[]): string {
  const isMixed = new Set(calls.map(placeOf)).size > 1;
  return columns(
    ['AT', 'STEP', 'OUTCOME', 'LATENCY', 'COST', ...(isMixed ? ['ENVIRONMENT', 'APP'] : []), 'EVENT', 'RULES'],
    sessionSteps(calls).map(({ call, depth }) => [
      call.received_at.replace('T', ' ').replace(/\.\d+Z$/, ''),
      `${'  '.repeat(Math.min(depth, DEEPEST))}${stepText(call)}`,
      outcomeText(call),
      millisecondsText(call.latency_ms.total),
      call.cost_nano_usd === null ? '' : dollars(call.cost_nano_usd),
      ...(isMixed ? [call.environment, call.app.name ?? call.app.id] : []),
      call.id,
      firedText(call),
    ]),
  );
}

/** The called model or tool; the type for other events. */
function stepText({ type, model, tool }: SessionCall): string {
  if (type === 'agent.tool_call') return `tool ${tool ?? '(unknown)'}`;
  return type === 'ai.request' ? `model ${model ?? '(unknown)'}` : type;
}

function outcomeText({ outcome, decision, reason }: SessionCall): string {
  const word = outcome ?? decision ?? '';
  return reason === null ? word : `${word} (${reason})`;
}

/** The rules that fired; in parentheses those whose action was not enforced. */
function firedText({ violations }: SessionCall): string {
  return [...new Set(violations.map(({ rule, enforced }) => (enforced ? rule : `(${rule})`)))].join(' ');
}

/** The service lists no rules of archived calls: without calls in the log, an empty list says nothing. */
function rulesText(rules: Session['rules'], hasCalls: boolean): string {
  if (rules === undefined || rules === null) return 'unknown';
  if (rules.length > 0) return rules.join(', ');
  return hasCalls ? 'none fired' : 'unknown';
}

/** The outcomes that occurred, such as `3 allowed, 1 blocked`. */
function outcomesText({ outcomes }: Session): string {
  return Object.entries(outcomes)
    .flatMap(([outcome, count]) => (count > 0 ? [`${count} ${outcome}`] : []))
    .join(', ');
}
