/** The worker that compresses Parquet: a group of rows takes tens of milliseconds. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { serveTasks } from '../../workers/index.js';
import { fileEnd, rowGroup, type RowGroupInput } from './parquet-file.js';

/**
 * Collects the garbage of a group before the next one. V8 alone would wait until the garbage exceeds the memory limit of the pool's
 * threads, and a long export would fail.
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
