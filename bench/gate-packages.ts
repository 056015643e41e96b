/** The part of a lock file of npm that the gate reads. */
interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

/** Folder of packages in a lock file; other entries are the repository itself and its workspaces. */
const INSTALLED = 'node_modules/';

/**
 * The packages whose installed versions differ between two lock files, one line each, such as `fastify 5.12.7 → 5.12.8`. Packages at
 * several places are named with the place.
 */
export function differingPackages(before: string, after: string): string[] {
  const [old, now] = [versionsIn(before), versionsIn(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((place) => old.get(place) !== now.get(place))
    .sort()
    .map((place) => `${place} ${old.get(place) ?? 'none'} → ${now.get(place) ?? 'none'}`);
}

function versionsIn(lock: string): ReadonlyMap<string, string> {
  const { packages } = JSON.parse(lock) as Lock;
  return new Map(
    Object.entries(packages)
      .filter(([path]) => path.startsWith(INSTALLED))
      .map(([path, { version }]) => [path.slice(INSTALLED.length), version ?? 'without a version']),
  );
}
