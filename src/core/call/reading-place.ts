import type { TextNode } from '../json/json-node.js';
import type { SegmentRole } from '../model/call.js';
import type { Steps } from '../steps/steps.js';

/** The path of a node, and the role of its texts. */
export interface Place {
  readonly path: string;
  readonly role: SegmentRole;
  /** Nearest object key. */
  readonly key?: string;
  /** Whether the object around the value declares that it is a file in base64. */
  readonly isFile?: true;
}

/** A text that tokens of log probabilities form. */
export interface TokenText {
  readonly text: string;
  readonly place: Place;
  /**
   * Whether a text beside the tokens is this text (`all`), begins or ends with it (`part`), or neither; `alone` for a token that the model
   * did not choose.
   */
  readonly repeats: 'all' | 'part' | 'nothing' | 'alone';
  /** Whether these are the bytes of tokens that are a text beside them. */
  readonly areOfText?: boolean;
  /** Returns the node of the text, which is created if the text is to be judged. */
  readonly node: () => TextNode;
}

/** The steps that a reader left to be run. The caller must run them before it reads anything else. */
export type RemainingSteps = Steps<void> | undefined;

/** The members of a call that are its arguments: a member for arguments, its other members, or none, because it has only a name. */
export type ArgumentsOrigin = 'member' | 'own' | 'none';
