/** Talks to a Node process that was started with `--inspect`. */
export class Inspector {
  private last = 0;
  private readonly waiting = new Map<number, (message: { result?: never; error?: unknown }) => void>();
  private chunks: string[] = [];

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as { id?: number; method?: string; params?: { chunk: string } };
      if (message.method === 'HeapProfiler.addHeapSnapshotChunk') this.chunks.push(message.params!.chunk);
      if (message.id !== undefined) this.waiting.get(message.id)?.(message as never);
    });
  }

  static async open(port: number): Promise<Inspector> {
    const response = await fetch(`http://127.0.0.1:${port}/json/list`);
    const [target] = (await response.json()) as { webSocketDebuggerUrl: string }[];
    const socket = new WebSocket(target!.webSocketDebuggerUrl);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    return new Inspector(socket);
  }

  /** What the process holds once it has collected its garbage. */
  async memoryAfterCollection(): Promise<NodeJS.MemoryUsage> {
    return this.afterCollection('process.memoryUsage()');
  }

  /** Bytes of all objects and buffers once garbage is collected; without V8's compiled code, which grows while it warms up. */
  async bytesInUse(): Promise<number> {
    return this
      .afterCollection(`process.memoryUsage().external + process.getBuiltinModule('v8').getHeapSpaceStatistics()
      .filter(({ space_name: name }) => !/code|trusted/.test(name))
      .reduce((bytes, space) => bytes + space.space_used_size, 0)`);
  }

  /** All objects of the process, as JSON. */
  async heapSnapshot(): Promise<string> {
    this.chunks = [];
    await this.ask('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
    const text = this.chunks.join('');
    this.chunks = [];
    return text;
  }

  close(): void {
    this.socket.close();
  }

  private async afterCollection<Value>(expression: string): Promise<Value> {
    // Finalizers that the first collection runs may release more.
    for (let nth = 0; nth < 2; nth += 1) await this.ask('HeapProfiler.collectGarbage');
    const { result } = await this.ask<{ result: { value: Value } }>('Runtime.evaluate', {
      expression,
      returnByValue: true,
    });
    return result.value;
  }

  private ask<Result>(method: string, params = {}): Promise<Result> {
    const id = (this.last += 1);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, ({ result, error }) => {
        this.waiting.delete(id);
        if (error === undefined) resolve(result as Result);
        else reject(new Error(`${method}: ${JSON.stringify(error)}`));
      });
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
