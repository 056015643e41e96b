/** Named lists of phrases; `{name}` in a phrase stands for one out of that list, and `all` holds whole texts. */
export type Grammar = { readonly all: readonly string[] } & Readonly<Record<string, readonly string[]>>;

const SLOT = /\{[A-Za-z]+\}/;
const SLOTS = /\{([A-Za-z]+)\}/g;
/** Slots may hold slots, so deep and no deeper. */
const DEPTH = 3;

/**
 * The first `count` different texts of a walk through a grammar that is the same each time: every list is stepped through
 * at its own pace, so that its entries meet in changing company.
 */
export function combine(grammar: Grammar, count: number): string[] {
  const texts = new Set<string>();
  for (let turn = 0; texts.size < count && turn < count * 20; turn++) {
    let state = Math.imul(turn + 1, 0x9e3779b1) >>> 0;
    const choose = (list: readonly string[]): string => {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0;
      state = (state ^ (state >>> 12)) >>> 0;
      return list[state % list.length]!;
    };
    let text = choose(grammar.all);
    for (let depth = 0; depth < DEPTH && SLOT.test(text); depth++)
      text = text.replaceAll(SLOTS, (_slot, name: string) => choose(grammar[name]!));
    texts.add(text.charAt(0).toUpperCase() + text.slice(1));
  }
  return [...texts];
}
