import { Logger } from '@nestjs/common';
import { createLogger, errorForLog, NestLogger } from './logger.js';

describe('A line of the log', () => {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  beforeEach(() => {
    lines.length = 0;
    Logger.overrideLogger(new NestLogger(createLogger('trace', destination)));
  });
  afterEach(() => Logger.overrideLogger(false));

  it('has the places of an error, and no line of its message that looks like one', () => {
    const written = JSON.stringify(errorForLog(new TypeError('unexpected token\n    at the bank they said')));
    expect(written).toContain('logger.spec.ts');
    expect(written).not.toContain('the bank');
  });

  it('has the fields and the text from the feature, and the name of the feature', () => {
    new Logger('exports').error({ error: 'RangeError', export: 'x1' }, 'an export failed');
    expect(lines).toEqual([
      expect.objectContaining({
        level: 50,
        context: 'exports',
        error: 'RangeError',
        export: 'x1',
        msg: 'an export failed',
      }),
    ]);
  });

  it('has only the text if there are no fields', () => {
    new Logger('events').warn('an end of a call is kept');
    expect(lines).toEqual([expect.objectContaining({ level: 40, context: 'events', msg: 'an end of a call is kept' })]);
  });

  it('names an error and never its message, which may quote content', () => {
    new Logger('events').error(new TypeError('jane@corp.example is no number'), 'at stack');
    expect(lines).toEqual([expect.objectContaining({ level: 50, msg: 'TypeError' })]);
    expect(JSON.stringify(lines)).not.toContain('jane');
  });
});
