/** The worker that compresses Parquet: a group of rows takes tens of milliseconds. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { serveTasks } from '../../workers/index.js';
import { fileEnd, rowGroup, type RowGroupInput } from './parquet-file.js';

/**
 * What a group leaves behind is collected before the next one. By itself V8 would wait until it is more than the pool lets
 * a thread have, and a long export would fail for garbage.
 */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

serveTasks({
  rowGroup: (input: RowGroupInput) => {
    collect();
    return rowGroup(input);
  },
  fileEnd,
});
