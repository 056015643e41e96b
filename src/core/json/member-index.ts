import type { MemberFinder, ObjectMember } from './json-node.js';

/** An object with at least this number of members gets an index, because a decoder looks up dozens of names. */
export const MANY_MEMBERS = 64;
/** Maximum number of names in one table: growing a larger one takes milliseconds. */
const MEMBERS_OF_A_TABLE = 4_096;

/**
 * Finds members of an object by name, however many there are. The index grows with each member that is read: building it afterwards
 * would block the thread for a long time.
 */
export class MemberIndex implements MemberFinder {
  /** The members by their keys in lower case; the first table holds the first members of the text. */
  private readonly tables: Map<string, ObjectMember | ObjectMember[]>[] = [];
  private sinceTable = MEMBERS_OF_A_TABLE;

  constructor(members: readonly ObjectMember[]) {
    for (const member of members) this.add(member);
  }

  add(member: ObjectMember): void {
    if (this.sinceTable === MEMBERS_OF_A_TABLE) {
      this.tables.push(new Map());
      this.sinceTable = 0;
    }
    this.sinceTable++;
    const table = this.tables.at(-1)!;
    const name = member.key.text.toLowerCase();
    const known = table.get(name);
    if (known === undefined) table.set(name, member);
    else if (Array.isArray(known)) known.push(member);
    else table.set(name, [known, member]);
  }

  last(key: string): ObjectMember | undefined {
    const name = key.toLowerCase();
    for (let at = this.tables.length - 1; at >= 0; at--) {
      const known = this.tables[at]!.get(name);
      const member = Array.isArray(known) ? known.findLast((one) => one.key.text === key) : known;
      if (member?.key.text === key) return member;
    }
    return undefined;
  }

  named(names: readonly string[]): readonly ObjectMember[] {
    const asked = [...new Set(names)];
    const found = asked.flatMap((name) => this.tables.flatMap((table) => table.get(name) ?? []));
    return asked.length === 1 ? found : found.sort((left, right) => left.start - right.start);
  }
}
