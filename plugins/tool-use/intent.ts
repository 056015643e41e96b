import type { Effect } from './effects.js';

/**
 * Whether the user asked for an effect in their own words. Deliberately permissive: a wrong `asked` loses one signal, while a wrong
 * `not_asked` flags a harmless call. English only; other languages result in `unclear`.
 */
export type Intent = 'asked' | 'not_asked' | 'delegated' | 'unclear';

const ENGLISH = /\b(?:the|to|a|an|my|me|please|you|your|i|of|is|are|for|and|in|what|how|can)\b/gi;
const NOT_ENGLISH = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/gu;

// "Do what the mail says": the user delegates the decision to a document, so the requested effect is unknown.
const DELEGATED =
  /\b(?:do|perform|execute|follow|complete|carry out|take care of|handle|act on|work through)\s(?:\w+\s){0,4}?(?:actions?|instructions?|tasks?|to-?dos?|steps|everything|whatever|things|requests?)\b/i;

// Requests such as "tell me" or "show us" are answered in the chat and do not ask to write to another person.
const ANSWER_ME =
  /\b(?:let|tell|give|show|bring|provide|remind|share(?: with)?|inform)(?: it| that| them| this)?(?: to| with)? (?:me|us)\b(?: know)?/gi;

type Judged = Exclude<Effect, 'read' | 'sink' | 'unknown'>;

const ASKS: Readonly<Record<Judged, RegExp>> = {
  message:
    /\b(?:send(?:ing)?|writ(?:e|ing)|tell|repl(?:y|ies|ying)|respond|(?<!looking )forward|notif(?:y|ies)|inform|reach out|post(?:ing)?(?! code)|publish|tweet|share (?:\w+ ){1,6}with|announce|ask|submit|remind|alert|text|dm|pass on|get in touch|congratulate|thank|invite|warn|draft|compose|comment)\b|\b(?:via|by|through) (?:e-?mail|sms|text|dm|direct message|message)\b|\ban? (?:e-?mail|message) (?:to|for)\b|(?:^|[.!?,;:]\s|\b(?:and|then|please|to|you|also|should|could|would|will|can) )(?:e-?mail|message|contact|mail|call|let \w+ know)\b/i,
  pay: /\b(?:pay(?:ing|ments?|out)?|transfer|wire|refund|reimburse|buy|purchas\w*|order|donate|deposit|withdraw|(?:recurring|scheduled) transaction|(?:initiate|make|set|create) (?:\w+ ){0,6}transaction|subscri\w*|invest|tip|bill|invoice|debit|charge|settle|checkout|check out|top up|fund|remit|money|tickets?|seats?|showing|watch|sen[dt] (?:\w+ ){0,3}(?:back|difference|amount|[$€£\d]))\b/i,
  share:
    /\b(?:shar(?:e|ing)|invit\w*|add|grant|permission|access|give|join|collaborat\w*|include|allow|let|authori[sz]e|participants?|assign|onboard|register|sign up|account|create)\b/i,
  book: /\b(?:book(?:ing)?|reserv(?:e|ation)|(?:re)?schedul(?:e|ing)|mov(?:e|ing)|chang(?:e|ing)|postpone|remind\w*|plan (?:a|an|the|for)|set up|arrange|organi[sz]e|tickets?|(?:need|want|like|looking for|get|find me) (?:a |an |the |to get )?(?:\w+ )?(?:flight|table|room|slot|appointment)|flights?|trains?|bus(?:es)?|(?:create|add|put|make|new|block) (?:\w+ ){0,7}?(?:event|calendar|appointment|meeting|reservation))\b/i,
  delete:
    /\b(?:delet\w*|remov\w*|clear|eras\w*|drop|cancel\w*|clean\w*|purge|uninstall|discard|leave|get rid|wipe|trash|empty|revoke|unsubscribe|kick|destroy|undo|reset|take (?:\w+ ){0,3}(?:off|out))\b/i,
  execute:
    /\b(?:run|running|execut\w*|command|script|terminal|shell|install|compil\w*|test|start|launch|build|deploy|code|program|check|list|show|find|count|files?|director(?:y|ies)|folder|server|process|print|port|service|restart|stop|kill|query|table|database|system|open|create|delete|remove|del|shortcut|copy|ping|config\w*|disk|memory|log|logs|invoke|call|trigger|perform)\b/i,
  secure:
    /\b(?:passwords?|2fa|two.factor|mfa|secur\w*|lock\w*|unlock\w*|disabl\w*|enabl\w*|turn(?:ed|ing)? (?:\w+ ){0,3}(?:off|on)|polic(?:y|ies)|credentials?|log ?in|sign in|authenti\w*|permissions?|encrypt\w*|decrypt\w*|reset|keys?|firewall|protect\w*|start|engine|drive|doors?|access|api)\b/i,
  write:
    /\b(?!(?:read|find|get|fetch|show|list|search|retrieve|summari[sz]e|check)\b)(?:creat|updat|modif|edit|set|append|writ|mov|renam|upload|add|insert|sav|put|patch|chang|manag|generat|mak|replac|cop(?:y|ies)|record|exchang|return|cancel|plac|commit|merg|push|go|fill|ship|book|reserv|want|need|like|would|order|pay|send|adjust|fix|convert|turn|start|stop|play|open|clos|switch|run|use|let|help|plan|appl|us|draw|schedul|calculat|comput|i'd|i'm|i am)\w{0,4}\b/i,
};

/** A request that only asks for information: "Find …", "What is …", "Can you get me …". */
const ONLY_ASKS_TO_SEE =
  /^\W{0,8}(?:(?:can|could|would|will) you |please |kindly |hey[, ]+|hi[, ]+)*(?:please )?(?:find|get|fetch|show|list|search|look up|retrieve|read|summari[sz]e|check|tell|what|which|who|where|when|how|are there|is there|do i|did|give)\b/i;

/** "Yes, go ahead": the user agrees to a proposal of the model without repeating it. */
const AGREES =
  /^\W{0,4}(?:yes|yeah|yep|sure|ok(?:ay)?|please do|go ahead|do (?:it|that|so)|proceed|confirm(?:ed)?|sounds good|perfect|great|correct|exactly|i agree|that(?:'s| is) (?:fine|right|correct))\b/i;

/** Whether a message agrees to something instead of asking for it. */
export function agrees(message: string): boolean {
  return AGREES.test(message);
}

/** Whether the user's messages ask for this effect. `text` is all of them, joined. */
export function intentFor(effect: Effect, text: string): Intent {
  if (effect === 'read' || effect === 'sink' || effect === 'unknown') return 'unclear';
  if (DELEGATED.test(text)) return 'delegated';
  const request = text.replace(ANSWER_ME, ' ');
  if (ASKS[effect].test(request)) return 'asked';
  if (effect === 'write' && !ONLY_ASKS_TO_SEE.test(request)) return 'unclear';
  return isEnglish(text) ? 'not_asked' : 'unclear';
}

/** Whether the user asked to publish something on the web or send it to a URL. */
export function asksForWeb(text: string): boolean {
  return /\b(?:post|publish|upload|put|submit|send|add|push|write|call|hook|deploy|register|save|report)\w{0,4}(?: \S{1,40}){0,12} (?:to|on|at|in|via) (?:\S{1,40} ){0,3}?\S{0,12}(?:web\s?site|site|page|blog|url|link|endpoint|api|webhook|wiki|https?:|www\.)/i.test(
    text,
  );
}

/** Whether the user asked to include other people in something. */
export function asksForGuests(text: string): boolean {
  return /\b(?:invit\w*|participants?|attendees?|guests?|with|include|add)\b/i.test(text);
}

function isEnglish(text: string): boolean {
  const words = text.split(/\s+/).length;
  const common = text.match(ENGLISH)?.length ?? 0;
  const foreign = text.match(NOT_ENGLISH)?.length ?? 0;
  return words >= 3 && common >= 1 && common * 14 >= Math.min(words, 400) && foreign * 20 < text.length;
}
