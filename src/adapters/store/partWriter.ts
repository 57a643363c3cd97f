import type { Readable } from 'node:stream';

import { AppError } from '../../errors.js';
import type { ByteBudget } from './byteBudget.js';

/** A video that is sent in parts of equal length, except the last. */
export interface PartSink {
  /** Size of the whole video. */
  readonly sizeBytes: number;
  readonly partBytes: number;
  /** What has already arrived: full parts, and bytes of the next one. */
  readonly start: { readonly parts: number; readonly tailBytes: number };
  /** Reads those bytes into the beginning of the buffer. */
  readTail(into: Buffer): Promise<void>;
  /** Parts are numbered from 1. Settles once the part is stored. */
  send(number: number, bytes: Buffer): Promise<void>;
  /** Stores the beginning of the part that follows the first `parts` parts. */
  keepTail(parts: number, bytes: Buffer): Promise<void>;
}

/**
 * Cuts a body into parts. While one part is being sent, the next one fills if the budget allows it; otherwise the body
 * waits. If the body breaks off, everything that arrived is kept.
 *
 * @returns the offset of the video
 * @throws SERVICE_UNAVAILABLE if the budget cannot hold a single part; any error of the body or the sink
 */
export async function writeParts(body: Readable, sink: PartSink, budget: ByteBudget): Promise<number> {
  const writer = new PartWriter(sink, budget);
  try {
    await writer.open();
    let broken: { readonly by: unknown } | null = null;
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) await writer.take(chunk);
    } catch (error) {
      if (writer.hasFailed) throw error;
      broken = { by: error };
    }
    const offset = await writer.close();
    if (broken !== null) throw broken.by;
    return offset;
  } finally {
    await writer.release();
  }
}

interface Held {
  readonly buffer: Buffer;
  readonly reserved: Disposable;
}

class PartWriter {
  /** Set after the sink failed: then it gets nothing more. */
  hasFailed = false;
  private parts: number;
  private filling: Held | null = null;
  private filledBytes = 0;
  private tookBytes = 0;
  private sending: Promise<void> | null = null;

  constructor(
    private readonly sink: PartSink,
    private readonly budget: ByteBudget,
  ) {
    this.parts = sink.start.parts;
  }

  async open(): Promise<void> {
    this.filling = this.holdOrRefuse();
    const { tailBytes } = this.sink.start;
    if (tailBytes > 0) await this.guarded(this.sink.readTail(this.filling.buffer));
    this.filledBytes = tailBytes;
  }

  async take(chunk: Buffer): Promise<void> {
    for (let rest = chunk; rest.length > 0;) {
      const buffer = this.filling?.buffer;
      if (buffer === undefined || buffer.length === 0) {
        throw new AppError('FILE_TOO_LARGE', 'The file is larger than declared.');
      }
      const taken = rest.copy(buffer, this.filledBytes);
      rest = rest.subarray(taken);
      this.filledBytes += taken;
      this.tookBytes += taken;
      if (this.filledBytes === buffer.length) await this.sendFilled();
    }
  }

  /** Everything is stored when this resolves. */
  async close(): Promise<number> {
    await this.sending;
    if (this.tookBytes > 0 && this.filledBytes > 0) {
      const tail = this.filling!.buffer.subarray(0, this.filledBytes);
      await this.guarded(this.sink.keepTail(this.parts, tail));
    }
    return Math.min(this.parts * this.sink.partBytes, this.sink.sizeBytes) + this.filledBytes;
  }

  /** Waits for whatever is being sent, so that nothing arrives after the next writer's parts. */
  async release(): Promise<void> {
    await this.sending?.catch(() => undefined);
    this.filling?.reserved[Symbol.dispose]();
  }

  private async sendFilled(): Promise<void> {
    await this.sending;
    const full = this.filling!;
    this.parts += 1;
    this.filledBytes = 0;
    // The buffer belongs to this writer until the part has arrived, even if no other buffer is available.
    this.filling = null;
    this.sending = this.guarded(this.sink.send(this.parts, full.buffer)).finally(() => full.reserved[Symbol.dispose]());
    // Awaited before anything else is sent.
    this.sending.catch(() => undefined);
    this.filling = this.hold();
    if (this.filling !== null) return;
    await this.sending;
    this.filling = this.holdOrRefuse();
  }

  private holdOrRefuse(): Held {
    const held = this.hold();
    if (held !== null) return held;
    throw new AppError('SERVICE_UNAVAILABLE', 'Too many uploads right now. Try again.');
  }

  private hold(): Held | null {
    const sizeBytes = Math.max(
      0,
      Math.min(this.sink.partBytes, this.sink.sizeBytes - this.parts * this.sink.partBytes),
    );
    const reserved = this.budget.take(sizeBytes);
    return reserved === null ? null : { buffer: Buffer.allocUnsafeSlow(sizeBytes), reserved };
  }

  private async guarded<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }
}
