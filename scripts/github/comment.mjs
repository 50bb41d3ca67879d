// Posts COMMENT_FILE as a comment of the pull request, or updates the comment that an earlier run has posted. By Node and
// not by gh, which runners of one's own need not have. A comment that cannot be posted fails no job.
import { readFileSync } from 'node:fs';

const { COMMENT_FILE = '', PULL_REQUEST = '', GITHUB_TOKEN, GITHUB_API_URL, GITHUB_REPOSITORY } = process.env;

/** Whom GitHub names as the author of what is posted with the token of a job. */
const AUTHOR = 'github-actions[bot]';
const PAGE = 100;
const issues = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/issues`;

class Refused extends Error {
  constructor(status) {
    super(`GitHub answered ${status}`);
    this.status = status;
  }
}

async function ask(method, url, body) {
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${GITHUB_TOKEN}`,
      'content-type': 'application/json',
      'user-agent': 'pgsweep',
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Refused(response.status);
  return response.json();
}

/** Its id; null where there is none. What somebody else has written is left alone, whatever it begins with. */
async function earlierComment(mark) {
  for (let page = 1; ; page++) {
    const comments = await ask('GET', `${issues}/${PULL_REQUEST}/comments?per_page=${PAGE}&page=${page}`);
    const own = comments.find(({ user, body }) => user?.login === AUTHOR && body?.startsWith(mark));
    if (own !== undefined) return own.id;
    if (comments.length < PAGE) return null;
  }
}

async function postOrUpdate(body) {
  const [mark] = body.split('\n', 1);
  const id = await earlierComment(mark);
  if (id === null) return (await ask('POST', `${issues}/${PULL_REQUEST}/comments`, { body })).html_url;
  return (await ask('PATCH', `${issues}/comments/${id}`, { body })).html_url;
}

function whyNot(error) {
  if (!(error instanceof Refused)) return `GitHub could not be asked (${error.cause?.code ?? error.name})`;
  const mayNot = [401, 403, 404].includes(error.status);
  const reason = mayNot ? ': this job may not comment, as one of a pull request from a fork' : '';
  return `${error.message}${reason}`;
}

if (PULL_REQUEST === '') console.log('No comment: this is no pull request.');
else {
  try {
    console.log(`The report: ${await postOrUpdate(readFileSync(COMMENT_FILE, 'utf8'))}`);
  } catch (error) {
    console.log(`::warning title=pgsweep::No comment, ${whyNot(error)}. The report is in the summary of the job.`);
  }
}
