import type { LoggerService } from '@nestjs/common';
import pino, { type DestinationStream, type Level, type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { LogLevel } from '../config/index.js';
import { stackFrames } from '../core/index.js';
import { lineWritten, traceIds } from '../telemetry/index.js';
import { LogWriter } from './log-writer.js';

export type { Logger } from 'pino';

/** Injection token of the process's logger. */
export const LOGGER = Symbol('LOGGER');

/**
 * Logs one JSON object per line, or readable lines on a terminal. Each caller decides what it logs: ids, routes, numbers and names of
 * errors; never headers, bodies, query strings or messages of foreign errors. Without a `destination`, lines are buffered: see
 * `LogWriter`.
 */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => traceIds() ?? {},
    hooks: { streamWrite: written },
  };
  if (destination !== undefined) return pino(options, destination);
  if (process.stdout.isTTY)
    return pino(options, pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' }));
  const lines = new LogWriter({
    onLeftOut: (count) =>
      logger.warn({ lines: count }, 'log lines were dropped because the output was not read in time'),
  });
  const logger = pino(options, lines);
  return logger;
}

/** Returns the line to write, after passing it to the OpenTelemetry collector, if there is one. */
function written(line: string): string {
  lineWritten(line);
  return line;
}

/** What a log line may say about an error: its kind and where it was thrown, not its message, which may quote content. */
export function errorForLog(thrown: unknown, depth = 0): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { name: typeof thrown };
  const code =
    'code' in thrown && (typeof thrown.code === 'string' || typeof thrown.code === 'number') ? thrown.code : undefined;
  const frames = stackFrames(thrown)
    .slice(0, 12)
    .map((line) => line.trim());
  return {
    name: thrown.name,
    ...(code === undefined ? {} : { code }),
    frames,
    ...(thrown.cause !== undefined && depth < 3 ? { cause: errorForLog(thrown.cause, depth + 1) } : {}),
  };
}

/** Sends Nest's own lines to the same logger; its start-up messages only at level debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    // Nest's framework contexts log the start-up; features log through Nest's Logger under their own names.
    const chatter = FRAMEWORK_CONTEXTS.has(contextOf(rest) ?? '');
    this.write(chatter ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    // The start script logs an error that prevents the start; Nest would log it twice.
    this.write(contextOf(rest) === 'ExceptionHandler' ? 'debug' : 'error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Features log fields and then a text, as in pino; Nest appends the context to both. */
  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    const context = contextOf(rest);
    const [text, ...behind] = rest;
    if (isFields(message) && typeof text === 'string' && behind.length > 0)
      this.logger[level]({ context, ...message }, text);
    else this.logger[level]({ context }, textOf(message));
  }
}

const FRAMEWORK_CONTEXTS: ReadonlySet<string> = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
  'FastifyAdapter',
]);

/** Nest passes the context as the last argument. */
function contextOf(rest: readonly unknown[]): string | undefined {
  const last = rest.at(-1);
  return typeof last === 'string' && !last.includes('\n') ? last : undefined;
}

function isFields(message: unknown): message is Readonly<Record<string, unknown>> {
  return typeof message === 'object' && message !== null && Object.getPrototypeOf(message) === Object.prototype;
}

function textOf(message: unknown): string {
  if (typeof message === 'string') return message;
  return message instanceof Error ? message.name : typeof message;
}
