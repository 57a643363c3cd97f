import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A file that must not be opened, and an address that must not be called. */
export class Canaries implements AsyncDisposable {
  /** The file's content: finding it anywhere proves that the file was read. */
  readonly marker = `canary${randomBytes(12).toString('hex')}`;
  calls = 0;
  private readonly server = createServer((socket) => {
    this.calls += 1;
    socket.on('error', () => undefined).end('HTTP/1.0 200 OK\r\n\r\n', () => socket.destroy());
  });

  private constructor(readonly file: string) {}

  static async open(): Promise<Canaries> {
    const folder = await mkdtemp(join(tmpdir(), 'dhara-canary-'));
    // Readable by everybody.
    await chmod(folder, 0o755);
    const canaries = new Canaries(join(folder, 'canary.ts'));
    await writeFile(canaries.file, `${canaries.marker}\n`.repeat(200));
    await canaries.rest();
    await once(canaries.server.listen(0, '127.0.0.1'), 'listening');
    return canaries;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/canary.ts`;
  }

  /**
   * Sets the access time to long before the modification time, so that the next read updates it, even on file systems
   * with relatime.
   */
  async rest(): Promise<void> {
    await utimes(this.file, new Date(0), new Date());
  }

  async wasRead(): Promise<boolean> {
    return (await stat(this.file)).atimeMs !== 0;
  }

  /** Whether both canaries work: otherwise they would prove nothing. */
  async sing(): Promise<boolean> {
    await readFile(this.file);
    const callsBefore = this.calls;
    await fetch(this.url).catch(() => undefined);
    const heard = (await this.wasRead()) && this.calls > callsBefore;
    await this.rest();
    this.calls = callsBefore;
    return heard;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(dirname(this.file), { recursive: true });
    await new Promise((resolve) => this.server.close(resolve));
  }
}
