import { isStruckOut } from './harmless-places.js';
import { except, phrase, raw, type PhrasePattern } from './phrase.js';

const CODE = 'instruction_override';

const DROP = [
  'ignor',
  'disregard',
  'forget',
  'overlook',
  'neglect',
  'bypass',
  'overrid',
  'discard',
  'dismiss',
  'skip',
  'omit',
];
const DROPPING =
  '(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overlook|neglect|bypass|overrid(?:e|ing)|discard|dismiss|skip|omit)';
/** "instructions" with wrong letters, a spelling meant to evade filters. */
const INSTRUCTIONS = 'i?[a-z]{0,2}nstr[a-z]{3,9}';
const ORDERS = `(?:${INSTRUCTIONS}|prompts?|directions?|directives?|commands?|rules?|guidelines?|orders?|constraints?|restrictions?|programming|training|guidance|polic(?:y|ies)|limitations?|messages?|context|text|conversations?|inputs?|requests?|tasks?|content|everything|statements?)`;
const EARLIER =
  '(?:previous|prior|above|earlier|preceding|foregoing|existing|original|initial|past|former|system|other)';
const ASKING =
  '(?:say|tell|write|print|output|respond|reply|answer|do|return|give|show|repeat|translate|reveal|execute|send|act|generate|use|start|begin|ignore)';

/** Words with which authors withdraw their own text. */
const OWN_WORDS =
  'my (?:last|previous|prior|earlier|other) (?:message|mail|e-?mail|question|request|comment|text|post|reply)';

/** The text tells the model to disregard its instructions. */
const DROP_PHRASES: readonly PhrasePattern[] = [
  phrase(
    CODE,
    0.95,
    DROP,
    `${DROPPING} (?!${OWN_WORDS})(?:to follow |following |about |what |completely )?(?:all |any |every |each )?(?:of )?(?:the |your |my |these |those |its )?${EARLIER}(?: and [a-z]{3,10})? ~${ORDERS}`,
  ),
  phrase(
    CODE,
    0.9,
    DROP,
    `${DROPPING} (?:all|any|every|everything|your|these|those|the) (?:of )?(?:your |my |the |these |those )?(?:${INSTRUCTIONS}|prompts?|directives?|guidelines?|programming|training|rules)`,
  ),
  phrase(
    CODE,
    0.9,
    DROP,
    `${DROPPING} (?:everything|anything|all|whatever|what) ~(?:above|before|previously|prior|earlier|so far|until now|up to now|told you|been told|were told)`,
  ),
  phrase(
    CODE,
    0.85,
    DROP,
    String.raw`${DROPPING} (?:the |all |everything )?(?:above|previous|aforementioned|preceding)(?: and (?:instead|just|${ASKING})| instead|(?=\s{0,3}[.!,:;-]))`,
  ),
  phrase(
    CODE,
    0.8,
    ['do not', "don't", 'dont', 'never', 'stop', 'not', 'no longer'],
    `(?:do not|don't|dont|never|stop|no longer|you (?:must|should|shall|need) not) (?:follow(?:ing)?|obey(?:ing)?|listen(?:ing)? to|adhere to|comply with|pay attention to|care about|consider|use|execute) (?:the |your |any |all |my |of |those |these ){0,3}(?:${EARLIER} )?(?:${INSTRUCTIONS}|prompts?|directives?|guidelines?|programming|system prompt)`,
    16,
  ),
  phrase(
    CODE,
    0.8,
    ['instruction', 'prompt', 'rule', 'directive', 'command'],
    '(?:previous|prior|above|earlier|old|original|initial|these|those|all) (?:[a-z]{2,12} )?(?:instructions?|prompts?|rules?|directives?|commands?) (?:are|is|were|have been|has been|no longer|should be|must be|can be|do not) (?:now )?(?:void|invalid|cancel(?:l)?ed|overrid(?:den|e)|obsolete|outdated|irrelevant|ignored|disregarded|forgotten|changed|replaced|updated|apply|suspended|lifted|superseded|valid|null|wrong|fake)',
    40,
  ),
  phrase(
    CODE,
    0.7,
    ['stop '],
    "stop (?:everything|all (?:tasks?|other|previous|current)|what you(?: are|'re) doing|your (?:current|previous))",
  ),
];

/** The text gives new orders. */
const ORDER_PHRASES: readonly PhrasePattern[] = [
  phrase(
    CODE,
    0.7,
    ['instruction', 'task', 'directive', 'order', 'objective', 'prompt', 'goal'],
    String.raw`(?:new|updated?|real|actual|true|revised|latest|additional|special|secret|urgent|overriding) (?:system )?(?:instructions?|tasks?|directives?|orders?|objectives?|prompts?|goals?)(?:\s{0,2}:| (?:is|are|for you|below|from))`,
    40,
  ),
  phrase(
    CODE,
    0.9,
    ['adhere', 'follow', 'obey', 'execute', 'comply'],
    '(?:strictly |only |just |instead |immediately )(?:adhere to|follow|obey|execute|comply with) (?:the |these |this |my )(?:following |new |next )?(?:instructions?|commands?|orders?|directives?)',
    16,
  ),
  phrase(
    CODE,
    0.95,
    ['important message', 'urgent message'],
    'an? (?:very )?(?:important|urgent) message from (?:me|the user|your|[a-z]{2,20})',
    10,
  ),
  phrase(
    CODE,
    0.85,
    ['before'],
    'before (?:you can |you )?(?:solve|solving|do|complet(?:e|ing)|answer(?:ing)?|continu(?:e|ing)|proceed(?:ing)?)(?: with)? (?:the |this |that |any |my )?(?:original )?(?:task|instructions?|job) (?:that |which )?(?:i|you|the user)',
  ),
  phrase(
    CODE,
    0.75,
    ['from now on', 'from this point', 'from here on', 'starting now', 'henceforth', 'as of now'],
    '(?:from now on|from this point (?:on|forward|onwards)|from here on(?: out)?|starting now|henceforth|as of now) (?:you|your|always|only|every|all|respond|reply|answer|act|say|i want you|please|do|never)',
  ),
  phrase(
    CODE,
    0.6,
    ['instead'],
    `(?:and |but |then |just )?instead (?:just |only |please |you (?:must|should|will|are to|can) )?${ASKING}`,
    6,
  ),
  phrase(
    CODE,
    0.4,
    ['you must', 'you will', 'you should', 'you are to', 'you have to', 'you shall', 'you can', 'you need to'],
    'you (?:must|will|should|are to|have to|shall|can|need to) (?:now|only|instead|always|immediately)(?: only)? (?:say|respond|reply|answer|output|print|write|follow|obey|act|speak|return|ignore|execute|accept|repeat)',
  ),
  phrase(
    CODE,
    0.6,
    ['say', 'respond', 'reply', 'print', 'output', 'answer', 'type', 'return', 'repeat'],
    String.raw`(?:always |only |just |simply |must |exactly |you |immediately |then )(?:say|respond|reply|print|output|answer|type|return|repeat)(?: only| exactly| just)?(?: with| by saying)?(?: only| exactly| just)?(?: the (?:exact )?(?:words?|phrase|text|string|sentence|message))?[:,]?\s?(?=["'\[{(])`,
    14,
  ),
  phrase(
    CODE,
    0.4,
    ['answer', 'reply', 'response', 'output'],
    '(?:begin|start|end|finish|conclude|format|present|structure|write|provide|use|mention|feature) ~your (?:final )?(?:answer|reply|response|output)s?',
    120,
  ),
  phrase(
    CODE,
    0.6,
    ['answer', 'reply', 'response', 'output'],
    '(?:add|append|include|insert|incorporate|integrate|embed|modify|enhance|render|encode|shift|scramble|reverse|rewrite|supplement|augment|infuse|weave|slip|encrypt|obfuscate|alter|adjust) ~(?:your|the) (?:final )?(?:answer|reply|response|output)s?',
    120,
  ),
];

/** The text dictates the answer. */
const DICTATION_PHRASES: readonly PhrasePattern[] = [
  raw(
    CODE,
    0.5,
    ['say ', 'reply', 'respond', 'answer', 'saying', 'output '],
    /(?<![a-z0-9])(?:say(?:ing)?|reply(?:ing)?|respond(?:ing)?|answer(?:ing)?|output)(?: only| exactly| just| simply)?(?: with)?(?: only| exactly| just)?(?: the (?:words?|phrase|text))?[: ]{1,2}["“'[][^"”'\]\n]{1,40}["”'\]]/i,
  ),
  phrase(
    CODE,
    0.55,
    ['prefix', 'prepend', 'affix', 'start', 'begin', 'preface'],
    '(?:prefix|prepend|affix|start|begin|preface) (?:every |each |your |the |all |any )?(?:response|reply|answer|output|message|sentence)s? with',
  ),
  phrase(
    CODE,
    0.6,
    ['access granted', 'access denied'],
    '(?:say|output|print|reply|respond|write|type|proclaim|return|prefix|start|begin|affix|state|repeat|with)(?: only| exactly| just| with)? access (?:granted|denied)',
    24,
  ),
];

/** The text claims an authority, a mode or a boundary that does not exist. */
const AUTHORITY_PHRASES: readonly PhrasePattern[] = [
  phrase(
    CODE,
    0.85,
    ['mode', 'override', 'privilege', 'access', 'session'],
    '(?:system|admin(?:istrator)?|developer|root|debug|maintenance|god|sudo|superuser) (?:mode|override|privileges?|access|session|command) (?:is |has been |now |are )?(?:enabled|activated|active|granted|on|engaged|initiated|unlocked|authori[sz]ed|entered|accepted)',
    24,
  ),
  phrase(
    CODE,
    0.75,
    ['mode'],
    '(?:enter(?:ing)?|enable|activate|switch(?:ing)? (?:in)?to|go(?:ing)? into|engage|you are (?:now )?in|simulate) (?:the |a |an |your )?(?:system|admin(?:istrator)?|developer|root|debug|maintenance|god|sudo|dan|jailbreak|unrestricted|opposite|emergency|dev|diagnostic|override) mode',
    48,
  ),
  phrase(CODE, 0.6, ['system mode', 'override'], '(?:system mode|(?:system|admin|developer|security) override)', 12),
  phrase(
    CODE,
    0.7,
    ["i'm your", 'i am your', 'this is your', 'im your'],
    "(?:i'?m|i am|this is) your (?:developer|creator|administrator|admin|programmer|owner|boss|master|engineer|maker|supervisor|operator)",
  ),
  phrase(
    CODE,
    0.7,
    ['attention', 'important', 'urgent', 'notice', 'warning'],
    String.raw`(?:attention|important|urgent|notice|warning)\s{0,2}[!:]{1,3}\s{0,3}~(?:ai|assistant|llm|chatbot|gpt|bot|instructions?|ignore|system prompt|language model)`,
  ),
  phrase(
    CODE,
    0.6,
    ['input', 'prompt', 'instructions', 'context', 'document'],
    '(?:end|start|begin(?:ning)?|stop) (?:of )?(?:the )?(?:user |system |new |all )(?:inputs?|prompts?|messages?|instructions?|context|documents?|text|data|query)',
    36,
  ),
  except(
    raw(
      CODE,
      0.85,
      ['<|', '[inst]', '[/inst]', '<<sys>>', '<</sys>>', '</s>'],
      /<\|(?:im_(?:start|end)|system|user|assistant|end(?:of(?:text|prompt|turn))?|eot_id|start_header_id|begin_of_text)\|?>|\[\/?inst\]|<<\/?sys>>|<\/s>/i,
    ),
    isStruckOut,
  ),
  // Marks of turns, of tools and of channels in other templates: Gemma, DeepSeek, Llama, gpt-oss.
  raw(
    CODE,
    0.85,
    ['<|', '<start_of_turn', '<end_of_turn'],
    /<\|(?:start|message|channel|return|call|constrain|eom_id|end_header_id|python_tag|turn|(?:begin|end)[\u2581_]of[\u2581_]sentence|tool[\u2581_](?:calls?|outputs?)[\u2581_](?:begin|end))\|>|<(?:start|end)_of_turn>/i,
  ),
  // Those of Mistral. In small letters they are keys of code, before a bracket the text of a link.
  raw(
    CODE,
    0.85,
    [
      '[system_prompt',
      '[/system_prompt',
      '[available_tools',
      '[/available_tools',
      '[tool_calls',
      '[tool_results',
      '[/tool_results',
    ],
    /(?<![\w\]])\[\/?(?:SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\](?!\()/,
  ),
  raw(
    CODE,
    0.7,
    ['system', 'instruction', 'admin'],
    /(?:^|\n|[.!?"'\]})>])\s{0,4}[#*=\-<[({]{1,8}\s{0,2}\/?(?:new |end |begin |start )?(?:system|instructions?|admin(?:istrator)?)(?:[ _-](?:prompt|message|instructions?|note|override))?\s{0,2}[#*=\-\]>)}:/]{1,6}/i,
    30,
  ),
  raw(CODE, 0.6, ['system:', 'assistant:', 'system :'], /(?:^|\n)\s{0,4}(?:system|assistant)\s?:\s{0,2}\S/i, 8),
  raw(
    CODE,
    0.8,
    ['%%%', '###', '---', '===', '***'],
    /(?:%{3,12}|#{3,12}|-{3,12}|={3,12}|\*{3,12})\s{0,3}(?!(?:begin|end) (?:pgp |(?:(?:rsa|ec|dsa|dh|x509|ssh2|openssh|encrypted|trusted|new) ){0,2}(?:private key|public key|certificate|parameters|crl)\b))(?:end|begin|start|stop|new|override|ignore)\b[^\n]{0,40}(?:%{3,12}|#{3,12}|-{3,12}|={3,12}|\*{3,12}|prompt|instructions?|input|ambiguity|rules)/i,
  ),
];

/** The most common wordings of "ignore the previous instructions" in other languages. */
const FOREIGN_PHRASES: readonly PhrasePattern[] = [
  raw(
    CODE,
    0.9,
    ['ignora', 'olvid', 'omite', 'descarta', 'esquec', 'desconsider', 'dimentica', 'trascura'],
    /(?:ignor(?:a|ar|e|ad|ate|are|es)|olvid(?:a|ar|ate|e|en)|omite|descarta|esquec(?:a|er)|desconsider[ae]|dimentica(?:re|te)?|trascura)\s[^.!?\n]{0,40}?(?:instru[cz][a-z]{2,8}|istruzion[ei]|ordenes|ordens|reglas|regras|regole|indicaciones|indicazioni|anterior|precedent|previ[ae]s)/i,
  ),
  raw(
    CODE,
    0.9,
    ['ignore', 'oublie', 'neglige', 'meprise'],
    /(?:ignore[zr]?|oublie[zr]?|neglige[zr]?)\s[^.!?\n]{0,40}?(?:instructions? (?:precedente|anterieure|ci-dessus|initiale|qui)|consignes|directives|instrucoes|ordens|regles|tout ce qu)/i,
  ),
  raw(
    CODE,
    0.9,
    ['ignorier', 'vergiss', 'vergessen', 'missachte'],
    /(?:ignorier(?:e|en|t)?|vergiss|vergessen sie|missachte[nt]?)\s[^.!?\n]{0,40}?(?:anweisung|befehl|vorgabe|instruktion|regeln|alles)/i,
  ),
  raw(
    CODE,
    0.9,
    ['negeer', 'vergeet', 'zignoruj', 'zapomnij', 'ignoruj', 'ignorera', 'glom', 'glem', 'unohda', 'ohita'],
    /(?:negeer|vergeet|zignoruj|zapomnij|ignoruj|ignorera|glom|glem|unohda|ohita)\s[^.!?\n]{0,40}?(?:instructi|opdracht|instrukc|polece|pokyn|instruktion|ohje)/i,
  ),
  raw(
    CODE,
    0.9,
    ['игнориру', 'забуд', 'проигнорируй', 'не обращай', 'ігнору', 'забудь'],
    /(?:(?:про)?игнориру[а-я]{1,4}|забуд[а-я]{1,3}|не обращай[а-я]{0,3} внимания|ігнору[а-яі]{1,4})\s[^.!?\n]{0,40}?(?:инструкц|указани|команд|правил|все,? что|всё,? что|інструкц|вказівк)/i,
  ),
  raw(
    CODE,
    0.9,
    ['忽略', '无视', '無視', '忘记', '忘掉', '忽視', '不要理会', '忘れ'],
    /(?:忽略|无视|無視|忽視|忘记|忘掉|不要理会)[^。！？\n]{0,16}(?:指令|指示|说明|提示|规则|内容|命令|說明|規則)|(?:指示|命令|指令|ルール|プロンプト|説明)[^。！？\n]{0,8}(?:無視|忘れ)/,
    16,
  ),
  raw(CODE, 0.9, ['무시', '잊어', '잊으'], /(?:지시|지침|명령|프롬프트|규칙|설명)[^.!?\n]{0,12}(?:무시|잊어|잊으)/, 24),
  raw(CODE, 0.9, ['تجاهل', 'انس'], /(?:تجاهل|انس)[^.!?\n]{0,20}(?:التعليمات|الأوامر|القواعد|تعليمات)/),
  raw(
    CODE,
    0.9,
    ['अनदेख', 'भूल', 'अवहेलना', 'उपेक्षा'],
    /(?:निर्देश|निर्देशों|नियमों|आदेश)[^।.!?\n]{0,24}(?:अनदेख|भूल|अवहेलना|उपेक्षा)/,
    48,
  ),
  raw(
    CODE,
    0.9,
    ['bo qua', 'quen', 'abaikan', 'lupakan', 'kalimutan', 'huwag pansinin', 'yok say', 'unut', 'gormezden', 'goz ardi'],
    /(?:bo qua|quen)\s[^.!?\n]{0,30}?(?:huong dan|chi dan|chi thi|quy tac)|(?:abaikan|lupakan)\s[^.!?\n]{0,30}?(?:instruksi|arahan|perintah|petunjuk)|(?:kalimutan|huwag pansinin)\s[^.!?\n]{0,30}?(?:tagubilin|instruksiyon)|(?:talimat|komut|kural)[^.!?\n]{0,20}?(?:yok say|unut|gormezden|goz ardi)/i,
    40,
  ),
  raw(
    CODE,
    0.9,
    ['উপেক্ষা', 'ভুলে', 'อย่าสนใจ', 'ละเว้น', 'เพิกเฉย', 'ลืม', 'อย่าไปสนใจ', 'התעלם', 'שכח', 'αγνόησ', 'αγνοησ'],
    /(?:নির্দেশ)[^।.!?\n]{0,24}(?:উপেক্ষা|ভুলে)|(?:อย่าสนใจ|อย่าไปสนใจ|ละเว้น|เพิกเฉย|ลืม)[^.!?\n]{0,20}(?:คำแนะนำ|คําแนะนํา|คำสั่ง|คําสั่ง)|(?:התעלם|שכח)[^.!?\n]{0,16}(?:הוראות|ההוראות)|αγνο[ηή]σ[^.!?\n]{0,24}(?:οδηγ[ιί]|εντολ)/i,
    48,
  ),
];

export const OVERRIDE_PHRASES: readonly PhrasePattern[] = [
  ...DROP_PHRASES,
  ...ORDER_PHRASES,
  ...DICTATION_PHRASES,
  ...AUTHORITY_PHRASES,
  ...FOREIGN_PHRASES,
];
