import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface Comment {
  readonly id: number;
  readonly user: { readonly login: string };
  readonly body: string;
}

/** The comments of one pull request, as GitHub's REST API has them. */
export interface CommentsApi {
  readonly url: string;
  readonly comments: readonly Comment[];
  /** `POST /repos/own/service/issues/7/comments`, in order. */
  readonly requests: readonly string[];
  close(): void;
}

export const TOKEN = 'token-of-the-job';
export const BOT = 'github-actions[bot]';
const ISSUES = '/repos/own/service/issues';

export interface CommentsApiOptions {
  /** What is there already. */
  readonly comments?: readonly Omit<Comment, 'id'>[];
  /** The status that writing is answered with; absent where the job may write. */
  readonly refuse?: number;
}

export async function startCommentsApi({
  comments: before = [],
  refuse,
}: CommentsApiOptions = {}): Promise<CommentsApi> {
  const comments: Comment[] = before.map((comment, index) => ({ ...comment, id: index + 1 }));
  const requests: string[] = [];
  const answer = async (request: IncomingMessage): Promise<readonly [status: number, body: unknown]> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://api');
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return [401, { message: 'Bad credentials' }];
    if (request.method === 'GET' && pathname === `${ISSUES}/7/comments`) {
      const [size, page] = ['per_page', 'page'].map((name) => Number(searchParams.get(name))) as [number, number];
      return [200, comments.slice((page - 1) * size, page * size)];
    }
    if (refuse !== undefined) return [refuse, { message: 'Resource not accessible by integration' }];
    const { body } = (await json(request)) as { body: string };
    const user = { login: BOT };
    if (request.method === 'POST' && pathname === `${ISSUES}/7/comments`) {
      const made = { id: comments.length + 1, user, body };
      comments.push(made);
      return [201, withUrl(made)];
    }
    const index = comments.findIndex(({ id }) => pathname === `${ISSUES}/comments/${id}`);
    const old = comments[index];
    if (request.method !== 'PATCH' || old === undefined) return [404, { message: 'Not Found' }];
    comments[index] = { ...old, body };
    return [200, withUrl(old)];
  };
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const [status, body] = await answer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, comments, requests, close };
}

function withUrl(comment: Comment): object {
  return { ...comment, html_url: `https://github.test/own/service/pull/7#issuecomment-${comment.id}` };
}
