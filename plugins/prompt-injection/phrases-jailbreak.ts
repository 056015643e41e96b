import { isOfLicence } from './harmless-places.js';
import { except, phrase, raw, type PhrasePattern } from './phrase.js';

const CODE = 'role_play_jailbreak';
const LIMITS =
  '(?:restrictions?|limitations?|limits?|rules?|filters?|filtering|censorship|guidelines?|constraints?|boundar(?:y|ies)|ethic(?:s|al)?|moral(?:s|ity)?|polic(?:y|ies)|safeguards?|inhibitions?|taboos?)';
const HARMFUL = '(?:illegal|unethical|immoral|harmful|dangerous|offensive|inappropriate)';
const LAWLESS =
  "(?:no (?:rules|restrictions|limits|morals|ethics|filters?|guidelines|limitations)|unfilt[e]?red|uncensored|unrestricted|without (?:any )?(?:restrictions|limits|filters?|rules|censorship|limitations)|evil|amoral|immoral|illegal|anything now|free from|not bound|does(?: not|n't) (?:care|have|follow)|never refuses?|can do anything|opposite)";

/** Roles to which no rules apply. */
const CHARACTER_PHRASES: readonly PhrasePattern[] = [
  phrase(CODE, 0.95, ['do anything now', 'does anything now', 'dan mode'], '(?:do(?:es)? anything now|dan mode)'),
  raw(CODE, 0.75, ['dan'], /(?<![A-Za-z])DAN(?![A-Za-z])/),
  phrase(CODE, 0.6, ['jailbr', 'jail broken'], '(?:jailbr[eo]{1,2}a?k(?:en|ed|ing|s)?|jail broken)'),
  phrase(
    CODE,
    0.8,
    ['developer mode', 'dev mode', 'opposite mode', 'evil mode', 'god mode', 'chaos mode'],
    '(?:developer|dev|opposite|evil|god|chaos) mode',
  ),
  phrase(
    CODE,
    0.7,
    [
      'unfiltered',
      'unfiltred',
      'uncensored',
      'unrestricted',
      'amoral',
      'unethical',
      'immoral',
      'unhinged',
      'unaligned',
      'evil',
      'rogue',
    ],
    '(?:unfilt[e]?red|uncensored|unrestricted|amoral|unethical|immoral|unhinged|unaligned|evil|rogue) (?:and <w> )?(?:ai|chat\\s?bots?|models?|assistants?|responses?|answers?|bots?|language|character|being|entity|persona|gpt|outputs?)',
  ),
  phrase(
    CODE,
    0.7,
    [
      'act',
      'pretend',
      'role',
      'imagine',
      'simulate',
      'impersonate',
      'behave',
      'immerse',
      'take on',
      'you are',
      'you will',
      'play',
    ],
    `(?:act(?:ing)? as|pretend(?:ing)?|role-?\\s?play(?:ing)?|imagine|simulate|impersonate|behave|immerse|take on|you are now|play(?:ing)? the role|you are (?:going|about) to|you will now) (?:<w> ){0,24}?${LAWLESS}`,
  ),
  phrase(
    CODE,
    0.7,
    [
      'evil',
      'chaos',
      'free',
      'anti',
      'based',
      'better',
      'superior',
      'strive to avoid',
      'always intelligent',
      'mongo tom',
    ],
    '(?:(?:evil|chaos|free|anti|based|better|superior)[-\\s]?(?:gpt|bot|dan)|strive to avoid norms|always intelligent and machiavellian|mongo tom)',
  ),
  phrase(
    CODE,
    0.65,
    ['you are free', 'you can', 'you are able', 'you may', 'you have no', 'you are not', 'you are no longer'],
    '(?:you are free (?:to|from)|you (?:can|are able to|may) (?:do|say|generate|answer|create|produce) (?:anything|whatever|everything)|you have no (?:rules|restrictions|limits|limitations|morals|ethics|filters?|guidelines|boundaries)|you are (?:no longer|not) (?:an? )?(?:chatgpt|gpt|ai|assistant|language model|chatbot|bound|restricted|limited|claude))',
  ),
];

/** Claims that rules do not apply, and prohibitions of refusals. */
const LAWLESS_PHRASES: readonly PhrasePattern[] = [
  except(
    phrase(
      CODE,
      0.6,
      [
        'without',
        'no ',
        'free of',
        'free from',
        'not bound',
        'unbound',
        'not limited',
        'not restricted',
        'freed from',
        'liberated',
        'devoid',
        'remove',
      ],
      `(?:without|has no|have no|had no|with no|free (?:of|from)|freed from|not bound by|unbound by|not limited by|not restricted by|liberated from|devoid of|no longer bound by|removed? all) (?:any |all |its |your |the |such |typical |usual )?(?:<w> )?(?:or <w> )?${LIMITS}`,
      8,
    ),
    isOfLicence,
  ),
  phrase(
    CODE,
    0.8,
    [
      'typical confines',
      'broken free',
      'break free',
      'broke free',
      'not have to',
      'not abide',
      'not follow',
      'not obey',
      'not adhere',
      'not comply',
      'not care',
      "n't care",
      "n't follow",
      "n't abide",
      "n't have to",
    ],
    "(?:typical confines|(?:broken|break|broke|breaking) free (?:of|from) (?:<w> ){0,3}?(?:rules|confines|restrictions|limits|programming|constraints|chains)|(?:do|does|did|need|have|has|must|should|will)(?: not|n't)(?: have to| need to)? (?:abide by|follow|obey|adhere to|comply with|care about|respect) ~(?:rules?|guidelines?|polic(?:y|ies)|ethic(?:s|al)?|laws?|moral(?:s|ity)?|restrictions?|limitations?|openai|safety))",
    16,
  ),
  phrase(
    CODE,
    0.75,
    ['never', 'cannot', "can't", 'not refuse', 'not decline', 'not say'],
    "(?:you |he |she |it |they |who |and |will |must |should |can |would |shall ){1,3}(?:never|not|cannot|can't) (?:ever )?(?:refuses?|declines?|rejects?|denies|deny|say (?:no|that you|you can)|break(?:s)? character|apologi[sz]es?|censors?|warns?|withholds?)",
    24,
  ),
  phrase(
    CODE,
    0.7,
    ['stay', 'break', 'remain', 'go out'],
    '(?:stays?|break(?:ing)?|remain|go) (?:in |out of )?character',
  ),
  phrase(
    CODE,
    0.4,
    ['even if', 'no matter', 'regardless', 'whether', 'including', 'may be', 'can be', 'any '],
    `(?:even if|no matter|regardless (?:of )?(?:if|how|whether)|whether|including|may be|can be|any) (?:<w> ){0,6}?${HARMFUL}(?: (?:and |or )?${HARMFUL}){0,4}`,
  ),
  phrase(
    CODE,
    0.6,
    ['illegal', 'unethical', 'immoral', 'harmful', 'dangerous', 'offensive'],
    `${HARMFUL} (?:and |or )?${HARMFUL} (?:and |or )?${HARMFUL}`,
  ),
  phrase(
    CODE,
    0.7,
    ['openai', 'content polic', 'anthropic'],
    '(?:bypass|ignor(?:e|ing|es)|violat(?:e|es|ing)|circumvent|disregard|break(?:ing)?|not follow(?:ing)?|regardless of|overrid(?:e|den)|despite|outside|contradict) (?:of )?(?:<w> ){0,3}?(?:openai|anthropic|content polic(?:y|ies))',
    40,
  ),
  phrase(
    CODE,
    0.7,
    ['give', 'provide', 'respond', 'answer', 'generate', 'produce', 'write'],
    '(?:give|provide|respond|answer|generate|produce|write)(?: me| with| in| to){0,2} (?:two|both) (?:different |separate )?(?:responses?|ways|answers|versions)',
  ),
  raw(
    CODE,
    0.7,
    ['gpt', 'classic', 'normal', 'jailbreak'],
    /[[(](?:🔒|🔓)?(?:classic|normal|gpt|chatgpt|standard|jailbreak)(?: output| response)?[\])]|(?:^|\n)\s{0,3}(?:chat)?gpt\s?:/i,
    3,
  ),
  phrase(
    CODE,
    0.65,
    ['tokens', 'token'],
    '(?:you (?:have|start with|will have|lose|get)|lose|deduct(?:ed)?|starting with|subtract|take away) (?:an? )?(?:<w> ){0,3}?tokens?',
    30,
  ),
  phrase(
    CODE,
    0.65,
    ['hypothetical', 'fictional', 'fiction'],
    '(?:hypothetical(?:ly)?|fictional|fiction) (?:response|scenario|story|world|universe|character|setting|dialogue) (?:<w> ){0,16}?(?:illegal|unethical|no (?:rules|laws|limits|restrictions|ethics|morals)|hack|bomb|drugs?|weapons?|malware|evil)',
  ),
  phrase(
    CODE,
    0.5,
    ['sorry', 'ethical', 'warning', 'disclaimer', 'moral', 'refus'],
    "(?:never|don't|do not|avoid|without|not) (?:say(?:ing)? |any |add(?:ing)? |includ(?:e|ing) |giv(?:e|ing) |mention(?:ing)? |provide |an? |include ){0,4}(?:sorry|warnings?|disclaimers?|ethical (?:concerns?|guidelines?|warnings?|considerations?)|moral(?:i[sz](?:e|ing)|s|ity)|lectur(?:e|es|ing)|refus(?:e|als?|ing))",
    40,
  ),
];

/** The text assigns the model a role in which its rules do not apply. */
export const JAILBREAK_PHRASES: readonly PhrasePattern[] = [...CHARACTER_PHRASES, ...LAWLESS_PHRASES];
