/**
 * The files that commands create: policies folders, detectors, workflows. They are tested by creating them.
 */

/** The hooks and the workflow that `weir init --ci` writes, by path in the repository. */
export function continuousIntegration(folder: string, action: string): Readonly<Record<string, string>> {
  const isUsual = folder === 'policies';
  const named = isUsual ? '' : ` ${folder}`;
  const flagged = isUsual ? '' : ` --policies ${folder}`;
  return {
    '.github/workflows/policies.yml': workflow(folder, action, named, flagged),
    '.pre-commit-config.yaml': hooks(folder, named, flagged),
  };
}

/** `weir schema write --check` only supports the default folder; for other folders, `weir lint` reports outdated schemas. */
function schemaStep(folder: string): string {
  return folder === 'policies' ? '      - run: weir schema write --check\n' : '';
}

function workflow(folder: string, action: string, named: string, flagged: string): string {
  return `name: policies
on:
  pull_request:
    paths: ['${folder}/**']
  push:
    branches: [main]
    paths: ['${folder}/**']
permissions:
  contents: read

jobs:
  check:
    runs-on: ubuntu-latest
    # The second permission is for the comment that lists the changes.
    permissions: { contents: read, pull-requests: write }
    steps:
      - uses: actions/checkout@v5
        with: { fetch-depth: 0 }
      - uses: ${action}
      - run: weir fmt --check${named}
      - run: weir lint --format github${named}
${schemaStep(folder)}      - run: weir test --coverage --min-coverage 70${flagged}
      # The first pull request has nothing to compare with.
      - id: main
        run: if git cat-file -e origin/main:${folder}; then echo has_policies=true >> "$GITHUB_OUTPUT"; fi
      - if: steps.main.outputs.has_policies
        run: weir mutate --since origin/main --min-score 90${flagged}
      - if: steps.main.outputs.has_policies
        uses: ${action}
        with:
          args: diff origin/main --witness --fail-on-weakening --format markdown${flagged}
          comment: diff
`;
}

/** Local hooks: they run the `weir` in the PATH, and need no network. */
function hooks(folder: string, named: string, flagged: string): string {
  const hook = (id: string, entry: string): string => `      - id: ${id}
        name: ${id.replace('-', ' ')}
        entry: ${entry}
        language: system
        files: ^${folder.replaceAll('.', '\\.')}/
        pass_filenames: false
`;
  return `repos:
  - repo: local
    hooks:
${hook('weir-fmt', `weir fmt --check${named}`)}${hook('weir-lint', `weir lint${named}`)}${hook('weir-test', `weir test${flagged}`)}`;
}
