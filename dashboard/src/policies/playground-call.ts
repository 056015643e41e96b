/** The input of the playground: a hypothetical call, and the policies that judge it. */
import type { Schemas } from '../api/client.ts';

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
  /** The value of a `datetime-local` input, in the browser's time zone; empty: now. */
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

/** Whether there is nothing to judge yet. */
export function isEmpty({ mode, text, messages, tool }: Trial): boolean {
  if (mode === 'text') return text.trim() === '';
  return mode === 'tool' ? tool.trim() === '' : messages.every(({ content }) => content.trim() === '');
}

/** The first line of metadata without a name, if there is one. */
export function wrongLine(metadata: string): string | undefined {
  return linesOf(metadata).find((line) => line.indexOf('=') < 1);
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
    ...(at === '' || Number.isNaN(Date.parse(at)) ? {} : { at: new Date(at).toISOString() }),
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
