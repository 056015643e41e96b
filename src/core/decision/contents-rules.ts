import type { CallContents } from '../model/call.js';
import type { Stage } from '../model/fact.js';
import type { CompiledPolicy, UnreadAnswer } from '../model/compiled-policy.js';
import type { FiredRule } from '../model/decision.js';

/** The rule ids under which `unread` and `media` of a policy report. */
export const UNREAD_RULE_ID = 'unread';
export const MEDIA_RULE_ID = 'media';
/** What is missing where a document's reader failed. */
export const DOCUMENTS = 'documents';

/** Whether something is unread because whoever was to read it failed, not because of what it is. */
export function hasOutage(contents: CallContents | undefined): boolean {
  return contents !== undefined && contents.unread.some(isOutage);
}

function isOutage({ why }: CallContents['unread'][number]): boolean {
  return why === 'outage';
}

/**
 * What a policy says about content that no detector has looked into, as rules that fired: bytes that could be neither
 * recognised nor read, and images, audio and video. They count at stage `pre`, and for answers at stage `post`.
 */
export function contentsRules(
  policy: CompiledPolicy,
  contents: CallContents,
  clientMonitor: boolean,
  stage: Stage = 'pre',
): FiredRule[] {
  const { unread, media, governed } = contents;
  const answer = governed ? policy.unread.governed : policy.unread.other;
  const made = (
    rule: string,
    says: UnreadAnswer,
    places: readonly { readonly path: string }[],
    missing: readonly string[] = [],
  ): FiredRule[] => {
    if (says === 'pass' || places.length === 0) return [];
    const softenedBy = policy.monitor
      ? 'policy'
      : clientMonitor && policy.clientMonitorMode === 'honor'
        ? 'client'
        : undefined;
    return [
      {
        rule,
        policy: policy.id,
        stage,
        severity: says === 'refuse' ? 'high' : 'medium',
        category: 'content',
        action: says === 'refuse' ? 'block' : 'flag',
        enforced: softenedBy === undefined,
        ...(softenedBy && { softenedBy }),
        message: MESSAGES[rule]!,
        reason: 'content_policy_violation',
        unavailable: missing.length > 0,
        missing,
        evidence: [],
        locations: places.map(({ path }) => path),
      },
    ];
  };
  const isLoose = (one: CallContents['unread'][number]): boolean => stage === 'post' && isUnknownFile(one);
  const sure = unread.filter((one) => !isOutage(one));
  return [
    ...made(
      UNREAD_RULE_ID,
      answer,
      sure.filter((one) => !isLoose(one)),
    ),
    ...made(UNREAD_RULE_ID, answer === 'refuse' ? 'flag' : answer, sure.filter(isLoose)),
    ...made(UNREAD_RULE_ID, answer, unread.filter(isOutage), [DOCUMENTS]),
    ...(stage === 'pre' ? made(MEDIA_RULE_ID, policy.media, media) : []),
  ];
}

/** Bytes of no known format in a field of an answer, such as audio without a header: no client reads words in them. */
function isUnknownFile({ path, why }: CallContents['unread'][number]): boolean {
  return why === 'binary' && path !== 'body';
}

const MESSAGES: Readonly<Record<string, string>> = {
  [UNREAD_RULE_ID]: 'The call holds content that cannot be read',
  [MEDIA_RULE_ID]: 'The call holds a picture, a recording or a film',
};
