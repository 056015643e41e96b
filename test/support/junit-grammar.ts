/** The JUnit report schema of Jenkins' xUnit plugin (junit-10.xsd), limited to what reports of `weir` use. */
interface Element {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly children: readonly string[];
  readonly hasText: boolean;
}

const COUNTS = ['tests', 'failures', 'errors'];
const TOLD: Element = { required: [], optional: ['type', 'message'], children: [], hasText: true };
const TEXT: Element = { required: [], optional: [], children: [], hasText: true };
const ELEMENTS: Readonly<Record<string, Element>> = {
  testsuites: { required: [], optional: ['name', 'time', ...COUNTS], children: ['testsuite'], hasText: false },
  testsuite: {
    required: ['name', ...COUNTS],
    optional: ['group', 'time', 'skipped', 'timestamp', 'hostname', 'id', 'package', 'file', 'log', 'url', 'version'],
    children: ['testsuite', 'properties', 'testcase', 'system-out', 'system-err'],
    hasText: false,
  },
  testcase: {
    required: ['name'],
    optional: ['time', 'classname', 'group'],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
    hasText: false,
  },
  properties: { required: [], optional: [], children: ['property'], hasText: false },
  property: { required: ['name', 'value'], optional: [], children: [], hasText: false },
  skipped: TOLD,
  error: TOLD,
  failure: TOLD,
  'system-out': TEXT,
  'system-err': TEXT,
};
/** Seconds with at most three decimal digits. */
const TIME = /^\d*(?:\.\d{0,3})?$/;
const TOKEN = /<\?xml [^?]*\?>|<(\/?)([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
const REFERENCE = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)/;

/** The problems of a report; empty if it conforms to the schema. */
export function junitProblems(xml: string): string[] {
  const problems: string[] = [];
  const open: string[] = [];
  let at = 0;
  for (const match of xml.matchAll(TOKEN)) {
    at = match.index + match[0].length;
    const [token, closing, name, attributes = '', empty, text] = match;
    if (REFERENCE.test(token)) problems.push(`a bare & in ${JSON.stringify(token)}`);
    const parent = open.at(-1);
    if (text !== undefined) {
      if (text.trim() !== '' && ELEMENTS[parent ?? '']?.hasText !== true)
        problems.push(`text in ${parent ?? 'nothing'}`);
    } else if (closing === '/') {
      if (open.pop() !== name) problems.push(`</${name}> closes ${parent}`);
    } else if (name !== undefined) {
      problems.push(...elementProblems(name, parent, attributes));
      if (empty === '') open.push(name);
    }
  }
  if (at !== xml.length) problems.push(`not XML from character ${at} on: ${JSON.stringify(xml.slice(at, at + 40))}`);
  return [...problems, ...open.map((name) => `<${name}> is not closed`)];
}

function elementProblems(name: string, parent: string | undefined, attributes: string): string[] {
  const element = ELEMENTS[name];
  if (element === undefined) return [`unknown element ${name}`];
  const given = [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => ({ key, value }));
  const keys = given.map(({ key }) => key);
  const isPlaced = parent === undefined ? name.startsWith('testsuite') : ELEMENTS[parent]?.children.includes(name);
  return [
    ...(isPlaced === true ? [] : [`<${name}> in ${parent ?? 'nothing'}`]),
    ...element.required.filter((key) => !keys.includes(key)).map((key) => `<${name}> without ${key}`),
    ...keys.filter((key, index) => keys.indexOf(key) !== index).map((key) => `<${name}> with ${key} twice`),
    ...keys
      .filter((key) => ![...element.required, ...element.optional].includes(key))
      .map((key) => `<${name}> with ${key}`),
    ...given
      .filter(({ key, value }) => key === 'time' && name !== 'testcase' && !TIME.test(value))
      .map(({ value }) => `<${name}> with the time ${value}`),
  ];
}
