import { z } from 'zod';
import type { GlobalArgs } from '../command.js';
import { EXIT, type Outcome } from '../exit-code.js';
import { write, type Io } from '../io.js';
import { andMore } from '../vocabulary.js';
import { plural } from './plural.js';

/** The entries printed by a command, and whether there are more. */
interface Listed<Entry> {
  readonly rows: Entry[];
  readonly more: boolean;
}

/**
 * What a command that lists gives, as JSON, for people, and in its last line.
 *
 * @param noun of one entry, such as `key`: in JSON the entries stand under `keys`
 */
export function entryList<Entry extends z.ZodType>(noun: string, entry: Entry) {
  const name = `${noun}s`;
  return {
    output: z.strictObject({ schemaVersion: z.literal(1), [name]: z.array(entry), more: z.boolean() }),

    async print(
      { rows, more }: Listed<z.infer<Entry>>,
      { json }: Pick<GlobalArgs, 'json'>,
      io: Io,
      forPeople: (rows: readonly z.infer<Entry>[]) => string,
    ): Promise<Outcome> {
      const report = { schemaVersion: 1, [name]: rows, more };
      await write(io.stdout, json ? `${JSON.stringify(report)}\n` : forPeople(rows));
      return { exit: EXIT.ok, words: `${plural(rows.length, noun)}${andMore(more)}` };
    },
  };
}
