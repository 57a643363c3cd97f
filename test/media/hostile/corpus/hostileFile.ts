import type { Canaries } from '../canaries.js';
import type { GoodFiles } from './goodFiles.js';

export interface Materials {
  /** To make files in. */
  folder: string;
  canaries: Canaries;
  good: GoodFiles;
}

/** One of the corpus: its bytes, or where it lies. */
export interface HostileFile {
  name: string;
  make: (materials: Materials) => Promise<Buffer> | Buffer;
  /** What the uploader calls it. */
  filename?: string;
  /** How it must end; either, where left out. */
  ends?: 'ready' | 'failed';
}
