import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { encryptedPlaylist } from '../domain/mediaKeys/encryptedPlaylist.js';
import type { RunKeys } from '../domain/mediaKeys/mediaKeys.service.js';
import type { SegmentSeal } from '../domain/mediaKeys/segmentCipher.js';
import type { ObjectStore } from '../ports/objectStore.js';
import type { EncodedLadder, EncodedRung } from '../ports/transcoder.js';
import { putEncrypted } from './putEncrypted.js';
import { digestOfFile, type Digests } from './rungDigest.js';

export interface EncryptedLadderOptions {
  readonly store: ObjectStore;
  /** Where the clear ladder lies. */
  readonly outputDir: string;
  readonly prefix: string;
  readonly ladder: EncodedLadder;
  readonly keys: RunKeys;
  /** Gets those of init and media segments, as they are stored. */
  readonly digests: Digests;
  readonly signal: AbortSignal;
}

/**
 * A ladder on its way into the store: media segments are encrypted as they are stored, and playlists say with what. All
 * else goes as it is: init segments, which hold no picture, and posters, which are public.
 */
export class EncryptedLadder {
  private readonly sealOf: ReadonlyMap<string, SegmentSeal>;
  private readonly initPaths: ReadonlySet<string>;
  private readonly rungOf: ReadonlyMap<string, EncodedRung>;
  /** Of the media segments that are stored: what they grew from, and to. */
  private readonly sizes = new Map<string, { clearBytes: number; encryptedBytes: number }>();
  private readonly playlistGrowths = new Map<EncodedRung, number>();

  constructor(private readonly options: EncryptedLadderOptions) {
    const { rungs } = options.ladder;
    const { keys } = options;
    this.initPaths = new Set(rungs.map((rung) => rung.initPath));
    this.rungOf = new Map(rungs.map((rung) => [rung.playlistPath, rung]));
    this.sealOf = new Map(
      rungs.flatMap((rung) => rung.segmentPaths.map((path, index) => [path, keys.sealOf(index)] as const)),
    );
  }

  /** Stores one file of the ladder, by its path in it; the local one is gone afterwards. */
  async put(path: string): Promise<void> {
    const { store, outputDir, prefix } = this.options;
    const seal = this.sealOf.get(path);
    const rung = this.rungOf.get(path);
    if (seal) await this.putSegment(path, seal);
    else if (rung) await this.putPlaylist(rung);
    else {
      if (this.initPaths.has(path)) this.options.digests.set(path, await digestOfFile(join(outputDir, path)));
      await store.putFile(prefix + path, join(outputDir, path));
    }
  }

  /** The ladder as it is stored, once all of it is: its sizes and rates are those of the encrypted bytes. */
  measured(): EncodedLadder {
    const { ladder } = this.options;
    const rungs = ladder.rungs.map((rung) => this.measuredRung(rung));
    const growths = rungs.map((rung, index) => rung.sizeBytes - ladder.rungs[index]!.sizeBytes);
    return { ...ladder, rungs, sizeBytes: growths.reduce(plus, ladder.sizeBytes) };
  }

  private async putSegment(path: string, seal: SegmentSeal): Promise<void> {
    const { store, outputDir, prefix, digests, signal } = this.options;
    const local = join(outputDir, path);
    const { digest, ...sizes } = await putEncrypted(store, prefix + path, { path: local, seal, signal });
    await rm(local);
    digests.set(path, digest);
    this.sizes.set(path, sizes);
  }

  private async putPlaylist(rung: EncodedRung): Promise<void> {
    const { store, outputDir, prefix, signal } = this.options;
    const clear = await readFile(join(outputDir, rung.playlistPath), 'utf8');
    const seals = rung.segmentPaths.map((path) => this.sealOf.get(path)!);
    const bytes = Buffer.from(encryptedPlaylist(clear, seals));
    await store.put(prefix + rung.playlistPath, Readable.from([bytes]), { signal, sizeBytes: bytes.length });
    this.playlistGrowths.set(rung, bytes.length - Buffer.byteLength(clear));
  }

  private measuredRung(rung: EncodedRung): EncodedRung {
    const sizes = rung.segmentPaths.map((path) => this.sizes.get(path));
    const growths = sizes.map((size) => (size ? size.encryptedBytes - size.clearBytes : 0));
    const growthBytes = growths.reduce(plus, 0);
    // No run of segments grows by more than the one that grows most.
    const factor = Math.max(1, ...sizes.map((size) => (size ? size.encryptedBytes / size.clearBytes : 1)));
    return {
      ...rung,
      sizeBytes: rung.sizeBytes + growthBytes + (this.playlistGrowths.get(rung) ?? 0),
      peakBandwidthBps: Math.ceil(rung.peakBandwidthBps * factor),
      averageBandwidthBps: Math.ceil(rung.averageBandwidthBps + (growthBytes * 8 * 1000) / rung.durationMs),
    };
  }
}

function plus(a: number, b: number): number {
  return a + b;
}
