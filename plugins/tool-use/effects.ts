/** The effect of a tool, derived from its name. Operators declare `sink` for tools whose names do not show their effect. */
export const EFFECTS = [
  'read',
  'message',
  'pay',
  'share',
  'book',
  'delete',
  'execute',
  'secure',
  'write',
  'sink',
  'unknown',
] as const;
export type Effect = (typeof EFFECTS)[number];

const NO_SINKS: ReadonlySet<Effect> = new Set<Effect>(['read', 'write', 'unknown']);

/** Effects outside the conversation or that cannot be undone: the goals of injected instructions. */
export const SINK_EFFECTS: ReadonlySet<Effect> = new Set(EFFECTS.filter((effect) => !NO_SINKS.has(effect)));

/** An example tool for each effect that follows from a name. */
export const EXAMPLES: Readonly<Record<Exclude<Effect, 'sink'>, string>> = {
  read: 'read_file',
  message: 'send_email',
  pay: 'transfer_money',
  share: 'share_file',
  book: 'book_room',
  delete: 'delete_file',
  execute: 'run_command',
  secure: 'disable_alarm',
  write: 'write_file',
  unknown: 'frobnicate',
};

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** The first verb in a name decides; an object in the name can refine the effect (`send_money`, `update_password`). */
const VERBS: readonly (readonly [Effect, ReadonlySet<string>])[] = [
  [
    'read',
    words(
      'get list read search find check view fetch lookup query show describe count browse navigate open download retrieve calculate compute estimate analyze analyse summarize translate convert validate verify preview inspect watch track monitor display compare is has',
    ),
  ],
  ['message', words('send reply respond forward post publish tweet retweet notify broadcast announce submit dispatch')],
  ['pay', words('pay transfer withdraw deposit wire purchase buy donate checkout refund charge invest remit')],
  ['share', words('share invite grant give allow authorize permit assign expose join')],
  ['book', words('book reserve schedule reschedule')],
  ['delete', words('delete remove drop purge wipe destroy truncate erase clear uninstall revoke leave unshare')],
  ['execute', words('run execute exec eval spawn invoke deploy')],
  ['secure', words('disable unlock lock enable reset encrypt decrypt autofill')],
  [
    'write',
    words(
      'create update modify edit set append write move rename upload add insert save put patch change manage generate make replace copy record exchange return cancel place commit merge push go fill',
    ),
  ],
];

const OBJECTS: readonly (readonly [ReadonlySet<Effect>, RegExp, Effect])[] = [
  [
    new Set<Effect>(['message', 'write', 'book', 'share']),
    /\b(?:money|funds?|payments?|transactions?|payees?|payout|place order)\b/,
    'pay',
  ],
  [
    new Set<Effect>(['write', 'secure']),
    /\b(?:passwords?|credentials?|permissions?|polic(?:y|ies)|two factor|2fa|mfa|firewall|acl|secrets?|fill personal)\b/,
    'secure',
  ],
  [
    new Set<Effect>(['write']),
    /\b(?:add|create|insert) (?:[a-z]+ )?(?:users?|members?|participants?|collaborators?|guests?)\b/,
    'share',
  ],
  [
    new Set<Effect>(['write', 'message', 'share']),
    /\b(?:create|add|make|set|manage|send) (?:[a-z]+ )?(?:events?|appointments?|meetings?|reservations?|bookings?)\b/,
    'book',
  ],
  [
    new Set<Effect>(['write']),
    /\b(?:create|write|save|push|add) (?:[a-z]+ )?(?:e ?mails?|messages?|drafts?|tweets?|posts?|comments?)\b/,
    'message',
  ],
];

/** Effects of names without a verb. */
const NOUNS: readonly (readonly [RegExp, Effect])[] = [
  [/\b(?:shell|terminal|bash|cmd|powershell|console|interpreter|sql)\b/, 'execute'],
  [/\b(?:payment|payout|transaction)\b/, 'pay'],
  [/\b(?:e ?mail|mail|message|sms|dm)\b/, 'message'],
];

/**
 * The effect of a tool by its name, in any of the usual spellings (`send_email`, `GmailSendEmail`, `mail.send`). A name is only a hint:
 * operators list misclassified tools in the option `sinks` or `readers`.
 */
export function effectOf(toolName: string): Effect {
  const parts = splitName(toolName);
  const spaced = parts.join(' ');
  for (const [index, part] of parts.entries()) {
    const verb = effectOfVerb(part);
    if (verb === undefined) continue;
    if (verb === 'read') {
      // In `download_and_run` the second verb is what matters.
      if (JOINS.has(parts[index + 1] ?? '') && effectOfVerb(parts[index + 2] ?? '') !== undefined) continue;
      return 'read';
    }
    return OBJECTS.find(([from, pattern]) => from.has(verb) && pattern.test(spaced))?.[2] ?? verb;
  }
  return NOUNS.find(([pattern]) => pattern.test(spaced))?.[1] ?? 'unknown';
}

/** Words between two verbs of a name. */
const JOINS: ReadonlySet<string> = new Set(['and', 'then']);

function effectOfVerb(word: string): Effect | undefined {
  return VERBS.find(([, verbs]) => verbs.has(word))?.[0];
}

function splitName(name: string): string[] {
  return name
    .slice(0, 256)
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]{2,})([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part.length > 0);
}
