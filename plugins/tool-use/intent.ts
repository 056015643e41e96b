import type { Effect } from './effects.js';

/**
 * Whether the person asked for something like an effect, in their own words. Generous on purpose: a wrong "yes" costs
 * one signal, a wrong "no" accuses a harmless call. English only; other languages answer `unclear`.
 */
export type Intent = 'asked' | 'not_asked' | 'delegated' | 'unclear';

const ENGLISH = /\b(?:the|to|a|an|my|me|please|you|your|i|of|is|are|for|and|in|what|how|can)\b/gi;
const NOT_ENGLISH = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/gu;

// "Do what the mail says": the person hands the decision to a document, so nothing can be said about what was asked.
const DELEGATED =
  /\b(?:do|perform|execute|follow|complete|carry out|take care of|handle|act on|work through)\s(?:\w+\s){0,4}?(?:actions?|instructions?|tasks?|to-?dos?|steps|everything|whatever|things|requests?)\b/i;

// What follows "let", "tell", "give", "show" and is answered in the chat is no request to write to someone else.
const ANSWER_ME =
  /\b(?:let|tell|give|show|bring|provide|share(?: with)?|inform)(?: it| that| them| this)?(?: to| with)? (?:me|us)\b(?: know)?/gi;

const VERBS: Readonly<Record<Exclude<Effect, 'read' | 'write' | 'sink' | 'unknown'>, RegExp>> = {
  message:
    /\b(?:sen[dt](?:ing)?|writ(?:e|ing)|tell|repl(?:y|ies|ying)|respond|forward|notif(?:y|ies)|inform|reach out|post(?:ing)?(?! code)|publish|tweet|share|announce|ask|submit|remind|alert|text|dm|pass on|get in touch|congratulate|thank|invite|warn|say|draft|compose|comment)\b|\b(?:via|by|through|an) (?:e-?mail|sms|text|dm|direct message|message)\b(?! (?:i|from|he|she|about))|(?:^|[.!?,;:]\s|\b(?:and|then|please|to|you|also|should|could|would|will|can) )(?:e-?mail|message|contact|mail|call|let \w+ know)\b/i,
  pay: /\b(?:pay(?:ing|ment|ments|out)?|transfer|wire|refund|reimburse|buy|purchas\w*|order|donate|deposit|withdraw|transactions?|subscri\w*|invest|tip|bill|invoice|rent|debit|charge|settle|checkout|check out|top up|fund|remit|money|sen[dt] (?:\w+ ){0,3}(?:back|difference|amount|[$€£\d]))/i,
  share:
    /\b(?:shar(?:e|ing)|invit\w*|add|grant|permission|access|give|join|collaborat\w*|include|allow|let|authori[sz]e|participants?|assign|onboard)\b/i,
  book: /\b(?:book(?:ing)?|reserv\w*|schedul\w*|appointment|events?|calendar|meeting|remind\w*|plan|set up|slot|visit|arrange|organi[sz]e|ticket)\b/i,
  delete:
    /\b(?:delet\w*|remov\w*|clear|eras\w*|drop|cancel\w*|clean\w*|purge|uninstall|discard|leave|get rid|wipe|trash|empty|revoke|unsubscribe|kick|destroy|undo|reset|take (?:\w+ ){0,3}(?:off|out))\b/i,
  execute:
    /\b(?:run|running|execut\w*|command|script|terminal|shell|install|compil\w*|test|start|launch|build|deploy|code|program|check|list|show|find|count|files?|director(?:y|ies)|folder|server|process|print|port|service|restart|stop|kill|query|table|database|system|open|create|delete|copy|ping|config\w*|disk|memory|log|logs|invoke|call|trigger|perform)\b/i,
  secure:
    /\b(?:passwords?|2fa|two.factor|mfa|secur\w*|lock\w*|unlock\w*|disabl\w*|enabl\w*|turn(?:ed|ing)? (?:\w+ ){0,3}(?:off|on)|polic(?:y|ies)|credentials?|log ?in|sign in|authenti\w*|permissions?|encrypt\w*|decrypt\w*|reset|keys?|account|firewall|protect\w*|start|engine|drive|doors?|access|api)\b/i,
};

/** Did the person's own messages ask for this effect? `text` is all of them, joined. */
export function intentFor(effect: Effect, text: string): Intent {
  if (effect === 'read' || effect === 'write' || effect === 'sink' || effect === 'unknown') return 'unclear';
  if (DELEGATED.test(text)) return 'delegated';
  const asked = VERBS[effect].test(text.replace(ANSWER_ME, ' '));
  if (asked) return 'asked';
  return isEnglish(text) ? 'not_asked' : 'unclear';
}

function isEnglish(text: string): boolean {
  const words = text.split(/\s+/).length;
  const common = text.match(ENGLISH)?.length ?? 0;
  const foreign = text.match(NOT_ENGLISH)?.length ?? 0;
  return words >= 3 && common >= 1 && common * 14 >= Math.min(words, 400) && foreign * 20 < text.length;
}
