/** Filters that are typed into the search box, such as `rule:x -app:y cost>0.05 weir>10ms "exact words"`. */
import { looksSecret, SECRET_REFUSED } from '../parts/secret-shape.ts';
import type { Search } from '../shell/view.ts';
import { withValues } from './filter-options.ts';
import { isFilter, isList, turnedRound, wantedValue, type NamedApp } from './filters.ts';

/** Comparisons as users type them, with the names of their URL parameters. */
const AT_LEAST: Readonly<Record<string, { readonly name: string; readonly unit: RegExp }>> = {
  cost: { name: 'min_cost_usd', unit: /^\$|usd$/i },
  weir: { name: 'min_weir_ms', unit: /ms$/i },
};

/** A filter, a text in quotes, or a word; parts of a value may be in quotes. */
const TOKEN = /-?(?:metadata\.[^\s:="]+[:=]|\w+:)(?:"[^"]*"|[^\s"])+|"[^"]*"|\S+/g;
const COMPARED = /^(cost|weir)>=?(.*)$/i;
const NAMED = /^(-?)(metadata\.[^\s:="]*(?=[:=])|\w+(?=:))[:=](.*)$/;

interface Term {
  /** The parameter of the URL. */
  readonly name: string;
  readonly value: string;
}

interface Problem {
  readonly problem: string;
}

export interface Typed {
  /** The change of the parameters of the URL: values are added to those that a filter has. */
  readonly change: Search;
  /** Why the input was not understood, as a sentence; no search runs then. */
  readonly problem?: string;
}

/**
 * The change of the filters by a typed text; words without a name are searched as text. They replace the text searched before, because the
 * service searches for one text, and both together would be another one; the chip of the text can be edited.
 *
 * @param search the parameters of the URL
 */
export function typedFilters(text: string, apps: readonly NamedApp[], search: Search): Typed {
  if (looksSecret(text)) return { change: {}, problem: SECRET_REFUSED };
  const terms: Term[] = [];
  const words: string[] = [];
  for (const token of text.match(TOKEN) ?? []) {
    const found = termOf(token);
    if (found === undefined) words.push(token.replaceAll('"', ''));
    else if ('problem' in found) return { change: {}, ...found };
    else terms.push(found);
  }
  if (words.length > 0) terms.push({ name: 'q', value: words.join(' ') });
  let change: Search = {};
  for (const { name, value } of terms) {
    const before = change[name];
    if (before !== undefined && before !== value && !isList(name))
      return { change: {}, problem: `“${name}” accepts only one value.` };
    const wanted = wantedValue(name, value, apps);
    if (wanted.problem !== undefined) return { change: {}, problem: wanted.problem };
    if (wanted.value !== undefined) change = { ...change, ...withValues({ ...search, ...change }, name, wanted.value) };
  }
  return { change };
}

/** Undefined: the token is searched as text. */
function termOf(token: string): Term | Problem | undefined {
  const [, compared, least] = COMPARED.exec(token) ?? [];
  if (compared !== undefined && least !== undefined) {
    const { name, unit } = AT_LEAST[compared.toLowerCase()]!;
    const value = least.replace(unit, '');
    return /^[\d.]+$/.test(value) ? { name, value } : { problem: `“${token}” needs a number after >.` };
  }
  const [, minus, name, written] = NAMED.exec(token) ?? [];
  if (name === undefined || written === undefined || !isFilter(name)) return undefined;
  const value = written.replaceAll('"', '');
  if (value.trim() === '') return { problem: `“${name}” needs a value.` };
  const wanted = minus === '-' ? turnedRound(name) : name;
  return wanted === undefined ? { problem: `“${name}” cannot be negated with -.` } : { name: wanted, value };
}
