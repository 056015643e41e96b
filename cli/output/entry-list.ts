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
 * The output of a command that lists entries: its JSON schema, and a function that prints JSON or text and returns the outcome.
 *
 * @param noun the singular, such as `key`: in JSON, the entries are under `keys`
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
