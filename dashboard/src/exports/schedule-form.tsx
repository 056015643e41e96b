/** The form for creating and changing a schedule of exports. */
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { send } from '../api/client.ts';
import Dialog from '../parts/dialog.tsx';
import { FormEnd } from '../parts/form-end.tsx';
import { useSending, type Sending } from '../parts/form.ts';
import { Field, Segments } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';
import { BucketFields, bucketOf, NO_BUCKET, type BucketTexts } from './bucket-fields.tsx';
import { defined, FilterEditor } from './filter-editor.tsx';
import { schedulePath, SCHEDULES_KEY } from './schedule-actions.tsx';
import { TableColumns, type ChosenColumns } from './table-columns.tsx';
import { FORMAT_OPTIONS, hourWords, placeWords, type Due, type Format, type Schedule } from './schedule-words.ts';

const EVERY = [
  ['day', 'Day'],
  ['week', 'Week'],
  ['month', 'Month'],
] as const;
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
/** The last day that every month has. */
const LAST_DAY = 28;
const DEFAULT_HOUR = 2;
const upTo = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

interface ScheduleDialogProps {
  /** The schedule to be changed; absent for a new one. */
  readonly schedule?: Schedule;
  readonly filters: Readonly<Record<string, string | undefined>>;
  readonly close: () => void;
}

type Place = 'kept' | 'download' | 's3';

export function ScheduleDialog({ schedule, filters: given, close }: ScheduleDialogProps): ReactNode {
  const [name, setName] = useState(schedule?.name ?? '');
  const [due, setDue] = useState<Due>(schedule?.due ?? { every: 'day', hour: DEFAULT_HOUR });
  const [format, setFormat] = useState<Format>(schedule?.format ?? 'jsonl');
  const [bom, setBom] = useState(schedule?.bom ?? false);
  const [columns, setColumns] = useState((schedule?.columns ?? null) as ChosenColumns);
  const [filters, setFilters] = useState(() => defined(given));
  const [place, setPlace] = useState<Place>(schedule === undefined ? 'download' : 'kept');
  const [bucket, setBucket] = useState<BucketTexts>(NO_BUCKET);
  const sending = useSending();
  const client = useQueryClient();
  const save = (event: FormEvent): void => {
    event.preventDefault();
    sending.run(async () => {
      const destination = place === 's3' ? bucketOf(bucket) : { kind: 'download' };
      await send(schedule === undefined ? 'POST' : 'PATCH', schedulePath(schedule?.id ?? '').replace(/\/$/, ''), {
        ...{ name, due, format, filters, bom: format === 'csv' && bom },
        ...columnsFor(schedule, format === 'jsonl' ? null : columns),
        ...(place === 'kept' ? {} : { destination }),
      });
      await client.invalidateQueries({ queryKey: SCHEDULES_KEY });
      close();
    });
  };
  return (
    <Dialog
      title={schedule === undefined ? 'New schedule' : `Change ${visible(schedule.name)}`}
      close={close}
      size={560}
    >
      <form className="stack" onSubmit={save}>
        <Field label="Name" problem={sending.problemOf('name')}>
          <input
            className="input"
            required
            maxLength={80}
            autoComplete="off"
            data-autofocus
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <DueFields due={due} change={setDue} />
        <FilterEditor filters={filters} change={setFilters} />
        <FormatField {...{ format, setFormat, columns, setColumns, bom, setBom }} />
        <DestinationFields {...{ schedule, place, setPlace, bucket, setBucket }} problemOf={sending.problemOf} />
        <FormEnd sending={sending} label={schedule === undefined ? 'Create schedule' : 'Save'} close={close} />
      </form>
    </Dialog>
  );
}

interface FormatFieldProps {
  readonly format: Format;
  readonly setFormat: (format: Format) => void;
  readonly columns: ChosenColumns;
  readonly setColumns: (columns: ChosenColumns) => void;
  /** CSV that begins with a byte order mark. */
  readonly bom: boolean;
  readonly setBom: (bom: boolean) => void;
}

function FormatField({ format, setFormat, columns, setColumns, bom, setBom }: FormatFieldProps): ReactNode {
  return (
    <div className="field">
      <span>Format</span>
      <Segments label="Format" value={format} options={FORMAT_OPTIONS} onChange={setFormat} />
      {format !== 'jsonl' && <TableColumns chosen={columns} change={setColumns} />}
      {format === 'csv' && (
        <label className="line tight nowrap-box">
          <input type="checkbox" checked={bom} onChange={(event) => setBom(event.target.checked)} />
          Add a byte order mark, so that Excel detects UTF-8
        </label>
      )}
    </div>
  );
}

interface DestinationProps {
  readonly schedule: Schedule | undefined;
  readonly place: Place;
  readonly setPlace: (place: Place) => void;
  readonly bucket: BucketTexts;
  readonly setBucket: (bucket: BucketTexts) => void;
  readonly problemOf: Sending['problemOf'];
}

function DestinationFields(props: DestinationProps): ReactNode {
  const { schedule, place, setPlace, bucket, setBucket, problemOf } = props;
  return (
    <>
      <div className="field">
        <span>Destination</span>
        <Segments label="Destination" value={place} options={placesFor(schedule)} onChange={setPlace} />
        {place === 'kept' && schedule !== undefined && (
          <small className="hint">{visible(placeWords(schedule.destination))}</small>
        )}
      </div>
      {place === 's3' && (
        <BucketFields bucket={bucket} change={setBucket} problemOf={problemOf} keptUntil="the schedule is deleted" />
      )}
    </>
  );
}

/** For a new schedule, `columns` is omitted to select all; for a change, null must be sent. */
function columnsFor(schedule: Schedule | undefined, columns: ChosenColumns): object {
  return columns !== null || schedule !== undefined ? { columns } : {};
}

function placesFor(schedule: Schedule | undefined): readonly (readonly [Place, string])[] {
  const places = [
    ['download', 'Stored by Weir'],
    ['s3', 'S3 bucket'],
  ] as const;
  return schedule === undefined ? places : [['kept', 'Unchanged'], ...places];
}

function DueFields({ due, change }: { readonly due: Due; readonly change: (due: Due) => void }): ReactNode {
  const { hour } = due;
  const every = (word: Due['every']): void =>
    change(
      word === 'day'
        ? { every: word, hour }
        : word === 'week'
          ? { every: word, hour, weekday: 'monday' }
          : { every: word, hour, day: 1 },
    );
  return (
    <div className="field" role="group" aria-label="When">
      <span>Every</span>
      <div className="line">
        <Segments label="Every" value={due.every} options={EVERY} onChange={every} />
        {due.every === 'week' && (
          <select
            className="input small"
            aria-label="Day of the week"
            value={due.weekday}
            onChange={(event) => change({ ...due, weekday: event.target.value as (typeof WEEKDAYS)[number] })}
          >
            {WEEKDAYS.map((each) => (
              <option key={each} value={each}>
                {each.charAt(0).toUpperCase()}
                {each.slice(1)}
              </option>
            ))}
          </select>
        )}
        {due.every === 'month' && (
          <select
            className="input small"
            aria-label="Day of the month"
            value={due.day}
            onChange={(event) => change({ ...due, day: Number(event.target.value) })}
          >
            {upTo(1, LAST_DAY).map((each) => (
              <option key={each} value={each}>
                on day {each}
              </option>
            ))}
          </select>
        )}
        <select
          className="input small"
          aria-label="Time of day, UTC"
          value={hour}
          onChange={(event) => change({ ...due, hour: Number(event.target.value) })}
        >
          {upTo(0, 23).map((each) => (
            <option key={each} value={each}>
              at {hourWords(each)} UTC
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}
