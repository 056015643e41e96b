/** The input of the playground: a hypothetical call, and the policies that judge it. */
import type { Schemas } from '../api/client.ts';
import type { Environment } from '../api/types.ts';
import { isLocalInput, ofLocalInput } from '../parts/zone.ts';

export type Evaluated = Schemas['Evaluation'];
export const MODES = [
  ['text', 'Text'],
  ['messages', 'Messages'],
  ['tool', 'Tool call'],
] as const;
export type Mode = (typeof MODES)[number][0];
export const ROLES = ['user', 'assistant', 'system', 'tool'] as const;

export interface Message {
  readonly role: (typeof ROLES)[number];
  readonly content: string;
}

export interface Trial {
  readonly mode: Mode;
  readonly stage: 'pre' | 'post';
  readonly text: string;
  readonly messages: readonly Message[];
  readonly tool: string;
  /** JSON; anything else is used as a string. */
  readonly args: string;
  readonly model: string;
  readonly app: string;
  /** One entry per line: `name=value`. */
  readonly metadata: string;
  /** The value of a `datetime-local` input, in the time zone of shown times; empty: now. */
  readonly at: string;
  readonly down: readonly string[];
}

export const EMPTY_TRIAL: Trial = {
  ...{ mode: 'text', stage: 'pre', text: '', messages: [{ role: 'user', content: '' }], tool: 'run_shell' },
  ...{ args: '', model: '', app: '', metadata: '', at: '', down: [] },
};

export interface BundleFile {
  readonly name: string;
  readonly bundle: object;
}

/** The policy that judges: the active one, a deployment (0: the policies folder), or a bundle that is not deployed. */
export type Judge = 'force' | number | BundleFile;

export const judgeWords = (judge: Judge): string => {
  if (judge === 'force') return 'In force';
  if (typeof judge === 'object') return judge.name;
  return judge === 0 ? 'Policies folder' : `#${judge}`;
};

/** A chosen policy after another environment was chosen; null: it was a deployment, whose number belongs to its environment. */
export const inOtherEnvironment = (judge: Judge | null): Judge | null =>
  typeof judge === 'number' && judge > 0 ? null : judge;

/** Whether there is nothing to judge yet. */
export function isEmpty({ mode, text, messages, tool }: Trial): boolean {
  if (mode === 'text') return text.trim() === '';
  return mode === 'tool' ? tool.trim() === '' : messages.every(({ content }) => content.trim() === '');
}

/** The first line of metadata without a name, if there is one. */
export function wrongLine(metadata: string): string | undefined {
  return linesOf(metadata).find((line) => line.indexOf('=') < 1);
}

/** Whether the input can be judged. */
export const isReady = (trial: Trial): boolean =>
  !isEmpty(trial) && wrongLine(trial.metadata) === undefined && isClock(trial.at);

/** Whether the time of the call can be parsed, or there is none. */
export const isClock = (at: string): boolean => at === '' || isLocalInput(at);

/** An input with all that its decision depends on. */
export interface AskedTrial {
  readonly env: Environment;
  readonly trial: Trial;
  readonly judge: Judge;
  /** The zone of the typed time; null if there is none. */
  readonly zone: string | null;
}

/** Whether a decision is about what is on the page now. @param now null: it cannot be judged */
export function isSameTrial(asked: AskedTrial, now: AskedTrial | null): boolean {
  if (now === null) return false;
  const { env, trial, judge, zone } = now;
  return asked.env === env && asked.trial === trial && asked.judge === judge && asked.zone === zone;
}

/** The body of the API request. */
export function bodyOf(trial: Trial, judge: Judge): object {
  const { mode, stage, text, messages, tool, args, model, app, metadata, at, down } = trial;
  const pairs = linesOf(metadata).map((line) => {
    const equals = line.indexOf('=');
    return [line.slice(0, equals).trim(), looseValue(line.slice(equals + 1).trim())] as const;
  });
  return {
    ...(model === '' ? {} : { model }),
    ...(app === '' ? {} : { app }),
    ...(pairs.length === 0 ? {} : { metadata: Object.fromEntries(pairs) as object }),
    ...(at === '' || !isClock(at) ? {} : { at: ofLocalInput(at) }),
    ...(down.length === 0 ? {} : { unavailable: down }),
    ...(judge === 'force' ? {} : typeof judge === 'number' ? { deployment: judge } : { bundle: judge.bundle }),
    ...(mode === 'text' ? { stage, text } : {}),
    ...(mode === 'messages' ? { messages: messages.filter(({ content }) => content !== '') } : {}),
    ...(mode === 'tool' ? { tool: { name: tool, arguments: args.trim() === '' ? {} : looseValue(args) } } : {}),
  };
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line.trim() !== '');

/** Parses a value as JSON, otherwise keeps it as a string, as `weir try` does. */
function looseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
