/** Requests for exports and schedules, waiting and downloading, shared by commands. The service writes the files. */
import { textOption, type ArgsOf } from '../command.js';
import { usageError } from '../exit-code.js';
import type { Io } from '../io.js';

/** A bucket as the API expects it. */
export interface BucketDestination {
  readonly kind: 's3';
  readonly bucket: string;
  readonly prefix?: string;
  readonly region: string;
  readonly endpoint?: string;
  readonly credentials: object;
}

const VARIABLES = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;

/** The flags for a bucket. Credentials have no flag: other users of the machine can see the arguments of a process. */
export const DESTINATION_OPTIONS = {
  to: textOption('Bucket and prefix of object names: s3://bucket/prefix/. Credentials: ' + VARIABLES.join(', ')),
  region: textOption('Region of the bucket; default: AWS_REGION'),
  endpoint: textOption('URL of an S3-compatible service; default: Amazon S3 in the region'),
  try: {
    type: 'boolean',
    default: false,
    describe: 'Test the bucket first by writing and deleting an object of one byte',
  },
} as const;

export type DestinationArgs = ArgsOf<typeof DESTINATION_OPTIONS>;

/**
 * The bucket of the flags; undefined without `--to`.
 *
 * @throws CliError (exit 2), without quoting a possible credential
 */
export function destinationOf(args: DestinationArgs, { env }: Pick<Io, 'env'>): BucketDestination | undefined {
  if (args.to === undefined) {
    const alone = (['region', 'endpoint', 'try'] as const).find(
      (name) => args[name] !== undefined && args[name] !== false,
    );
    if (alone !== undefined) throw usageError(`--${alone} needs a bucket: --to s3://bucket/prefix/`);
    return undefined;
  }
  const [, bucket, prefix = ''] = /^s3:\/\/([^/@:]+)(?:\/(.*))?$/.exec(args.to) ?? [];
  if (bucket === undefined) throw usageError('--to takes a bucket: s3://bucket/prefix/');
  const region = args.region ?? env['AWS_REGION'];
  if (region === undefined || region === '')
    throw usageError('in which region is the bucket? Use --region, or AWS_REGION');
  const [access_key_id, secret_access_key] = VARIABLES.map((name) => {
    const value = env[name];
    if (value === undefined || value === '') throw usageError(`the credentials of the bucket are missing: set ${name}`);
    return value;
  });
  const session = env['AWS_SESSION_TOKEN'] ?? '';
  return {
    ...{ kind: 's3', bucket, region },
    ...(prefix === '' ? {} : { prefix }),
    ...(args.endpoint === undefined ? {} : { endpoint: args.endpoint }),
    credentials: { access_key_id, secret_access_key, ...(session === '' ? {} : { session_token: session }) },
  };
}
