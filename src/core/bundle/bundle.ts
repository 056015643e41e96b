import { z } from 'zod';
import type { JsonValue } from '../model/call.js';
import { compareText } from '../model/compare-text.js';
import { canonicalJson } from '../json/canonical-json.js';
import { ENVIRONMENTS, type CompiledPolicy, type Environment } from '../model/compiled-policy.js';
import { schemaProblems } from '../policy/source/schema-problems.js';

/** The only version of the format so far. */
export const BUNDLE_FORMAT = 'weir/bundle/v1';
/** The payload type of signatures of earlier versions, which cover only the bundle. They are no longer created. */
export const BUNDLE_PAYLOAD_TYPE = 'application/vnd.weir.bundle.v1+json';
/** The payload type, which is a part of the signed data, so that a signature cannot be reused for another kind of data. */
export const SIGNED_BUNDLE_TYPE = 'application/vnd.weir.signed-bundle.v2+json';
/** The highest serial number of a signature. */
export const MAX_SERIAL = Number.MAX_SAFE_INTEGER;

const MAX_FILES = 1_000;

/**
 * A path relative to the policies folder, with forward slashes. Line ends are forbidden, because they would end the line of a patch that
 * names the file. Characters that change the text direction are forbidden, because the file would be displayed with another name.
 */
const FILE_PATH =
  /^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))[^\\\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]{1,500}$/;

const file = z.strictObject({
  path: z.string().regex(FILE_PATH, 'expected a relative path'),
  text: z.string(),
});
const plugin = z.strictObject({ plugin: z.string(), version: z.string(), revision: z.int() });
const signature = z
  .strictObject({
    key_id: z.string().regex(/^[0-9a-f]{16}$/, 'expected 16 hexadecimal digits'),
    algorithm: z.literal('ed25519'),
    /** Base64. */
    value: z.string().regex(/^[A-Za-z0-9+/]{86}==$/, 'expected 64 bytes in base64'),
    account: z
      .uuid()
      .optional()
      .describe(
        'Id of the account for which the bundle was signed; absent in signatures made by earlier versions of Weir.',
      ),
    serial: z
      .int()
      .min(1)
      .max(MAX_SERIAL)
      .optional()
      .describe(
        'Serial number, which increases with every signature. A bundle with a lower number than an earlier deployed bundle counts as old.',
      ),
  })
  .refine(({ account, serial }) => (account === undefined) === (serial === undefined), {
    message: 'account and serial must be given together',
  });

export const BUNDLE_SCHEMA = z
  .strictObject({
    format: z.literal(BUNDLE_FORMAT),
    environment: z.enum(ENVIRONMENTS),
    /** The policy compiled from the sources with the plugins below. `digest` is the SHA-256 of the compiled form, in hex. */
    policy: z.strictObject({ id: z.string(), digest: z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in hex') }),
    files: z.array(file).min(1).max(MAX_FILES),
    tests: z.array(file).max(MAX_FILES),
    /** The plugins of the policy's detectors, with their versions at the time of the build. */
    requires: z.array(plugin).max(MAX_FILES),
    source: z.strictObject({
      /** The commit that was checked out; null outside of a repository, and for a change made on the server. */
      commit: z
        .string()
        .max(100)
        .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'expected one line of text')
        .nullable(),
      /** True if the policies folder was identical to the commit. */
      clean: z.boolean(),
    }),
    signatures: z.array(signature).max(16),
  })
  .meta({ id: 'Bundle' });

/** A policy ready to be deployed: one file that contains everything needed to compile, test and identify it. */
export type Bundle = z.infer<typeof BUNDLE_SCHEMA>;
export type BundleFile = Bundle['files'][number];
export type BundleSignature = Bundle['signatures'][number];
export type RequiredPlugin = Bundle['requires'][number];

export interface BundleParts {
  readonly policy: Pick<CompiledPolicy, 'id' | 'environment' | 'detectors' | 'structures' | 'readers'>;
  /** SHA-256 of the compiled form, in hex. */
  readonly digest: string;
  readonly files: readonly BundleFile[];
  readonly tests: readonly BundleFile[];
  readonly source: Bundle['source'];
}

/** Puts a bundle together: files sorted by path, texts normalised, no signature yet. */
export function makeBundle({ policy, digest, files, tests, source }: BundleParts): Bundle {
  return {
    format: BUNDLE_FORMAT,
    environment: policy.environment,
    policy: { id: policy.id, digest },
    files: sortedFiles(files),
    tests: sortedFiles(tests),
    requires: requiredPlugins(policy),
    source: { ...source },
    signatures: [],
  };
}

/**
 * The bytes of a bundle file, as text: canonical JSON (RFC 8785) and a line feed. The same sources give the same text, regardless of the
 * machine, the folder, the file order, the line ends and the clock.
 */
export function bundleText(bundle: Bundle): string {
  return `${canonicalJson(bundle)}\n`;
}

/** The bundle without its signatures, in canonical form. The SHA-256 of this text is the bundle's digest. */
export function bundlePayload(bundle: Bundle): string {
  const { signatures: _unsigned, ...payload } = bundle;
  return canonicalJson(payload satisfies JsonValue);
}

/**
 * Reads a bundle from a file or a request. Its lists have to be in canonical order, so that bundles with the same content have the same
 * digest.
 *
 * @returns the bundle, or the problem of each invalid field, without its value
 */
export function readBundle(
  value: unknown,
): { readonly bundle: Bundle } | { readonly problems: readonly { path: string; message: string }[] } {
  const parsed = BUNDLE_SCHEMA.safeParse(value);
  if (!parsed.success) return { problems: schemaProblems(parsed.error) };
  const bundle = parsed.data;
  const problems = (['files', 'tests'] as const).flatMap((list) =>
    isSorted(bundle[list]) ? [] : [{ path: list, message: 'must be sorted by path, each path once, texts normalised' }],
  );
  return problems.length === 0 ? { bundle } : { problems };
}

/** The files directly in an environment's folder. All other files are included through `extends`. */
export function entryFiles(files: readonly Pick<BundleFile, 'path'>[], environment: Environment): string[] {
  return files
    .map(({ path }) => path)
    .filter((path) => path.startsWith(`${environment}/`) && !path.slice(environment.length + 1).includes('/'));
}

/** The plugins of a policy's detectors, each once, sorted by id. */
export function requiredPlugins(
  policy: Pick<CompiledPolicy, 'detectors' | 'structures' | 'readers'>,
): RequiredPlugin[] {
  const byId = new Map(
    [...policy.detectors, ...policy.structures, ...policy.readers.filter(({ isRead }) => isRead)].map(
      ({ plugin: id, version, revision }) => [id, { plugin: id, version, revision }],
    ),
  );
  return [...byId.values()].sort((a, b) => compareText(a.plugin, b.plugin));
}

/** The text without a byte order mark and with line feeds, so that the digest does not depend on editors or checkouts. */
export function normalText(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}

function sortedFiles(files: readonly BundleFile[]): BundleFile[] {
  return files.map(({ path, text }) => ({ path, text: normalText(text) })).sort((a, b) => compareText(a.path, b.path));
}

function isSorted(files: readonly BundleFile[]): boolean {
  return files.every(
    ({ path, text }, index) =>
      (index === 0 || compareText(files[index - 1]!.path, path) < 0) && text === normalText(text),
  );
}
