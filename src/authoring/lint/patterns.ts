import { parseOperatorName } from '../../core/decision/policy-runtime.js';
import { engineLeaves } from '../../core/policy/engine-rules.js';
import { STAGES } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { remark, type Remark } from './finding.js';

/** G142: expressions whose meaning differs from their appearance. */
export function checkPatterns(policy: CompiledPolicy): Remark[] {
  return STAGES.flatMap((stage) =>
    [...policy.stages[stage].asWritten, ...policy.stages[stage].exceptions].flatMap(({ conditions }) =>
      engineLeaves(conditions).flatMap(({ name, operator, value }) => {
        const { op } = parseOperatorName(operator);
        const place = policy.sources.leaves[name];
        if ((op !== 'matches' && op !== 'not_matches') || typeof value !== 'string' || place === undefined) return [];
        return suspicions(value).map(({ message, hint }) => remark('G142', place.at, message, hint));
      }),
    ),
  );
}

interface Suspicion {
  readonly message: string;
  readonly hint: string;
}

const DOMAIN_HINT = 'use email_domain_in or url_host_in';
/** Endings after an unescaped dot that show that an expression is meant for a domain. */
const TOP_LEVEL = /\.(?:com|org|net|io|dev|example|eu|de|uk|gov|edu)(?![a-z])/i;

/**
 * Probable mistakes in an expression: a word in a character class (which matches only one of its letters), an unescaped dot in a domain
 * (which matches any character), and anchors that apply to only one alternative.
 */
export function suspicions(pattern: string): Suspicion[] {
  const found: Suspicion[] = [];
  const classes = classesOf(pattern);
  if (classes.some((content) => looksLikeWord(content))) {
    const message = 'a character class contains a word, but matches only one of its letters';
    found.push({ message, hint: DOMAIN_HINT });
  }
  const outside = pattern.replace(/\\[\s\S]/g, '\u0000').replace(/\[[^\]]*\]/g, '\u0001');
  if (TOP_LEVEL.test(outside)) {
    const message = 'an unescaped dot in an apparent domain matches any character';
    found.push({ message, hint: `write \\. or ${DOMAIN_HINT}` });
  }
  if (bindsOneAlternative(outside)) {
    const message = '^ and $ apply to only one alternative';
    found.push({ message, hint: 'put the alternatives into a group: ^(?:a|b)$' });
  }
  return found;
}

function classesOf(pattern: string): string[] {
  return [...pattern.replace(/\\[\s\S]/g, '').matchAll(/\[\^?([^\]]*)\]/g)].map(([, content = '']) => content);
}

/**
 * A class usually contains ranges, escapes and punctuation. Letters around a dot, or a long run of letters with a repeated letter,
 * indicate a word.
 */
function looksLikeWord(content: string): boolean {
  const plain = content.replace(/.-./g, ' ');
  return /[a-z]{2,}\.[a-z]{2,}/i.test(plain) || (/[a-z]{5,}/i.test(plain) && hasRepeat(plain));
}

function hasRepeat(text: string): boolean {
  const word = /[a-z]{5,}/i.exec(text)?.[0].toLowerCase() ?? '';
  return new Set(word).size < word.length;
}

function bindsOneAlternative(outside: string): boolean {
  const parts = topLevelParts(outside);
  if (parts.length < 2) return false;
  const starts = parts.filter((part) => part.startsWith('^')).length;
  const ends = parts.filter((part) => part.endsWith('$')).length;
  return (starts > 0 && starts < parts.length) || (ends > 0 && ends < parts.length);
}

function topLevelParts(pattern: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const letter of pattern) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (letter === '|' && depth === 0) parts.push('');
    else parts.push((parts.pop() ?? '') + letter);
  }
  return parts;
}
