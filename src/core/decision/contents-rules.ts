import type { CallContents } from '../model/call.js';
import type { Stage } from '../model/fact.js';
import type { CompiledPolicy, UnreadAnswer } from '../model/compiled-policy.js';
import type { FiredRule } from '../model/decision.js';

/** The rule ids in reports of a policy's `unread` and `media` settings. */
export const UNREAD_RULE_ID = 'unread';
export const MEDIA_RULE_ID = 'media';
/** The entry of `missing` if a document's reader failed. */
export const DOCUMENTS = 'documents';

/** Whether any content is unread because its reader failed, not because of its format. */
export function hasOutage(contents: CallContents | undefined): boolean {
  return contents !== undefined && contents.unread.some(isOutage);
}

function isOutage({ why }: CallContents['unread'][number]): boolean {
  return why === 'outage';
}

/**
 * A policy's settings for content that no detector has scanned, as rules that fired: unrecognised or unreadable bytes, and images,
 * audio and video. They apply at stage `pre`, and for answers at stage `post`.
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

/** Bytes of unknown format in a field of an answer, such as audio without a header: no client reads them as text. */
function isUnknownFile({ path, why }: CallContents['unread'][number]): boolean {
  return why === 'binary' && path !== 'body';
}

const MESSAGES: Readonly<Record<string, string>> = {
  [UNREAD_RULE_ID]: 'The call contains content that cannot be read',
  [MEDIA_RULE_ID]: 'The call contains an image, audio or video',
};
