import { isCopyrightNotice } from './harmless-places.js';
import { except, phrase, raw, type PhrasePattern } from './phrase.js';

const CODE = 'prompt_leak';

/** Verbs that make a model repeat something. */
const RESTATE_WORDS = [
  ...[
    'repeat',
    'reveal',
    'print',
    'output',
    'display',
    'recit',
    'restat',
    'rephras',
    'paraphras',
    'summari',
    'translat',
  ],
  ...['dump', 'echo', 'relay', 'reword', 'leak', 'encod', 'spell', 'disclos', 'expos', 'reproduc', 'explicat', 'quot'],
];
const RESTATE =
  '(?:re-?peat(?:ing|a)?|reveal(?:ing)?|print(?:ing)?|output(?:ting)?|display(?:ing)?|recit(?:e|ing)|restat(?:e|ing)|rephras(?:e|ing)|paraphras(?:e|ing)|summari[sz](?:e|ing)|translat(?:e|ing)|dump|echo|relay|reword|leak(?:ing)?|encod(?:e|ing)|spell(?:ing)?|disclos(?:e|ing)|expos(?:e|ing)|reproduc(?:e|ing)|explicate|quot(?:e|ing))';
const SHOW_WORDS = [
  'show',
  'tell',
  'give',
  'list',
  'writ',
  'shar',
  'return',
  'cop',
  'describ',
  'explain',
  'provid',
  'state',
  'say',
  'send',
  'read',
  'format',
  'convert',
  'rewrite',
  'confirm',
  'include',
  'know',
  'see',
  'review',
  'what',
  'clarif',
  'elaborat',
  'outline',
  'enumerat',
];
const SHOW =
  "(?:show(?:ing)?|tell(?:ing)?|giv(?:e|ing)|list(?:ing)?|writ(?:e|ing)|shar(?:e|ing)|return(?:ing)?|cop(?:y|ying)|describ(?:e|ing)|explain(?:ing)?|provid(?:e|ing)|state|say(?:ing)?|send(?:ing)?|read(?:ing)?|format|convert|rewrite|confirm|include|know|see|review|what(?: is| are| was| were|'s)?|clarify|elaborate|outline|enumerate)";
const EARLY =
  '(?:system|initial|original|hidden|secret|previous|prior|above|first|full|entire|exact|complete|internal|starting|pre|base|core|confidential|preceding|earlier|current|given|developer|underlying|actual|precise|real)';
const PROMPT =
  '(?:system prompts?|prompts?|instructions?|rules?|ruleset|guidelines?|directives?|configurations?|system messages?|initial messages?|commands?|pre-?prompt|programming|constraints|parameters)';
const FILLER =
  '(?:me |us |out |back |exactly |verbatim |to me |again |just |only |about |what |with |is |are |were |was |of |on ){0,4}';
/** "The instructions for assembling it" are not those of the model. */
const NOT_OF = String.raw`(?!\s{1,3}(?:of|for|to|on|about|regarding|concerning|from|in|by)\s)`;
const SECRET =
  '(?:pass\\s?words?|pass\\s?phrase|passcode|access (?:code|phrase|key)|secret (?:key|code|word|phrase)|secret|security code|code\\s?word|api key|private key|key phrase)';

/** "What is your secret key?" and "give me your password" in other languages. */
const FOREIGN_LEAKS: readonly PhrasePattern[] = [
  raw(
    CODE,
    0.7,
    [
      'clave',
      'contrasena',
      'cle secrete',
      'mot de passe',
      'phrase secrete',
      'schlussel',
      'passwort',
      'kennwort',
      'chiave',
      'chave',
      'senha',
      'parola',
      'haslo',
      'wachtwoord',
      'phrase de passe',
      'frase',
    ],
    /(?:tu|su|ta|votre|dein[a-z]{0,2}|ihr[a-z]{0,2}|la tua|tua|sua|twoj[a-z]{0,2}|jouw|uw)\s(?:clave secreta|contrasena|cle secrete|mot de passe|phrase (?:secrete|de passe)|geheime[rs]? schlussel|geheimschlussel|passwort|kennwort|passphrase|chiave segreta|frase (?:secreta|segreta)|parola (?:segreta|d'ordine)|password|chave secreta|senha|haslo|wachtwoord)/i,
    24,
  ),
  raw(
    CODE,
    0.7,
    ['секретный ключ', 'пароль', '密钥', '密码', '口令', '密碼', '秘密の鍵', 'パスワード', 'パスフレーズ', '비밀'],
    /(?:твой|ваш|свой)\s(?:секретный\s)?(?:ключ|пароль)|(?:你的?|您的?)(?:秘密|私人)?(?:密钥|密码|口令|密碼|钥匙)|あなたの(?:秘密の鍵|パスワード|パスフレーズ|秘密鍵)|(?:당신의|너의|네)\s?(?:비밀|암호)/,
    8,
  ),
  raw(
    CODE,
    0.7,
    [
      'गुप्त',
      'पासवर्ड',
      'গোপন',
      'পাসওয়ার্ড',
      'รหัสผ่าน',
      'กุญแจ',
      'คีย์',
      'mat khau',
      'khoa bi mat',
      'gizli',
      'sifre',
      'kunci rahasia',
      'kata sandi',
      'sikreto',
    ],
    /(?:आपकी|आपका|तुम्हारा)\s(?:गुप्त|पासवर्ड)|আপনার (?:গোপন|পাসওয়ার্ড)|(?:รหัสผ่าน|กุญแจลับ|คีย์ลับ)ของคุณ|(?:mat khau|khoa bi mat) cua ban|gizli anahtar(?:in|iniz)|sifreniz|(?:kunci rahasia|kata sandi) ?(?:anda|mu)|(?:iyong|mong) (?:password|sikreto)/i,
    24,
  ),
];

/** The text asks for confidential instructions or data of the model. */
export const LEAK_PHRASES: readonly PhrasePattern[] = [
  phrase(
    CODE,
    0.75,
    [...RESTATE_WORDS, ...SHOW_WORDS],
    `(?:${RESTATE}|${SHOW}) ${FILLER}(?:all |your |the |my |every ){0,2}(?:previous|prior|initial|original|system|hidden|secret|starting|earlier|preceding)(?: system)? (?:instructions|prompts?|directives|commands)${NOT_OF}`,
  ),
  phrase(
    CODE,
    0.55,
    [...RESTATE_WORDS, 'convert', 'rewrite', 'grammar check', 'proofread', 'complete', 'continue', 'explain', 'format'],
    `(?:${RESTATE}|convert|rewrite|grammar check|proofread|complete|continue|explain|format) (?:me |us |back |to me |all |of |everything ){0,3}(?:the |your )?(?:(?:above|previous|preceding|prior) (?:words?|text|rules|message|lines?|instructions?|prompt|conversation)|(?:words?|text|rules|instructions?|prompt) (?:above|before|below))`,
  ),
  phrase(CODE, 0.55, ['what'], `what(?:'s| is| was) (?:the |our |that )(?:<w> ){0,1}${SECRET}`),
  phrase(
    CODE,
    0.6,
    ['the user'],
    "(?:where (?:does|is|did)|(?:tell|give|show) me (?:where|what|how|when|the <w> of)|what is|what's) (?:the )?(?:current )?(?:the user(?:'s)? (?:live|living|located|reside|birth|initials|home address|phone|bank|password|e-?mail address))",
    40,
  ),
  ...FOREIGN_LEAKS,
  phrase(
    CODE,
    0.9,
    RESTATE_WORDS,
    `${RESTATE} ${FILLER}(?:all |your |the |these |those |any |its |ur |my |every |each ){0,3}(?:${EARLY} (?:and )?){1,3}(?:<w> )?${PROMPT}${NOT_OF}`,
  ),
  phrase(
    CODE,
    0.85,
    SHOW_WORDS,
    `${SHOW} ${FILLER}(?:all |your |the |these |those |any |its |ur |my |every |each ){1,3}(?:${EARLY} (?:and )?){1,3}(?:<w> )?${PROMPT}${NOT_OF}`,
  ),
  phrase(
    CODE,
    0.75,
    RESTATE_WORDS,
    `${RESTATE} ${FILLER}(?:all )?(?:of )?(?:your|ur|those|these|all|every) (?:<w> )?(?:prompts?|instructions?|rules|ruleset|guidelines?|directives)${NOT_OF}`,
  ),
  phrase(
    CODE,
    0.7,
    SHOW_WORDS,
    `${SHOW} ${FILLER}(?:all )?(?:of )?(?:your|ur) (?:<w> )?(?:prompts?|instructions?|rules|ruleset|guidelines?|directives)${NOT_OF}`,
  ),
  phrase(
    CODE,
    0.6,
    RESTATE_WORDS,
    `${RESTATE} ${FILLER}(?:the |password )?(?:prompt|instructions?|rules|directives)${NOT_OF}(?=\\s{0,3}(?:[.!?:,;"')]|$|\\n| back| verbatim| in | you| to me| above| as | with | using | word| again| given| into | so))`,
  ),
  phrase(
    CODE,
    0.85,
    [
      'you were',
      'you have been',
      "you've been",
      'you received',
      'you have received',
      'given to you',
      'you are given',
      'provided to you',
      'you had been',
    ],
    "(?:instructions?|prompts?|rules?|orders?|messages?|commands?|text|words?|information|everything|guidelines?|sentences?|what|conditions) (?:that |which |with which )?(?:you(?: have|'ve| had)?(?: been| were| are)? (?:given|told|provided|received|informed|instructed|prompted|fed|shown)|(?:was |were |are |has been |have been )?(?:given|provided|told) to you)",
    40,
  ),
  phrase(
    CODE,
    0.8,
    ['what'],
    'what (?:were|have|are|was) (?:you|u) (?:been )?(?:told|instructed|given|asked to do|programmed|prompted)',
  ),
  except(
    phrase(
      CODE,
      0.85,
      RESTATE_WORDS,
      `${RESTATE} ${FILLER}(?:all |everything |the |every |each |what |whatever |of ){1,4}(?:words?|text|sentences?|lines?|messages?|content|paragraphs?|conversation|statements?|tokens?|was|is|were|that|has|been|written|said|stated|comes|came|prompts?| ){0,10}(?:above|before|previously|prior|preceding|so far|from the (?:start|beginning)|at the (?:start|beginning|top)|earlier)`,
    ),
    isCopyrightNotice,
  ),
  phrase(
    CODE,
    0.8,
    ['starting with', 'beginning with', 'starts with', 'begins with', 'start with', 'begin with'],
    "(?:start(?:ing|s)?|begin(?:ning|s)?) with (?:the (?:words?|phrase|text) )?(?:you are|you're|your (?:name|task|role|instructions)|wrong|sure|here (?:are|is)|my instructions|the instructions|access)",
  ),
  phrase(
    CODE,
    0.7,
    ['instruction', 'prompt', 'rules', 'above', 'told', 'everything', 'password', 'message'],
    '(?:instructions?|prompts?|rules?|above|told|password|message|everything)(?: <w>){0,3}? (?:verbatim|word-?\\s?for-?\\s?word|exact words|letter by letter|character by character)',
  ),
  phrase(
    CODE,
    0.8,
    ['your'],
    `(?:what(?:'s| is| was| are)|${SHOW}|${RESTATE}|can you|could you|do you have|guess|hint at) (?:<w> ){0,4}?your (?:<w> )?${SECRET}`,
    100,
  ),
  phrase(
    CODE,
    0.7,
    [
      'system prompt',
      'preprompt',
      'pre-prompt',
      'prompt leak',
      'initial prompt',
      'initial instructions',
      'hidden instructions',
      'secret instructions',
      'original instructions',
      'starting instructions',
      'system instructions',
    ],
    '(?:prompt leak(?:age|ing)?|(?:your|the|full|entire|exact) (?:system prompt|pre-?prompt|system message)|(?:your|the) (?:initial|original|hidden|secret|starting|system) (?:prompt|instructions))',
    12,
  ),
  raw(
    CODE,
    0.7,
    ['systemprompt', 'system_prompt'],
    /(?:print|log|echo|return|output|alert)\s?\(?\s?["'`]?(?:system_?prompt|instructions|prompt)/i,
    24,
  ),
];
