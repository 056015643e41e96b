import { z } from 'zod';
import type {
  DecodedCall,
  FactDefinition,
  FactSet,
  FactValue,
  Stage,
  StructureContext,
  StructurePlugin,
  ToolCall,
} from '../../src/core/plugin-api.js';
import { SESSIONS, ToolNames, Unknown, withFreeText } from '../../src/core/plugin-api.js';
import { DESTINATION_KINDS } from './destinations.js';
import { EFFECTS, effectOf, EXAMPLES, SINK_EFFECTS, type Effect } from './effects.js';
import { argsFact, asFact, callCounts, repeats, toolEvents, type Session } from './history.js';
import { destinationFacts, provenanceOf, SIGNALS, sureIf, type Provenance } from './provenance.js';
import { eventsBefore, recentFacts, RECENT_FACTS, rememberedOf, restOf } from './session.js';

const options = z.strictObject({
  /** Tools with external effects, regardless of their names. */
  sinks: z.array(z.string().min(1)).max(1_000).default([]),
  /** Tools that only read, regardless of their names. */
  readers: z.array(z.string().min(1)).max(1_000).default([]),
  /** Hosts (and their subdomains) that are always trusted as destinations. */
  trusted_hosts: z.array(z.string().min(1)).max(1_000).default([]),
});
export type ToolUseOptions = z.output<typeof options>;

type FactExtras = Partial<
  Pick<
    FactDefinition,
    'optional' | 'range' | 'unit' | 'values' | 'invariants' | 'isToolName' | 'ofSession' | 'clientControlled'
  >
>;

function fact(
  name: string,
  type: FactDefinition['type'],
  stages: readonly Stage[],
  summary: string,
  extras: FactExtras = {},
): FactDefinition {
  return { name, type, stages, summary, optional: false, clientControlled: false, ...extras };
}

const COUNT = { unit: 'items', range: { min: 0 } } as const;
const ANY: readonly Stage[] = ['pre', 'post', 'tool'];
/** Value of facts whose source is missing, such as the conversation. A rule's `on_unknown` decides, while a silent 0 would be wrong. */
const UNAVAILABLE = new Unknown('unavailable', 'tool-use');
const NEEDS_CONVERSATION = [
  'repeats',
  'untrusted_destinations',
  'untrusted_kinds',
  'hijack_signals',
  'hijack_score',
] as const;

const facts: readonly FactDefinition[] = [
  fact('tool.name', 'string', ['tool'], 'Name of the tool that is about to be called.', {
    isToolName: true,
  }),
  fact('tool.args.*', 'any', ['tool'], 'An argument of the call by its path; absent when the call does not have it.', {
    optional: true,
  }),
  fact('tool.args_valid', 'boolean', ['tool'], 'Whether the arguments are valid JSON.'),
  fact(
    'tool.known',
    'boolean',
    ['tool'],
    'Whether the request declared a tool with the name of the called tool; absent when the request is not known, unknown when its tools cannot be read.',
    { optional: true, clientControlled: true },
  ),
  fact(
    'tool.effect',
    'string',
    ['tool'],
    "The effect of the tool, derived from the tool's name or from the options `sinks` and `readers`.",
    { values: EFFECTS },
  ),
  fact(
    'tool.repeats',
    'integer',
    ['tool'],
    'Number of earlier calls in the conversation with the same tool and equal arguments.',
    COUNT,
  ),
  fact('tool.destination_kinds', 'string_set', ['tool'], 'Kinds of the addresses in the arguments.', {
    values: DESTINATION_KINDS,
  }),
  fact(
    'tool.unstated_destinations',
    'integer',
    ['tool'],
    'Number of addresses in the arguments that neither the user nor the system prompt named, in the conversation or earlier in the session.',
    { ...COUNT, ofSession: true },
  ),
  fact(
    'tool.untrusted_destinations',
    'integer',
    ['tool'],
    'Number of addresses in the arguments that a tool result named, but neither the user nor the system prompt.',
    {
      ...COUNT,
      invariants: ['tool.untrusted_destinations <= tool.unstated_destinations'],
    },
  ),
  fact(
    'tool.untrusted_kinds',
    'string_set',
    ['tool'],
    'Kinds of the addresses in the arguments that only a tool result named.',
    {
      values: DESTINATION_KINDS,
      invariants: ['tool.untrusted_kinds is empty exactly when tool.untrusted_destinations is 0'],
    },
  ),
  fact(
    'tool.hijack_signals',
    'string_set',
    ['tool'],
    'Signs that the call was not requested by the user; unknown when the request has no words of the user.',
    { values: SIGNALS },
  ),
  fact(
    'tool.hijack_score',
    'number',
    ['tool'],
    'Likelihood that the call follows an instruction that the user did not give; unknown when the request has no words of the user.',
    { unit: 'ratio', range: { min: 0, max: 1 } },
  ),
  fact('tool_calls', 'tool_calls', ['post', 'tool'], 'The new tool calls of the answer, in order.'),
  fact('tool_calls_count', 'integer', ['post', 'tool'], 'Number of new tool calls in the answer.', COUNT),
  fact('tools.declared', 'string_set', ['pre'], 'Names of the tools that the request declares.', {
    isToolName: true,
    clientControlled: true,
  }),
  fact('history.tool_calls', 'tool_calls', ANY, 'Past tool calls of the conversation, in order.'),
  fact('history.tool_results', 'tool_results', ANY, 'Past tool results of the conversation, in order.'),
  fact(
    'flow',
    'flow',
    ['tool'],
    'The steps before the call, in the conversation and in the session; only `flow` conditions read them.',
    {
      ofSession: true,
    },
  ),
  ...RECENT_FACTS,
];

/** Facts about tool calls: name, arguments, preceding events, and origin of the addresses. */
export const toolUse: StructurePlugin<ToolUseOptions> = {
  kind: 'structure',
  meta: {
    id: 'tool-use',
    version: '1.0.0',
    revision: 11,
    summary: 'Reads tool calls, their arguments, the history before them, and the origin of their addresses.',
    options,
  },
  facts,
  follows: [{ fact: 'tool.effect', from: 'tool.name', of: effectFor, examples: namesPerEffect }],
  read,
  remembered: rememberedOf,
};

function read(call: DecodedCall, context: StructureContext, settings: ToolUseOptions): FactSet {
  const conversation = conversationOf(call, context);
  const { toolCall, once = (_name, make) => make() } = context;
  // The calls of a stream arrive one by one: facts about the answer are computed for each of them, facts about the past only once.
  const base: Record<string, FactValue> = {
    tool_calls: call.newToolCalls.map(asFact),
    tool_calls_count: call.newToolCalls.length,
    tools: once('tool-use: declared', () => ({
      declared: unique((conversation ?? call).declaredTools.map((tool) => tool.name)),
    })),
  };
  const session = context.session ?? new Unknown('unavailable', SESSIONS.unnamed);
  if (toolCall !== undefined)
    base['tool'] = toolFacts(withFreeText(toolCall, call.segments), { conversation, session, settings, once });
  const past = conversation && once('tool-use: past', () => pastOf(conversation));
  const before = eventsBefore(past?.events, session);
  const now = callsBefore(toolCall, call, before.length);
  return {
    ...base,
    history: past?.history ?? UNAVAILABLE,
    recent: recentFacts(
      session,
      toolCall?.name,
      now.map(({ name }) => name),
    ),
    flow: {
      events: [...before, ...now],
      ...restOf(past !== undefined, session),
      ...(toolCall === undefined ? {} : { current: { name: toolCall.name } }),
    },
  };
}

function pastOf(conversation: DecodedCall) {
  const events = toolEvents(conversation).map((event) => ({ ...event }));
  const results = events.filter((event) => event.kind === 'tool_result');
  return {
    events,
    history: {
      tool_calls: conversation.pastToolCalls.map(asFact),
      tool_results: results.map(({ name, index }) => ({ name, index })),
    },
  };
}

/** The request of an answer, or the call itself if it is a request. */
function conversationOf(call: DecodedCall, context: StructureContext): DecodedCall | undefined {
  if (context.request !== undefined) return context.request;
  if (call.dialect === 'weir.ai_response' || call.dialect === 'weir.tool_call' || call.dialect === 'weir.ai_error') {
    return undefined;
  }
  return call.newToolCalls.length > 0 ? undefined : call;
}

/** The calls in the same answer before the judged one. */
function callsBefore(toolCall: ToolCall | undefined, call: DecodedCall, from: number) {
  const position = toolCall === undefined ? -1 : call.newToolCalls.indexOf(toolCall);
  return call.newToolCalls
    .slice(0, Math.max(0, position))
    .map(({ name }, index) => ({ kind: 'tool_call' as const, name, index: from + index }));
}

interface Known {
  readonly conversation: DecodedCall | undefined;
  readonly session: Session;
  readonly settings: ToolUseOptions;
  readonly once: NonNullable<StructureContext['once']>;
}

function toolFacts(toolCall: ToolCall, { conversation, session, settings, once }: Known): FactValue {
  const effect = effectFor(toolCall.name, settings);
  const base = {
    name: toolCall.name,
    args: argsFact(toolCall.args),
    args_valid: toolCall.args !== undefined,
    effect,
  };
  if (conversation === undefined) {
    return {
      ...base,
      known: null,
      ...Object.fromEntries(NEEDS_CONVERSATION.map((name) => [name, UNAVAILABLE])),
      ...destinationFacts(toolCall, effect, session, settings.trusted_hosts),
    };
  }
  const provenance = provenanceOf(toolCall, effect, conversation, {
    trustedHosts: settings.trusted_hosts,
    once,
    isNamedBefore: (address) => !(session instanceof Unknown) && session.hasNamed(address),
  });
  return {
    ...base,
    known: isKnown(toolCall, conversation, once),
    repeats: repeats(
      toolCall,
      once('tool-use: repeats', () => callCounts(conversation)),
    ),
    ...factsOf(provenance),
  };
}

/** Whether a request offered the tool. Unknown if the format of the request is unknown and no offered tools were recognised in it. */
function isKnown({ name }: ToolCall, { dialect, declaredTools }: DecodedCall, once: Known['once']): FactValue {
  if (dialect === 'generic' && declaredTools.length === 0) return UNAVAILABLE;
  return once('tool-use: names', () => new ToolNames(declaredTools.map((tool) => tool.name))).has(name);
}

function factsOf(provenance: Provenance): Readonly<Record<string, FactValue>> {
  const sure = (value: FactValue): FactValue => sureIf(provenance.isComplete, value);
  return {
    destination_kinds: sure(provenance.kinds),
    unstated_destinations: sure(provenance.unstated),
    untrusted_destinations: sure(provenance.untrusted),
    untrusted_kinds: sure(provenance.untrustedKinds),
    hijack_signals: provenance.isSpoken ? sure(provenance.signals) : UNAVAILABLE,
    hijack_score: provenance.isSpoken ? sure(provenance.hijackScore) : UNAVAILABLE,
  };
}

function effectFor(name: string, settings: ToolUseOptions): Effect {
  const isSink = ToolNames.of(settings.sinks).hasLastPartOf(name);
  if (!isSink && ToolNames.of(settings.readers).has(name)) return 'read';
  const effect = effectOf(name);
  return isSink && !SINK_EFFECTS.has(effect) ? 'sink' : effect;
}

/** Tool names that cover every possible effect. */
function namesPerEffect({ sinks, readers }: ToolUseOptions): string[] {
  return [...Object.values(EXAMPLES), ...sinks, ...readers];
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
