import type { FileHandle } from 'node:fs/promises';

/** A box of an MP4 file, by its place there. */
export interface BoxPlace {
  readonly type: string;
  readonly offset: number;
  /** With its header. */
  readonly size: number;
}

export const BOX_HEADER_BYTES = 8;

/** The outermost boxes of a file, in order. @throws unless the file is made of boxes */
export async function* boxesOf(file: FileHandle): AsyncGenerator<BoxPlace> {
  const { size: fileSize } = await file.stat();
  const header = Buffer.alloc(BOX_HEADER_BYTES);
  for (let offset = 0; offset < fileSize;) {
    const { bytesRead } = await file.read(header, 0, BOX_HEADER_BYTES, offset);
    const size = header.readUInt32BE(0);
    if (bytesRead < BOX_HEADER_BYTES || size < BOX_HEADER_BYTES) throw new Error('The file is not made of boxes.');
    yield { type: header.toString('latin1', 4, 8), offset, size };
    offset += size;
  }
}
