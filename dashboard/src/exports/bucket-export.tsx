/** Starts an export that the service writes to a bucket of the user. */
import { useState, type FormEvent, type ReactNode } from 'react';
import { send } from '../api/client.ts';
import Dialog from '../parts/dialog.tsx';
import { FormEnd } from '../parts/form-end.tsx';
import { useSending } from '../parts/form.ts';
import { BucketFields, bucketOf, NO_BUCKET } from './bucket-fields.tsx';

interface BucketExportProps {
  /** The events, and the form of the file. */
  readonly order: object;
  readonly close: () => void;
  /** Called after the export was started. */
  readonly started: () => Promise<unknown>;
}

export function BucketExport({ order, close, started }: BucketExportProps): ReactNode {
  const [bucket, setBucket] = useState(NO_BUCKET);
  const sending = useSending();
  const start = (event: FormEvent): void => {
    event.preventDefault();
    sending.run(async () => {
      await send('POST', '/v1/exports', { ...order, destination: bucketOf(bucket) });
      close();
      await started();
    });
  };
  return (
    <Dialog title="Export to a bucket" close={close} size={560}>
      <form className="stack" onSubmit={start}>
        <BucketFields
          bucket={bucket}
          change={setBucket}
          problemOf={sending.problemOf}
          keptUntil="the export is done, cancelled or removed, or can no longer be resumed"
        />
        <FormEnd sending={sending} label="Export to the bucket" close={close} />
      </form>
    </Dialog>
  );
}
