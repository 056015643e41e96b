/** The worker thread that tests uploads of accounts before the main thread spends time on them. */
import { workerData } from 'node:worker_threads';
import { dumpNodes, readFileOnce, type Bundle, type BundleFile } from '../core/index.js';
import { loadPlugins, SHIPPED_PLUGINS } from '../plugin-registry/index.js';
import { DetectorBinder, prepareInSteps } from '../policy-store/index.js';
import { serveTasks } from '../workers/index.js';
import { tryBundle, type TrialTerms } from './trial.js';
import { MAX_PIECE_MS, pluginNames, type Readings, type VettingData, type Verdict } from './vetting-protocol.js';

const { packages, plugins: expected } = workerData as VettingData;
const plugins = await loadPlugins({ shipped: SHIPPED_PLUGINS, packages });
const binder = new DetectorBinder(plugins);
/** False for a catalog that was assembled in code, which is not available here; the service then tries uploads itself. */
const canTry = pluginNames(plugins).join() === expected.join();

/** Measures the CPU time of each piece of a trial: the main thread will run the same pieces. */
class Pieces {
  longestMs = 0;
  totalMs = 0;
  private since = process.threadCpuUsage();

  readonly end = (): Promise<void> => {
    const { user, system } = process.threadCpuUsage(this.since);
    const tookMs = (user + system) / 1_000;
    this.longestMs = Math.max(this.longestMs, tookMs);
    this.totalMs += tookMs;
    this.since = process.threadCpuUsage();
    return Promise.resolve();
  };
}

async function vet({ bundle, terms }: { bundle: Bundle; terms: TrialTerms }): Promise<Verdict> {
  const pieces = new Pieces();
  const readings = read([...bundle.files, ...bundle.tests]);
  await pieces.end();
  pieces.longestMs = 0;
  if (!canTry) return { readings, workMs: pieces.totalMs };
  const store = { prepare: prepareHere };
  const trial = await tryBundle(bundle, terms, store, plugins, pieces.end);
  await pieces.end();
  const { longestMs, totalMs: workMs } = pieces;
  if (longestMs <= MAX_PIECE_MS) return trial.ok ? { readings, workMs } : { refusal: trial, workMs };
  const problem = `one step of processing the bundle takes ${Math.ceil(longestMs)} ms, and calls would wait that long`;
  const details = ['Split large files, rules with many conditions, and long lists.'];
  return { refusal: { ok: false, failure: 'too_costly', problem, details, failedTests: [] }, workMs };
}

function prepareHere(sources: Parameters<typeof prepareInSteps>[0], pause: () => Promise<void>) {
  return prepareInSteps(sources, plugins, binder, pause);
}

/** The nodes of the files that can be read, by path. */
function read(files: readonly BundleFile[]): Readings {
  return files.flatMap((file) => {
    const { root, problems } = readFileOnce(file);
    return root === undefined || problems.hasErrors ? [] : [{ path: file.path, nodes: dumpNodes(root) }];
  });
}

serveTasks({ vet, read });
