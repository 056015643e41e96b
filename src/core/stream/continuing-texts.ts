import type { TokenText } from '../call/reading-place.js';
import type { Segment } from '../model/call.js';
import type { PieceKind, Scope } from '../providers/stream-family.js';

/** Members of a message that are always sent complete, by any vendor. */
const SENT_COMPLETE =
  /(?:^|\.)(?:annotations|citations|search_results|images|sources|references|url_citation|audio\.id)\b/;

/** Determines how further events continue a text. */
export function kindOfText(scope: Scope, { path: own, role }: Segment): Exclude<PieceKind, 'whole'> {
  const { family } = scope;
  const isOfTool = role === 'tool_call';
  const known = family.pieceKindOf(scope, own, isOfTool);
  if (known !== undefined) return known;
  const kind = continuationOf(scope, family.hasRulesOfAnswers ? family.answerPath(scope, own) : own);
  // Clients differ in how they read a call that is sent twice, so its texts are read in every way.
  return isOfTool && kind === 'retold' ? 'either' : kind;
}

/** Determines how further events continue a text of tokens. No client reads the tokens of one event as a text of their own. */
export function kindOfTokens(scope: Scope, segment: Segment, { repeats }: TokenText): 'whole' | 'piece' | 'retold' {
  if (repeats === 'alone') return 'whole';
  const kind = kindOfText(scope, segment);
  return kind === 'either' || kind === 'piece' ? 'piece' : 'retold';
}

function continuationOf({ family, type }: Scope, path: string): Extract<PieceKind, 'piece' | 'either' | 'retold'> {
  const { continuing, open } = family.textsOf(type);
  if (continuing.test(path)) return 'piece';
  return open.test(path) && !SENT_COMPLETE.test(path) ? 'either' : 'retold';
}
