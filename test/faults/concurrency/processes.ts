import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';

import { OWN_PROCESS } from '../../support/ownProcess.js';

const SCRIPT = new URL('./apiProcess.ts', import.meta.url).pathname;
const SKEWED_CLOCK = new URL('./skewedClock.mjs', import.meta.url).pathname;
const SOCKETS_PER_PROCESS = 128;

export interface Answer {
  readonly status: number;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
  readonly retryAfter: number;
  readonly body: { data?: { token: string }; error?: { code: string; message: string } };
}

export interface Fleet {
  /** Creates a token at the `n`th process, modulo their number. */
  mint(n: number, key: string, videoId: string): Promise<Answer>;
  stop(): Promise<void>;
}

/** Starts one API process per entry, whose own clock is off by that many milliseconds. */
export async function startFleet(
  service: { database: { runtimeUrl: string }; masterKey: Buffer },
  clockSkewsMs: readonly number[],
): Promise<Fleet> {
  const options = JSON.stringify({
    runtimeUrl: service.database.runtimeUrl,
    masterKey: service.masterKey.toString('base64'),
  });
  const children = clockSkewsMs.map((skewMs) =>
    fork(SCRIPT, [options], {
      execArgv: [...OWN_PROCESS, '--import', SKEWED_CLOCK],
      env: { ...process.env, CLOCK_SKEW_MS: String(skewMs) },
    }),
  );
  const ports = await Promise.all(children.map(portOf));
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_PER_PROCESS });
  return {
    mint: (n, key, videoId) => mintAt(agent, ports[n % ports.length]!, key, videoId),
    stop: async () => {
      agent.destroy();
      await Promise.all(
        children.map(async (child) => {
          const exited = once(child, 'exit');
          child.disconnect();
          await exited;
        }),
      );
    },
  };
}

async function portOf(child: ChildProcess): Promise<number> {
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('An API process ended at its start.')));
  const [message] = (await Promise.race([once(child, 'message'), failed])) as [{ port: number }];
  return message.port;
}

function mintAt(agent: Agent, port: number, key: string, videoId: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      agent,
      port,
      method: 'POST',
      path: `/v1/video/${videoId}/playback-token`,
      headers: { 'x-service-key': key, 'content-length': 0 },
    };
    const sent = request(options, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const header = (name: string): number => Number(res.headers[name] ?? Number.NaN);
        resolve({
          status: res.statusCode ?? 0,
          limit: header('x-ratelimit-limit'),
          remaining: header('x-ratelimit-remaining'),
          reset: header('x-ratelimit-reset'),
          retryAfter: header('retry-after'),
          body: JSON.parse(Buffer.concat(chunks).toString()) as Answer['body'],
        });
      });
    });
    sent.on('error', reject).end();
  });
}

/** The claims of a token, without verification. */
export function claimsOf(token: string): { iat: number; exp: number; jti: string; sub: string } {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as ReturnType<typeof claimsOf>;
}
