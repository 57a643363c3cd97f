import { PostgresServer } from './server.js';
import type { ServerOptions } from './server.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A server that has run this long is healthy: after its next crash, it is restarted at once. */
const STABLE_AFTER_MS = 30_000;

/** Keeps PostgreSQL running: a server that ends unexpectedly is restarted on the same port. */
export class Supervisor {
  private pauseMs = FIRST_PAUSE_MS;
  private startedAtMs = performance.now();
  private timer: NodeJS.Timeout | undefined;
  private restart: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private server: PostgresServer,
    private readonly options: ServerOptions,
  ) {
    this.watch();
  }

  /** Process id of the current server; 0 while there is none. */
  get pid(): number {
    return this.server.hasExited ? 0 : this.server.pid;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    await this.restart;
    await this.server.stop();
  }

  private watch(): void {
    this.startedAtMs = performance.now();
    this.server.onExit((end) => {
      if (this.stopping) return;
      this.options.log.error(end, 'PostgreSQL ended unexpectedly; restarting it');
      if (performance.now() - this.startedAtMs > STABLE_AFTER_MS) this.pauseMs = FIRST_PAUSE_MS;
      this.scheduleRestart();
    });
  }

  /**
   * The pause doubles with each failure. Some failures are normal: after the server was killed, its children take a
   * moment to notice, and until then PostgreSQL refuses to share its memory with them.
   */
  private scheduleRestart(): void {
    this.timer = setTimeout(() => {
      this.restart = this.startAgain();
    }, this.pauseMs);
    this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
  }

  private async startAgain(): Promise<void> {
    try {
      this.server = await PostgresServer.start(this.options);
      this.options.log.info({ pid: this.server.pid }, 'PostgreSQL is running again');
      this.watch();
    } catch (error) {
      this.options.log.warn({ err: error }, 'PostgreSQL has not restarted yet');
      if (!this.stopping) this.scheduleRestart();
    }
  }
}
