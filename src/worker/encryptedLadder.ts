import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { encryptedPlaylist } from '../domain/media/keys/encryptedPlaylist.js';
import type { RunKeys } from '../domain/media/keys/mediaKeys.service.js';
import type { SegmentSeal } from '../domain/media/keys/segmentCipher.js';
import type { ObjectStore } from '../ports/objectStore.js';
import type { EncodedLadder, EncodedRendition } from '../ports/transcoder.js';
import { putEncrypted } from './putEncrypted.js';
import { digestOfFile, type Digests } from './renditionDigest.js';

export interface EncryptedLadderOptions {
  readonly store: ObjectStore;
  /** The folder of the clear ladder. */
  readonly outputDir: string;
  readonly prefix: string;
  readonly ladder: EncodedLadder;
  readonly keys: RunKeys;
  /** Receives the digests of init and media segments, as stored. */
  readonly digests: Digests;
  readonly signal: AbortSignal;
}

/**
 * Encrypts a ladder while it is stored: media segments are encrypted, and playlists name their keys. Everything else is
 * stored unchanged: init segments, which hold no picture, and posters, which are public.
 */
export class EncryptedLadder {
  private readonly sealOf: ReadonlyMap<string, SegmentSeal>;
  private readonly initPaths: ReadonlySet<string>;
  private readonly renditionOf: ReadonlyMap<string, EncodedRendition>;
  /** Sizes of the stored media segments, before and after encryption. */
  private readonly sizes = new Map<string, { clearBytes: number; encryptedBytes: number }>();
  private readonly playlistGrowths = new Map<EncodedRendition, number>();

  constructor(private readonly options: EncryptedLadderOptions) {
    const { renditions } = options.ladder;
    const { keys } = options;
    this.initPaths = new Set(renditions.map((rendition) => rendition.initPath));
    this.renditionOf = new Map(renditions.map((rendition) => [rendition.playlistPath, rendition]));
    this.sealOf = new Map(
      renditions.flatMap((rendition) =>
        rendition.segmentPaths.map((path, index) => [path, keys.sealOf(index)] as const),
      ),
    );
  }

  /** Stores one file of the ladder, by its path in it, and removes the local file. */
  async put(path: string): Promise<void> {
    const { store, outputDir, prefix } = this.options;
    const seal = this.sealOf.get(path);
    const rendition = this.renditionOf.get(path);
    if (seal) await this.putSegment(path, seal);
    else if (rendition) await this.putPlaylist(rendition);
    else {
      if (this.initPaths.has(path)) this.options.digests.set(path, await digestOfFile(join(outputDir, path)));
      await store.putFile(prefix + path, join(outputDir, path));
    }
  }

  /** The ladder as stored, once all of it is. Sizes and bit rates are those of the encrypted bytes. */
  measured(): EncodedLadder {
    const { ladder } = this.options;
    const renditions = ladder.renditions.map((rendition) => this.measuredRendition(rendition));
    const growths = renditions.map((rendition, index) => rendition.sizeBytes - ladder.renditions[index]!.sizeBytes);
    return { ...ladder, renditions, sizeBytes: growths.reduce(plus, ladder.sizeBytes) };
  }

  private async putSegment(path: string, seal: SegmentSeal): Promise<void> {
    const { store, outputDir, prefix, digests, signal } = this.options;
    const local = join(outputDir, path);
    const { digest, ...sizes } = await putEncrypted(store, prefix + path, { path: local, seal, signal });
    await rm(local);
    digests.set(path, digest);
    this.sizes.set(path, sizes);
  }

  private async putPlaylist(rendition: EncodedRendition): Promise<void> {
    const { store, outputDir, prefix, signal } = this.options;
    const clear = await readFile(join(outputDir, rendition.playlistPath), 'utf8');
    const seals = rendition.segmentPaths.map((path) => this.sealOf.get(path)!);
    const bytes = Buffer.from(encryptedPlaylist(clear, seals));
    await store.put(prefix + rendition.playlistPath, Readable.from([bytes]), { signal, sizeBytes: bytes.length });
    this.playlistGrowths.set(rendition, bytes.length - Buffer.byteLength(clear));
  }

  private measuredRendition(rendition: EncodedRendition): EncodedRendition {
    const sizes = rendition.segmentPaths.map((path) => this.sizes.get(path));
    const growths = sizes.map((size) => (size ? size.encryptedBytes - size.clearBytes : 0));
    const growthBytes = growths.reduce(plus, 0);
    // No sequence of segments grows by a larger factor than its fastest-growing segment.
    const factor = Math.max(1, ...sizes.map((size) => (size ? size.encryptedBytes / size.clearBytes : 1)));
    return {
      ...rendition,
      sizeBytes: rendition.sizeBytes + growthBytes + (this.playlistGrowths.get(rendition) ?? 0),
      peakBandwidthBps: Math.ceil(rendition.peakBandwidthBps * factor),
      averageBandwidthBps: Math.ceil(rendition.averageBandwidthBps + (growthBytes * 8 * 1000) / rendition.durationMs),
    };
  }
}

function plus(a: number, b: number): number {
  return a + b;
}
