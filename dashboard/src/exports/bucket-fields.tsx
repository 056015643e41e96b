/** A bucket of an S3-compatible service. Its secret is only in the form, and is never shown again. */
import { useState, type ReactNode } from 'react';
import { send, type Schemas } from '../api/client.ts';
import { Problem } from '../parts/form-end.tsx';
import { useSending } from '../parts/form.ts';
import { Field } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';

export interface BucketTexts {
  readonly bucket: string;
  readonly prefix: string;
  readonly region: string;
  readonly endpoint: string;
  readonly key: string;
  readonly secret: string;
}
export const NO_BUCKET: BucketTexts = { bucket: '', prefix: '', region: '', endpoint: '', key: '', secret: '' };

/** The bucket in the form of the API. */
export function bucketOf({ bucket, prefix, region, endpoint, key, secret }: BucketTexts): object {
  return {
    ...{ kind: 's3', bucket, region },
    ...(prefix === '' ? {} : { prefix }),
    ...(endpoint === '' ? {} : { endpoint }),
    credentials: { access_key_id: key, secret_access_key: secret },
  };
}

interface BucketFieldsProps {
  readonly bucket: BucketTexts;
  readonly change: (bucket: BucketTexts) => void;
  /** The service's error message for a field of the form. */
  readonly problemOf: (path: string) => string | undefined;
  /** Until when the service stores the secret, as the end of a sentence. */
  readonly keptUntil: string;
}

interface FieldOf {
  readonly name: keyof BucketTexts;
  readonly path: string;
  readonly label: string;
  readonly hint?: string;
  readonly isOptional?: boolean;
}

const FIELDS: readonly FieldOf[] = [
  { name: 'bucket', path: 'bucket', label: 'Bucket' },
  { name: 'prefix', path: 'prefix', label: 'Prefix of file names (empty: none)', isOptional: true },
  { name: 'region', path: 'region', label: 'Region' },
  {
    ...{ name: 'endpoint', path: 'endpoint', label: 'Endpoint (empty: Amazon S3)', isOptional: true },
    hint: 'URL of an S3-compatible service, such as https://s3.example.com',
  },
  { name: 'key', path: 'credentials.access_key_id', label: 'Access key id' },
  { name: 'secret', path: 'credentials.secret_access_key', label: 'Secret access key' },
];

export function BucketFields({ bucket, change, problemOf, keptUntil }: BucketFieldsProps): ReactNode {
  const secretHint = `Stored encrypted until ${keptUntil}; never shown again.`;
  return (
    <div className="stack">
      {FIELDS.map(({ name, path, label, hint, isOptional = false }) => (
        <Field
          key={name}
          label={label}
          problem={problemOf(`destination.${path}`)}
          hint={name === 'secret' ? secretHint : hint}
        >
          <input
            className={name === 'secret' || name === 'key' ? 'input mono' : 'input'}
            type={name === 'secret' ? 'password' : 'text'}
            required={!isOptional}
            autoComplete="off"
            data-1p-ignore=""
            spellCheck={false}
            value={bucket[name]}
            onChange={(event) => change({ ...bucket, [name]: event.target.value })}
          />
        </Field>
      ))}
      <TryBucket bucket={bucket} />
    </div>
  );
}

/** Tests whether an object of one byte can be written to the bucket and deleted. */
function TryBucket({ bucket }: { readonly bucket: BucketTexts }): ReactNode {
  const [tried, setTried] = useState<{ readonly of: BucketTexts; readonly found: Schemas['BucketTrial'] } | null>(null);
  const sending = useSending();
  const isReady = [bucket.bucket, bucket.region, bucket.key, bucket.secret].every((text) => text !== '');
  const tryIt = (): void =>
    sending.run(async () => {
      const found = await send<Schemas['BucketTrial']>('POST', '/v1/exports/buckets/test', bucketOf(bucket));
      setTried({ of: bucket, found });
    });
  const found = tried?.of === bucket ? tried.found : undefined;
  return (
    <div className="line">
      <button type="button" className="button" disabled={!isReady || sending.isSending} onClick={tryIt}>
        Test the bucket
      </button>
      <span role="status">
        {found?.ok === true && 'An object of one byte was written and deleted.'}
        {found?.ok === false && <span className="problem">{visible(found.problem ?? 'The action failed.')}</span>}
      </span>
      <Problem of={sending} />
    </div>
  );
}
