/** The worker in which Parquet is packed: a group of rows takes tens of milliseconds. */
import { serveTasks } from '../../workers/index.js';
import { fileEnd, rowGroup } from './parquet-file.js';

serveTasks({ rowGroup, fileEnd });
