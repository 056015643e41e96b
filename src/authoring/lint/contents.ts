import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { remark, type Remark } from './finding.js';

/**
 * G311 and G134: policies that let unread content pass on routes that take prompts, and values of `unmaskable` that no rule uses. A key
 * inherited by several environments counts as used if one of them uses it.
 */
export function checkContents(policies: readonly CompiledPolicy[]): Remark[] {
  return [...policies.flatMap(passesUnread), ...UNMASKABLE.flatMap((key) => neverAsked(key, policies))];
}

const UNMASKABLE = ['unmaskable.documents', 'unmaskable.signed'] as const;

function passesUnread({ unread, environment, sources }: CompiledPolicy): Remark[] {
  const at = sources.settings['unread.governed'];
  if (unread.governed !== 'pass' || at === undefined) return [];
  return [
    remark(
      'G311',
      at,
      `in ${environment}, unreadable content goes to providers without an event`,
      'use `flag` to report it, or give a reason in an ignore comment',
    ),
  ];
}

function neverAsked(key: (typeof UNMASKABLE)[number], policies: readonly CompiledPolicy[]): Remark[] {
  return policies.flatMap((policy) => {
    const at = policy.sources.settings[key];
    if (at === undefined) return [];
    const sharing = policies.filter(({ sources }) => {
      const other = sources.settings[key];
      return other !== undefined && other.file === at.file && other.line === at.line;
    });
    if (sharing.some(masks)) return [];
    return [
      remark(
        'G134',
        at,
        `\`${key}\` never applies: no enforced rule masks anything`,
        'remove the setting, or add an enforced rule that redacts',
      ),
    ];
  });
}

function masks({ monitor, rules }: CompiledPolicy): boolean {
  return !monitor && rules.some((rule) => rule.redact !== undefined && !rule.monitor);
}
