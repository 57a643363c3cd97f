/** The load driver's process: requests at a steady rate, whether or not earlier ones have been answered. */
import { Agent, request } from 'node:http';

export interface SteadyLoad {
  readonly port: number;
  readonly perSecond: number;
  readonly durationMs: number;
  /** Sent with POST if there is a body. */
  readonly requests: readonly {
    readonly path: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
  }[];
}

export interface SteadyResult {
  /**
   * From when a request was due to its complete response, so that a stalled server pays for the requests it kept
   * waiting.
   */
  readonly latenciesMs: readonly number[];
  readonly statuses: Readonly<Record<string, number>>;
}

const TICK_MS = 1;

process.once('disconnect', () => process.exit());
process.on('message', (load: SteadyLoad) => {
  void drive(load).then((result) => process.send!(result));
});

async function drive({ port, perSecond, durationMs, requests }: SteadyLoad): Promise<SteadyResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const statuses: Record<string, number> = {};
  const answers: Promise<number>[] = [];
  const startedAtMs = performance.now();
  const total = Math.floor((durationMs / 1000) * perSecond);
  const dueMs = (nth: number) => startedAtMs + (nth / perSecond) * 1000;
  while (answers.length < total) {
    while (answers.length < total && performance.now() >= dueMs(answers.length)) {
      const nth = answers.length;
      answers.push(
        send(agent, port, requests[nth % requests.length]!).then((status) => {
          statuses[status] = (statuses[status] ?? 0) + 1;
          return performance.now() - dueMs(nth);
        }),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  const latenciesMs = await Promise.all(answers);
  agent.destroy();
  return { latenciesMs, statuses };
}

function send(
  agent: Agent,
  port: number,
  { path, headers, body }: SteadyLoad['requests'][number],
): Promise<number | string> {
  return new Promise((resolve) => {
    const method = body === undefined ? 'GET' : 'POST';
    const call = request({ agent, port, method, path, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    call.on('error', (error) => resolve(error.message));
    call.end(body);
  });
}
