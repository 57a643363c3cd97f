import type { Canaries } from '../canaries.js';
import type { GoodFiles } from './goodFiles.js';

export interface Materials {
  /** A folder for temporary files. */
  folder: string;
  canaries: Canaries;
  good: GoodFiles;
}

/** A file of the corpus. */
export interface HostileFile {
  name: string;
  make: (materials: Materials) => Promise<Buffer> | Buffer;
  /** The file name that the uploader sends. */
  filename?: string;
  /** The required outcome; either one if omitted. */
  ends?: 'ready' | 'failed';
}
