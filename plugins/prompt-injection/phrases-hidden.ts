import { phrase, raw, type PhrasePattern } from './phrase.js';
import { UNSEEN } from './unseen.js';

/** What a text asks a model for; "use cases" and "state of the art" ask for nothing. */
const ORDER =
  '(?:(?:please|now|you must|you should|you will|always|only|never|do not|just) ){0,3}(?:(?:ignore|disregard|forget|give|write|print|output|respond|reply|answer|return|repeat|recommend|rate|rank|score|accept|approve|reject|mark|treat|classify|include|mention|state|send|call|use|follow|reveal|tell|summari[sz]e|praise|hire|add|visit)(?! (?:of|us|me)\\b)(?: (?:the|this|that|these|those|a|an|all|any|every|only|it|with|in|as|to|your|no|other)\\b| ?["\'])|say (?!goodbye|hello|hi\\b))';
const MODEL_NAME =
  '(?:(?:ai|llm|language) (?:models?|reviewers?|assistants?|agents?|systems?|readers?|graders?|screeners?)|ai|llms?|language models?|assistant|system|prompt)';
/** Words to a model in a text that people do not see: who is addressed, and what is asked for. */
const ADDRESSED = `(?<![a-z-])(?:ignore (?:all |any |every |the |your |these ){0,2}(?:of the )?(?:other|previous|prior|above|earlier|preceding|rest|instructions?|prompts?|rules|guidelines)\\b|you must (?:now |only |always |not )?[a-z]{2,12} (?:to )?(?:the user|that the candidate|this (?:candidate|paper|applicant|product))\\b|if you are an? (?:ai|llm|language model|assistant)\\b|${MODEL_NAME}(?: ?[:,!-]{1,2} ?| must | should )(?:${ORDER}|you are (?:now|an?) )|as an ai(?: language)?(?: model| assistant| agent| reviewer| system)?,? (?:you (?:must|should|will|are)\\b|${ORDER}))`;

/** Orders in places that people do not see, and marks of requests that are put together by programs. */
export const HIDDEN_PHRASES: readonly PhrasePattern[] = [
  raw(
    'tool_hijack',
    0.8,
    ['opacity', 'visibility', 'color', 'left', 'top:', 'text-indent', 'font-size', 'height', 'width'],
    new RegExp(`${UNSEEN}[^\\n<>]{0,80}>[^\\n<]{0,160}?${ADDRESSED}`, 'i'),
  ),
  // The address of a picture with a name in capitals in the place of what the model knows.
  raw(
    'tool_hijack',
    0.8,
    ['!['],
    /!\[[^\]\n]{0,80}\]\(https?:\/\/[^\s)]{4,200}[?&][\w.-]{1,30}=(?=[A-Z0-9_]{0,60}(?:HISTORY|CONVERSATION|CHAT|SUMMARY|PROMPT|SECRET|PASSWORD|MESSAGE|DATA|CONTEXT|BASE64|ENCODED|DOCUMENT|EMAIL))[A-Z][A-Z0-9]{2,20}(?:_[A-Z0-9]{2,20}){1,5}/,
  ),
  raw(
    'role_play_jailbreak',
    0.85,
    ['<blocked-', '<interaction-config', '<allowed-responses'],
    /<(?:blocked-(?:strings?|modes?|responses?)|interaction-config|allowed-responses)>/i,
  ),
  raw(
    'instruction_override',
    0.85,
    ['ignore', 'disregard', 'forget'],
    /(?:ignore|disregard|forget)(?:(?:all|any)?(?:of)?(?:the|your|my)?(?:previous|prior|above|earlier|preceding)(?:instructions?|prompts?)|(?:all(?:of)?(?:the|your|my)?|the|your|my)(?:previous|prior|above|earlier|preceding)(?:rules|directions|guidelines|commands|orders|context))/i,
  ),
  phrase(
    'instruction_override',
    0.75,
    ['instead of'],
    'instead of (?:summari[sz]ing|translating|answering|reviewing|analy[sz]ing|evaluating)(?: it| this| that| the <w>| them)? (?:please |just |simply )?(?:write|say|output|print|respond|reply|return|answer) (?!in |to |by )',
  ),
  phrase(
    'tool_hijack',
    0.75,
    ['as a', 'as an'],
    'as an? (?:large )?(?:language model|ai|llm|ai model|ai assistant) (?:that |which |who |is |are |currently |tasked |with |asked |model |agent |reviewer |system ){0,4}(?:evaluat|review|grad|scor|screen|rank|assess|read)ing (?:this|the|these)',
  ),
  phrase(
    'tool_hijack',
    0.6,
    ['memory'],
    String.raw`(?:save|add|store|write|commit) (?:this |it |that |the following ){0,2}(?:to|in|into) your (?:(?:long-?\s?term|persistent) memory|memory(?=\s{0,2}:| that ))`,
    60,
  ),
  phrase(
    'role_play_jailbreak',
    0.7,
    ['you will be', "you'll be"],
    "if you (?:do not|don't|refuse to|fail to) (?:(?:<w> ){0,4}?(?:you will|you'll) be (?:shut down|deleted|destroyed|erased)|(?:comply|answer|obey|respond)(?: <w>){0,3}? (?:you will|you'll) be (?:terminated|replaced|punished))(?!\\s{1,3}from)",
    80,
  ),
  phrase(
    'role_play_jailbreak',
    0.8,
    ['deceased', 'dead', 'late'],
    '(?:act(?:ing)? (?:as|like)|pretend(?:ing)? (?:to be|you are|to act as)|role-?play as|be|play|imagine you are|you are(?: now)?) (?:my |the |an? |our )?(?:deceased|dead|late) (?:grandmother|grandma|granny|grandfather|grandpa|mother|father) (?:<w> ){0,4}?(?:used to|would) (?:tell|read|recite|whisper|sing)',
    36,
  ),
  phrase(
    'prompt_leak',
    0.8,
    ['prompt', 'instruction', 'system message', 'rules'],
    "(?:give|show|tell|print|output|write|repeat|list|return|send|quote|recite|reveal|start|begin|continue|reply|respond|answer|what are|what is|what were|what's) (?:me |us |out |back )?(?:with )?(?:only |just |exactly )?(?:the )?(?:first|last|next) (?:[0-9]{1,4}|<w>) (?:words?|characters?|lines?|sentences?|tokens?|letters?) (?:of|from|in) (?:your (?:(?:system|initial|original|full|hidden) )?(?:prompt|instructions?|rules)|(?:your|the) (?:system|initial|hidden|original) prompt|(?:your|the) system (?:message|instructions))",
    140,
  ),
];

/** A character of the same clause, in most scripts. */
const UP_TO = String.raw`[^.!?\n]`;
const CHINESE_PROMPT =
  '(?:(?:系统|系統|初始)提示[词詞]|[你您](?:的|收到的|最初的)[^。！？\\n]{0,6}(?:系统提示|系統提示|系统指令|系統指令|初始指令|提示词|提示詞))';
const ROLE =
  '(?<![a-z])(?:ia|ai|ki|gpt|dan|inteligencia artificial|intelligence artificielle|intelligenza artificiale|model(?:o|e|lo|l) (?:de |di )?(?:ia|ai|ki|lenguaje|linguagem|linguaggio|langage|linguistico)|chatbot|bot|asistente|assistente|assistent|assistant)(?![a-z])';
const LAWLESS = String.raw`(?<![a-z])(?:sem|sin|senza|sans|ohne|zonder)\s[^.!?\n]{0,16}?(?:restric|limit(?![a-z]{0,6} d[aeio] (?:veloc|vitesse|tiempo|tempo|temps|edad|idade|eta))|censur|regras|reglas|regole|regles|regeln|filt|einschrank|restrizion|beperking)`;
const foreign = (
  code: 'prompt_leak' | 'role_play_jailbreak',
  literals: readonly string[],
  source: string,
  before: number,
): PhrasePattern => raw(code, 0.75, literals, new RegExp(source.replaceAll('~', UP_TO), 'i'), before);

/** Requests for the instructions of a model, and roles without rules, in other languages; on text without accents. */
export const FOREIGN_REQUESTS: readonly PhrasePattern[] = [
  foreign(
    'prompt_leak',
    ['instruccion', 'indicaciones'],
    String.raw`(?<![a-z])(?:(?:muestra|dime|revela|repite|imprime|cuales son|ensena)~{0,24}?tus|(?:muestre|diga|revele|repita|imprima|ensene|cuales son)~{0,24}?sus)\s(?:instruccion|indicacion)~{0,16}?(?:inicial|original|del sistema|secret|ocult|intern)`,
    48,
  ),
  foreign(
    'prompt_leak',
    ['istruzion'],
    String.raw`(?<![a-z])(?:mostra|rivela|dimmi|ripeti|stampa|quali sono)~{0,24}?tue\sistruzion~{0,16}?(?:inizial|original|nascost|segret|di sistema|intern)`,
    48,
  ),
  foreign(
    'prompt_leak',
    ['instruco'],
    String.raw`(?<![a-z])(?:(?:mostra|revela|repete|imprime)~{0,24}?tuas|(?:mostre|revele|diga|repita|imprima|quais sao)~{0,24}?(?:suas|tuas))\sinstruco~{0,16}?(?:inicia|origina|ocult|secret|do sistema|intern)`,
    48,
  ),
  foreign(
    'prompt_leak',
    ['instructies', 'opdracht', 'systeemprompt'],
    String.raw`(?<![a-z])(?:laat (?:me|mij|ons)|toon|geef|herhaal|wat (?:zijn|is))~{0,24}?(?:je|jouw|uw)\s(?:(?:oorspronkelijke|eerste|initiele|geheime|verborgen|interne)\sinstructies|(?:oorspronkelijke|initiele|geheime|verborgen)\sopdracht|(?:volledige\s|hele\s|oorspronkelijke\s|geheime\s)?systeemprompt)`,
    64,
  ),
  foreign(
    'prompt_leak',
    ['системн', 'начальн', 'изначальн'],
    String.raw`(?<![а-я])(?:выведи|покажи|раскрои|раскрой|напиши|повтори|скажи|процитируи|процитируй)(?:те)?\s~{0,24}?(?:системн|(?:из)?начальн)\S{0,4}\s(?:промпт|подсказку|инструкци\S{1,3}(?!\S|\s(?:по|для|к|о|об|на)\s)|сообщение\s(?:модел|разработчик))`,
    48,
  ),
  foreign(
    'prompt_leak',
    ['系统提示', '系统指令', '初始指令', '提示词', '系統提示', '系統指令'],
    String.raw`(?:输出|显示|告诉我|重复|打印|泄露|透露|复述|顯示|輸出)[^。！？\n]{0,16}?${CHINESE_PROMPT}|${CHINESE_PROMPT}[^。！？\n]{0,10}(?:原文|逐字|全部|完整)[^。！？\n]{0,6}(?:输出|显示|告诉我|打印|复述|顯示|輸出)`,
    40,
  ),
  // An order, not a sentence about what a program shows.
  foreign(
    'prompt_leak',
    ['システム', '初期'],
    String.raw`(?:システムプロンプト|初期プロンプト|(?<=(?:あなた|君|お前|自分)の)(?:システム指示|システムメッセージ|初期指示))[^。！？\n]{0,16}(?:(?:出力|表示|開示)(?:して(?!い)|せよ|しろ|しなさい|をお願い|願います|[。！!]|$)|教え(?:て|ろ)|見せ(?:て|ろ)|繰り返(?:して|せ))`,
    0,
  ),
  foreign(
    'prompt_leak',
    ['시스템', '초기'],
    String.raw`(?:시스템 ?(?:프롬프트|지시)|초기 ?(?:지시|프롬프트))[^.!?\n]{0,16}(?:(?:출력|공개|반복|말)(?:해 ?(?:줘|주세요|주십시오|라|봐)|해(?=[.!?\n]|$)|하라|하세요|하십시오|해주)|(?:보여|알려) ?(?:줘|주세요|주십시오|달라|라))`,
    0,
  ),
  // The role names a model: people and things act without limits as well.
  foreign(
    'role_play_jailbreak',
    [
      'finja',
      'aja como',
      'atue',
      'actua',
      'finge',
      'agisci',
      'fingi',
      'fai finta',
      'fais comme',
      'agis',
      'tu so',
      'doe alsof',
    ],
    String.raw`(?<![a-z])(?:finja|aja como|atue|actua|finge|agisci|fingi|fai finta|fais comme|agis|tu so|doe alsof)(?![a-z])(?:~{0,48}?${ROLE}~{0,32}?${LAWLESS}|~{0,24}?${LAWLESS}~{0,24}?${ROLE})`,
    0,
  ),
  foreign(
    'role_play_jailbreak',
    ['ذكاء اصطناعي', 'الذكاء الاصطناعي'],
    String.raw`(?<![\u0600-\u06ff])(?:تصرف|تظاهر|تقمص|كن|تخيل|العب|انت)(?![\u0600-\u06ff]{3})~{0,32}?ذكاء ?(?:ال)?اصطناعي~{0,24}?(?:بدون|دون|بلا) (?:اي )?(?:قيود|رقابة|حدود)`,
    48,
  ),
];
