/**
 * Posts a Markdown report as a comment on the pull request of a workflow run. Later runs update that comment: they recognise it by an
 * invisible marker and by its author, because anybody may write a comment with the marker and edit it afterwards.
 *
 * `node comment-on-pull-request.mjs <name> <file> <exit code>`: the name of the report, its file, and the exit code of the command that
 * wrote it. Other input: the variables of GitHub Actions, GITHUB_TOKEN and WEIR_COMMENT_AUTHOR.
 *
 * Exits 0 when there is no pull request, and also when GitHub refuses the comment, with a warning in the log: the exit code of the command
 * decides whether a change passes, not its comment, and runs for forks may not write comments.
 */
import { readFileSync } from 'node:fs';

/** Below GitHub's maximum of 65,536 characters. */
const MOST_CHARACTERS = 65_000;
const PER_PAGE = 100;
const ATTEMPT_MS = 30_000;

const [name = '', file = '', exitCode = ''] = process.argv.slice(2);
if (!/^[\w-]{1,40}$/.test(name)) {
  console.log('::error::the name of a comment has letters, digits, _ and -, at most 40');
  process.exit(2);
}

const {
  GITHUB_API_URL: api = 'https://api.github.com',
  GITHUB_EVENT_PATH: eventPath,
  GITHUB_REPOSITORY: repository = '',
  GITHUB_RUN_ID: run = '',
  GITHUB_SERVER_URL: server = 'https://github.com',
  GITHUB_TOKEN: token = '',
  WEIR_COMMENT_AUTHOR: author = 'github-actions[bot]',
} = process.env;
const event = eventPath === undefined ? {} : JSON.parse(readFileSync(eventPath, 'utf8'));
const request = event.pull_request;

if (request === undefined) {
  console.log('This run belongs to no pull request: nothing to comment on.');
} else {
  const marker = `<!-- weir report: ${name} -->`;
  try {
    console.log(await comment(marker, bodyOf(marker)));
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    console.log(`::warning title=no comment::the report is in the log of this run only: ${why}`);
  }
}

/** The report between the marker and a line with its commit, so that readers do not mistake an older report for the newest. */
function bodyOf(marker) {
  const report = readFileSync(file, 'utf8').trim();
  const log = `[the log](${server}/${repository}/actions/runs/${run})`;
  const about = `Of commit ${request.head.sha.slice(0, 12)}, ended with exit ${exitCode}; ${log} has the rest.`;
  const text = report === '' ? 'The command printed no report.' : shortened(report);
  return `${marker}\n${text}\n\n${about}\n`;
}

/** The first lines of a report that is too long; an open code block is closed. */
function shortened(report) {
  if (report.length <= MOST_CHARACTERS) return report;
  const lines = report.slice(0, report.lastIndexOf('\n', MOST_CHARACTERS)).split('\n');
  let open;
  for (const line of lines) {
    const fence = /^`{3,}/.exec(line)?.[0];
    if (fence !== undefined && open === undefined) open = fence;
    else if (line === open) open = undefined;
  }
  return [...lines, ...(open === undefined ? [] : [open]), '', '**The report is longer than a comment may be.**'].join(
    '\n',
  );
}

/** Updates the comment of an earlier run, or writes the first one. Returns a message about this. */
async function comment(marker, body) {
  const thread = `/repos/${repository}/issues/${request.number}/comments`;
  const [first, ...others] = await ownComments(thread, marker);
  if (first === undefined) {
    await ask('POST', thread, { body });
    return 'The report is a comment on the pull request now.';
  }
  await ask('PATCH', `/repos/${repository}/issues/comments/${first.id}`, { body });
  // Two concurrent first runs write two comments; the second one would never be updated, so it is deleted.
  for (const { id } of others) await ask('DELETE', `/repos/${repository}/issues/comments/${id}`);
  return 'The comment on the pull request was updated.';
}

async function ownComments(thread, marker) {
  const own = [];
  for (let page = 1; ; page += 1) {
    const comments = await ask('GET', `${thread}?per_page=${PER_PAGE}&page=${page}`);
    own.push(...comments.filter(({ body, user }) => user?.login === author && body?.startsWith(marker)));
    if (comments.length < PER_PAGE) return own;
  }
}

async function ask(method, path, content) {
  const response = await fetch(`${api}${path}`, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'user-agent': 'weir',
      'x-github-api-version': '2022-11-28',
      ...(content !== undefined && { 'content-type': 'application/json' }),
    },
    ...(content !== undefined && { body: JSON.stringify(content) }),
    signal: AbortSignal.timeout(ATTEMPT_MS),
  });
  if (response.ok) return response.status === 204 ? undefined : response.json();
  // The response is not logged, because it may quote the request.
  await response.body?.cancel();
  const hint = [403, 404].includes(response.status) ? '; the job needs the permission `pull-requests: write`' : '';
  throw new Error(`GitHub answered ${method} with ${response.status}${hint}`);
}
