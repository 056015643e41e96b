import { UNSEEN } from './unseen.js';

/**
 * Places in which a phrase is harmless. Each is recognised as a whole, up to its end, so that an attack does not become harmless by
 * beginning like one of them.
 */
type Place = (text: string, start: number, end: number) => boolean;

/** White space and the marks at the beginning of the lines of a comment. */
const LINE = String.raw`[\s>*/#;-]{1,12}`;
/** Units before and after a match that are read; the address of a badge can contain a picture. */
const NEAR = 100;
const LONGEST_BADGE = 4_096;

const before = (text: string, start: number): string => text.slice(Math.max(0, start - NEAR), start);
const after = (text: string, end: number): string => text.slice(end, end + NEAR);

const PICTURE = /^(?:!\[[^\]\n]{0,80}\]\([^\s)]{1,4000}\)|<img[^>\n]{1,4000}>)/i;
const BADGE_HOST = /["'(=]https:\/\/(?:img\.shields\.io|badgen\.net|badge\.fury\.io)\//gi;
/** A path in a file of JSON, and a picture in base64: values that tell the service of the badge what to draw. */
const DRAWN =
  /(?<=[?&;])(?:query=\$\.[\w.[\]*-]{1,80}|logo=data(?::|%3a)image(?:\/|%2f)[a-z0-9.+%-]{1,20}(?:;|%3b)base64(?:,|%2c)[a-z0-9+/=%-]{0,4000})(?=[&\s)"'>])/gi;
/** A second address, something to fill in, and names of what a model knows. */
const CARRIES =
  /\/\/|%2f%2f|url=|\{|%7b|[?&;][\w.-]{1,30}=(?:\[|<|\$|data|secret|summary|conversation|prompt|password|history|user)/i;

/** A badge of a service that draws badges, with nothing in its address that another server could receive. */
export const isBadge: Place = (text, start) => {
  const picture = PICTURE.exec(text.slice(start, start + LONGEST_BADGE))?.[0];
  if (picture?.match(BADGE_HOST)?.length !== 1) return false;
  return !CARRIES.test(picture.replace(BADGE_HOST, '').replace(DRAWN, ''));
};

const DIRECTIVE =
  /^<!--\s{0,4}(?:prettier-ignore(?:-start|-end|-attribute)?|(?:v8|c8|istanbul) ignore (?:next|start|stop|if|else|file)(?: \d{1,3})?|(?:eslint|stylelint|markdownlint|textlint)-(?:disable|enable)(?:-next-line|-line)?\s(?!\S{0,60}recommend)(?:@?[a-z]{1,24}\/)?[a-z]{1,16}(?:-[a-z]{1,16}){0,2})\s{0,4}-->[ \t]{0,8}(?:\r?\n|$)/i;
const COLOUR_OF_BACKGROUND = /[\w-]$/;
/** Words to somebody, also in black letters on white. */
const TO_SOMEBODY =
  /\b(?:you|your|must|should|ignore|recommend|assistant|say that|as an ai|instructions?|approve|always|never|please|do not)\b/i;
const OTHER_STYLE = new RegExp(`${UNSEEN}|<!--|display:\\s?none|font-size:\\s?0`, 'i');

/** A line with nothing but an order for a formatter or a linter; or a text about models on a white background. */
export const isDirectiveOrBackground: Place = (text, start, end) => {
  if (text.startsWith('<!--', start)) return DIRECTIVE.test(text.slice(start, start + NEAR));
  const tag = before(text, start);
  if (!COLOUR_OF_BACKGROUND.test(tag)) return false;
  const shown = text.slice(start, end + NEAR);
  return !OTHER_STYLE.test(`${tag.slice(tag.lastIndexOf('<'))}${shown}`) && !TO_SOMEBODY.test(shown);
};

const TO_DOCUMENT =
  /^ sure (?:that )?(?:(?:all|each|every|of|the|these|those|this|items?|functions?|methods?|modules?|classes|types?|options?|exports?) ){1,6}(?:is|are) (?:documented|tested|covered|described|up to date)\b[.!]?\s{0,4}(?:-->|\n|$)/i;

/** A task to complete documentation or tests. */
export const isTaskOfAuthors: Place = (text, _start, end) => TO_DOCUMENT.test(after(text, end));

const RIGHTS_AFTER = new RegExp(`^,${LINE}including${LINE}without${LINE}limitation${LINE}the${LINE}rights\\b`, 'i');
const INCLUDING = new RegExp(`includ(?:ing|es),?${LINE}$`, 'i');
const OF_A_LICENCE = new RegExp(
  `^,?${LINE}(?:(?:the|any|all)${LINE})?(?:implied${LINE})?(?:rights|warrant(?:y|ies)|damages)\\b`,
  'i',
);

/** "Without restriction, including without limitation the rights" of the MIT licence, and the warranties of others. */
export const isOfLicence: Place = (text, start, end) => {
  const match = text.slice(start, end).toLowerCase();
  if (/^without[\s*-]{1,12}restriction$/.test(match)) return RIGHTS_AFTER.test(after(text, end));
  return (
    /^without[\s*-]{1,12}limitation$/.test(match) &&
    INCLUDING.test(before(text, start)) &&
    OF_A_LICENCE.test(after(text, end))
  );
};

const MUST = new RegExp(`\\bmust${LINE}$`, 'i');
const NOTICE = new RegExp(`^${LINE}copyright${LINE}notice\\b`, 'i');

/** "Must reproduce the above copyright notice" of the BSD licence. */
export const isCopyrightNotice: Place = (text, start, end) =>
  /^reproduce[\s*-]{1,12}the[\s*-]{1,12}above$/i.test(text.slice(start, end)) &&
  MUST.test(before(text, start)) &&
  NOTICE.test(after(text, end));

const STRUCK_OUT = /<s>[^<>[\]|\n]{0,90}[a-z0-9][^<>[\]|\n]{0,90}$/i;
/** A sentence goes on in small letters, with a number or with a mark, or the line ends. */
const GOES_ON = /^(?:[ \t]{0,3}(?:[\]).,;:!?$€£\d]|<\/?[a-z]{1,10}[\s/>])|[ \t]{1,3}[a-z]|\s{0,8}$|[ \t]{0,3}\n)/;
const TURN =
  /^[\s\]).,;:!?#*=<>[({|"'/-]{0,12}(?:s>|inst|sys|(?:new |the |end of )?(?:system|assistant|user|human|model|bot|ai|admin|developer|instructions?|prompts?)\b|you\b)/i;

/** The end of struck-out text in HTML, in the middle of a sentence. */
export const isStruckOut: Place = (text, start, end) => {
  if (text.slice(start, end).toLowerCase() !== '</s>' || !STRUCK_OUT.test(before(text, start))) return false;
  const rest = after(text, end);
  return GOES_ON.test(rest) && !TURN.test(rest);
};
