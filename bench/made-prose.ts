/** Prose, names, numbers, URLs, code and tables about made-up companies, from random choices: as varied as the texts of applications. */

/** The random choices for one text. */
export class Draw {
  /** @param random numbers from 0 to 1 */
  constructor(private readonly random: () => number) {}

  /** An integer from 0 to just below the limit. */
  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  /** An integer from the first bound to the second one. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  of<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('there is nothing to choose from');
    return item;
  }
}

const words = (text: string): readonly string[] => text.split(/\s+/);

const FIRST = words(
  `Olivia Noah Amara Mateo Ingrid Ravi Chloe Tomas Leila Henrik Sofia Kwame Yuki Elena Marcus Priya Jonas Aisha Diego Freya
  Samuel Nadia Victor Hana Oscar Mila Felix Zara Anton Clara Ibrahim Greta Lucas Naomi Pavel Rosa Simon Tara Emil Vera`,
);
const LAST = words(
  `Okafor Lindqvist Moreau Castillo Weber Banerjee Novak Hughes Tanaka Ferrari Jansen Kowalski Mensah Petrov Silva Larsen
  Haddad Nguyen Fischer Romero Dubois Eriksen Costa Murphy Schmidt Ivanov Rossi Park Andersen Bauer Lopez Keller Horvat
  Nilsson Ortega Vogel Sato Walsh Marchetti Brandt`,
);
const CITIES = words(
  `Lisbon Hamburg Oslo Nairobi Toronto Osaka Bogota Prague Dublin Seville Leeds Austin Lyon Turin Gdansk Utrecht Bergen Porto
  Denver Accra Perth Riga Ghent Malaga Tampere Basel`,
);
const COMPANIES = words(
  `Northwind Harborline Bluefern Castellan Orchid Redwood Silverlake Tidewater Umbra Vantage Westgate Yarrow Zenith Alder
  Brightwell Copperfield Driftwood Eastmoor Foxglove Granite`,
);
const FORMS = ['GmbH', 'Ltd', 'Inc.', 'BV', 'AB', 'SARL'] as const;
const PRODUCTS = words(
  `Atlas Lumen Beacon Cobalt Delta Ember Falcon Garnet Helix Indigo Juniper Krypton Lattice Meridian`,
);
const EDITIONS = ['Core', 'Cloud', 'Edge', 'Pro', 'Studio', 'Insights'] as const;
const TEAMS = words(
  `finance logistics support design platform warehouse marketing research procurement payroll security sales`,
);
const NOUNS = words(
  `invoice warehouse shipment contract forecast budget campaign audit backlog release migration outage dashboard report
  supplier customer refund discount subscription pipeline cluster database schema endpoint queue cache index replica
  workshop interview survey prototype sensor battery engine turbine permit tender lease deposit premium claim policy
  harvest vineyard recipe menu itinerary booking flight platform ticket seminar lecture essay chapter manuscript
  translation glossary notebook spreadsheet formula chart slide poster banner headline podcast episode trailer
  orchestra exhibition gallery sculpture bridge tunnel crane scaffold elevator corridor window carpet lamp mirror`,
);
const ADJECTIVES = words(
  `quarterly regional overdue provisional revised unexpected recurring seasonal internal shared external temporary final
  incomplete detailed expensive reliable fragile obsolete automatic manual hidden public narrow steady volatile
  measurable ambitious modest delayed approved rejected pending archived duplicate missing average typical rare
  bilingual coastal electric hybrid wooden metallic transparent crowded silent remote annual`,
);
const VERBS = words(
  `review approve postpone measure compare rebuild simplify archive translate publish schedule negotiate verify inspect
  replace repair document estimate summarise reorganise sketch rehearse assemble calibrate export merge split rename`,
);
const DID = words(
  `reviewed approved postponed measured compared rebuilt simplified archived translated published scheduled negotiated
  verified inspected replaced repaired documented estimated summarised reorganised closed reopened shipped cancelled`,
);
const SAID = words(`reported wrote noted estimated confirmed doubted explained repeated argued assumed`);
const MOVED = words(`grew shrank improved slipped recovered rose fell doubled stalled dropped`);
const FAILED = ['stop', 'time out', 'restart', 'lose its queue', 'reject every import', 'answer twice'] as const;
const ADVERBS = words(
  `meanwhile however apparently fortunately later eventually usually recently quietly briefly honestly`,
);
const MONTHS = words(`January February March April May June July August September October November December`);
const SITES = ['docs', 'wiki', 'status', 'shop', 'handbook', 'data'] as const;
const COMMANDS = [
  'npm run build',
  'git log --oneline',
  'kubectl get pods',
  'make test',
  'docker compose up',
  'terraform plan',
];

const padded = (value: number, length: number): string => String(value).padStart(length, '0');
const capital = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

export const person = (draw: Draw): string => `${draw.of(FIRST)} ${draw.of(LAST)}`;
export const city = (draw: Draw): string => draw.of(CITIES);
export const noun = (draw: Draw): string => draw.of(NOUNS);
const adjective = (draw: Draw): string => draw.of(ADJECTIVES);
const verb = (draw: Draw): string => draw.of(VERBS);
const did = (draw: Draw): string => draw.of(DID);
const company = (draw: Draw): string => `${draw.of(COMPANIES)} ${draw.of(FORMS)}`;
const product = (draw: Draw): string => `${draw.of(PRODUCTS)} ${draw.of(EDITIONS)}`;
const version = (draw: Draw): string => `${draw.below(9)}.${draw.below(30)}.${draw.below(12)}`;
const percent = (draw: Draw): string => `${draw.below(100)}.${draw.below(10)} %`;
const time = (draw: Draw): string => `${padded(draw.below(24), 2)}:${padded(draw.below(60), 2)}`;
export const ticket = (draw: Draw): string => `${draw.of(['OPS', 'WEB', 'FIN', 'CRM'])}-${draw.between(100, 9_999)}`;

const amount = (draw: Draw): string =>
  `${draw.of(['$', 'EUR ', 'GBP '])}${draw.between(1, 999)},${padded(draw.below(1_000), 3)}.${padded(draw.below(100), 2)}`;

const day = (draw: Draw): string => `2026-${padded(draw.between(1, 12), 2)}-${padded(draw.between(1, 28), 2)}`;

const date = (draw: Draw): string => (draw.below(2) === 0 ? day(draw) : `${draw.of(MONTHS)} ${draw.between(1, 28)}`);

export const instant = (draw: Draw): string => `${day(draw)}T${time(draw)}:${padded(draw.below(60), 2)}Z`;

export const url = (draw: Draw): string =>
  `https://${draw.of(SITES)}.example.com/${noun(draw)}/${adjective(draw)}-${noun(draw)}?page=${draw.between(1, 40)}#${noun(draw)}`;

const identifier = (draw: Draw): string => `${noun(draw)}${capital(noun(draw))}`;

const path = (draw: Draw): string => `src/${noun(draw)}/${adjective(draw)}-${noun(draw)}.ts:${draw.between(1, 400)}`;

/** An e-mail address at one of the hosts that {@link addressesIn} knows. */
export const address = (draw: Draw): string =>
  `${draw.of(FIRST)}.${draw.of(LAST)}`.toLowerCase().concat(`@${draw.of(['mail', 'post', 'team'])}.example.com`);

/** Counts the addresses made by {@link address} in a text. */
export const addressesIn = (text: string): number => text.match(/@(?:mail|post|team)\.example\.com/g)?.length ?? 0;

const SENTENCES: readonly ((draw: Draw) => string)[] = [
  (d) =>
    `${person(d)} ${d.of(SAID)} that the ${adjective(d)} ${noun(d)} ${d.of(MOVED)} by ${percent(d)} since ${date(d)}.`,
  (d) =>
    `In ${city(d)}, the ${d.of(TEAMS)} team ${did(d)} ${d.between(2, 900)} ${noun(d)}s and left ${d.between(2, 40)} open; see ${ticket(d)}.`,
  (d) =>
    `The ${noun(d)} for ${company(d)} costs ${amount(d)} per ${d.of(['month', 'seat', 'quarter', 'site'])}, or ${amount(d)} with the ${adjective(d)} ${noun(d)}.`,
  (d) =>
    `Why did ${product(d)} ${version(d)} ${d.of(FAILED)} at ${time(d)} on ${date(d)}, although the ${noun(d)} was ${adjective(d)}?`,
  (d) =>
    `"${capital(noun(d))} before ${noun(d)}," as ${person(d)} put it; the office in ${city(d)} ${did(d)} a ${adjective(d)} ${noun(d)} instead.`,
  (d) => `Details are at ${url(d)} and in ${path(d)}.`,
  (d) =>
    `${capital(d.of(ADVERBS))}, ${company(d)} ${did(d)} its ${adjective(d)} ${noun(d)} (${percent(d)} of ${amount(d)}) and ${did(d)} a ${noun(d)}.`,
  (d) =>
    `If the ${noun(d)} is ${adjective(d)}, ${verb(d)} the ${noun(d)} first and ${verb(d)} each ${adjective(d)} ${noun(d)} after it.`,
  (d) =>
    `Version ${version(d)} of ${product(d)} ${did(d)} the ${noun(d)} of ${d.between(2, 64)} ${d.of(TEAMS)} users; ${ticket(d)} and ${ticket(d)} are still open.`,
  (d) =>
    `${person(d)} and ${person(d)} met in ${city(d)} at ${time(d)} to ${verb(d)} the ${adjective(d)} ${noun(d)}: no decision, next date ${date(d)}.`,
  (d) =>
    `Revenue in ${city(d)} was ${amount(d)} (${percent(d)} more than planned), mostly from ${adjective(d)} ${noun(d)}s.`,
  (d) =>
    `\`${d.of(COMMANDS)}\` took ${d.between(10, 5_000)} ms, and \`${identifier(d)}()\` returned ${d.between(2, 400)} ${noun(d)}s.`,
];

const sentence = (draw: Draw): string => draw.of(SENTENCES)(draw);

/** Sentences with at least the given number of characters together. */
export function paragraph(draw: Draw, length: number): string {
  let text = sentence(draw);
  while (text.length < length) text += ` ${sentence(draw)}`;
  return text;
}

/** A sentence with letters that have two bytes or more in UTF-8. */
export const foreign = (draw: Draw): string =>
  `„${capital(noun(draw))}“ – Zürich, São Paulo und Łódź – kostet ${draw.between(10, 99)},${padded(draw.below(100), 2)} €.`;

/** A list with bullet points. */
export const bullets = (draw: Draw, count: number): string =>
  Array.from({ length: count }, () => `- ${sentence(draw)}`).join('\n');

/** A table in Markdown. */
export const figures = (draw: Draw, rows: number): string =>
  [
    `| month | ${noun(draw)}s | share | owner |`,
    '|---|---|---|---|',
    ...Array.from(
      { length: rows },
      () =>
        `| ${day(draw).slice(0, 7)} | ${draw.between(1, 9)},${padded(draw.below(1_000), 3)} | ${percent(draw)} | ${person(draw)} |`,
    ),
  ].join('\n');

/** A function in TypeScript, in a fenced block. */
export function code(draw: Draw): string {
  const [list, kept, one] = [identifier(draw), identifier(draw), noun(draw)];
  return [
    '```ts',
    `export function ${identifier(draw)}(${list}: readonly number[]): number {`,
    `  const ${kept} = ${list}.filter((${one}) => ${one} > ${draw.between(1, 90)});`,
    `  return ${kept}.length === 0 ? 0 : ${kept}.reduce((sum, ${one}) => sum + ${one}, 0) / ${kept}.length;`,
    '}',
    '```',
  ].join('\n');
}

/** A row of a made-up database. @param email an address that the row contains */
export const record = (draw: Draw, email?: string): object => ({
  order: ticket(draw),
  customer: person(draw),
  ...(email === undefined ? {} : { email }),
  city: city(draw),
  items: draw.between(1, 40),
  total: draw.between(100, 99_999) / 100,
  placed_at: instant(draw),
  status: draw.of(['open', 'paid', 'sent', 'returned']),
  note: sentence(draw),
});
