import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { Writable } from 'node:stream';
import { Lines } from './lines.js';

const STDERR_TAIL_CHARS = 8_000;
const OUTPUT_TIMEOUT_SECONDS = 20;
/** Ten times the output of counting half a day of packets, one per line. */
const MAX_STDOUT_CHARS = 1024 ** 3;
const TICK_MS = 1_000;

export interface ChildRequest {
  /** Program and arguments, without a shell. */
  argv: readonly string[];
  env: Record<string, string>;
  cwd?: string;
  /** The child's descriptor 3: an open file of ours, or bytes to read to their end. */
  descriptor3?: number | Buffer;
  onStdout: (text: string) => void;
  /** The child is killed after this time. */
  timeoutSeconds: number;
  /** Called once per second; a returned reason kills the child. */
  watch?: () => string | null;
  signal?: AbortSignal | undefined;
  /** The child is killed if it prints more than this. */
  maxStdoutChars?: number;
  /** Receives each line of stderr and returns whether to keep it. */
  keepsLine?: (line: string) => boolean;
  /** How many characters of the end of stderr are kept. */
  stderrTailChars?: number;
}

export interface ChildResult {
  /** 0 is success; a child killed by signal n has 128 + n, as in a shell. */
  exitCode: number;
  /** Why we killed it, or null. */
  killedFor: string | null;
  stderrTail: string;
}

/**
 * Runs a program in its own process group and waits until it is gone.
 *
 * A timeout, a watch or the signal kills the whole group. Time is counted in ticks of this process: no time passes
 * while it is suspended (SIGSTOP, a sleeping laptop), so suspension kills no child.
 * @throws the signal's reason after the child has died; a spawn error if it never started
 */
export async function runChild(request: ChildRequest): Promise<ChildResult> {
  const { signal, watch } = request;
  signal?.throwIfAborted();
  const [program = '', ...args] = request.argv;
  const child = spawn(program, args, {
    cwd: request.cwd,
    env: request.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...thirdDescriptor(request)],
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) {
    throw new Error('a child was started without its pipes');
  }
  giveBytes(child, request);

  let killedFor: string | null = null;
  let seconds = 0;
  let stderrTail = '';
  let stdoutChars = 0;
  const kill = (reason: string): void => {
    killedFor ??= reason;
    killGroup(child.pid);
  };
  const keep = (text: string): void => {
    stderrTail = (stderrTail + text).slice(-(request.stderrTailChars ?? STDERR_TAIL_CHARS));
  };
  const { keepsLine } = request;
  const errorLines =
    keepsLine &&
    new Lines((line) => {
      if (keepsLine(line)) keep(`${line}\n`);
    });
  const onAbort = (): void => kill('aborted');
  const ticker = setInterval(() => {
    seconds += TICK_MS / 1_000;
    const reason = seconds >= request.timeoutSeconds ? 'timeout' : (watch?.() ?? null);
    if (reason !== null) {
      kill(reason);
    }
  }, TICK_MS);

  stdout.setEncoding('utf8').on('data', (text: string) => {
    stdoutChars += text.length;
    if (stdoutChars > (request.maxStdoutChars ?? MAX_STDOUT_CHARS)) {
      kill('output');
    } else {
      request.onStdout(text);
    }
  });
  stderr.setEncoding('utf8').on('data', (text: string) => (errorLines ? errorLines.add(text) : keep(text)));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      // 'close' comes after the last output; 'exit' may come before it.
      child.once('close', (code, signalName) => {
        resolve(code ?? 128 + signalNumber(signalName));
      });
    });
    errorLines?.end();
    signal?.throwIfAborted();
    return { exitCode, killedFor, stderrTail };
  } finally {
    clearInterval(ticker);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Runs a program that ends by itself soon, for what it prints. */
export async function runForOutput(
  request: Pick<ChildRequest, 'argv' | 'env' | 'descriptor3'>,
): Promise<ChildResult & { stdout: string }> {
  let stdout = '';
  const result = await runChild({
    ...request,
    onStdout: (text) => void (stdout += text),
    timeoutSeconds: OUTPUT_TIMEOUT_SECONDS,
  });
  return { ...result, stdout };
}

function thirdDescriptor({ descriptor3 }: ChildRequest): (number | 'pipe')[] {
  if (descriptor3 === undefined) return [];
  return [typeof descriptor3 === 'number' ? descriptor3 : 'pipe'];
}

function giveBytes(child: ChildProcess, { descriptor3 }: ChildRequest): void {
  const pipe = child.stdio[3];
  if (!(pipe instanceof Writable) || !Buffer.isBuffer(descriptor3)) return;
  // If a child ends without reading, its exit code says why.
  pipe.on('error', () => undefined).end(descriptor3, () => pipe.destroy());
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) {
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It is already gone, as intended.
  }
}

function signalNumber(name: NodeJS.Signals | null): number {
  return name === null ? 0 : (constants.signals[name] ?? 0);
}
