/** Boxes that only contain other boxes, with the number of bytes before the first of these. */
const CONTAINERS: Record<string, number> = {
  moov: 0,
  trak: 0,
  edts: 0,
  mdia: 0,
  minf: 0,
  stbl: 0,
  stsd: 8,
  avc1: 78,
  mp4a: 28,
  moof: 0,
  traf: 0,
};

/**
 * The RFC 6381 codecs string of an init segment with one track.
 * @throws if it holds neither H.264 nor AAC, which our own encoder never writes
 */
export function codecsOf(initSegment: Buffer): string {
  const avcC = findBox(initSegment, 'avcC');
  if (avcC !== null) {
    // Version; then profile, compatibility flags and level, one byte each.
    return `avc1.${avcC.toString('hex', 1, 4)}`;
  }
  const esds = findBox(initSegment, 'esds');
  if (esds !== null) {
    return `mp4a.40.${audioObjectType(esds)}`;
  }
  throw new Error('The init segment holds neither an avcC nor an esds box.');
}

/** The content of the first box of a type, wherever it is nested. */
export function findBox(bytes: Buffer, type: string): Buffer | null {
  let offset = 0;
  while (offset + 8 <= bytes.length) {
    const size = bytes.readUInt32BE(offset);
    const name = bytes.toString('latin1', offset + 4, offset + 8);
    if (size < 8 || offset + size > bytes.length) {
      return null;
    }
    const content = bytes.subarray(offset + 8, offset + size);
    if (name === type) {
      return content;
    }
    const skip = CONTAINERS[name];
    const found = skip === undefined ? null : findBox(content.subarray(skip), type);
    if (found !== null) {
      return found;
    }
    offset += size;
  }
  return null;
}

/** The first five bits of the AudioSpecificConfig: the DecoderSpecificInfo descriptor, tag 5. */
function audioObjectType(esds: Buffer): number {
  const DECODER_SPECIFIC_INFO = 5;
  // Version and flags; then nested descriptors, each a tag, a length of 7-bit groups, a header.
  const headers: Record<number, number> = { 3: 3, 4: 13 };
  let offset = 4;
  while (offset < esds.length) {
    const tag = esds[offset++] ?? 0;
    while (((esds[offset++] ?? 0) & 0x80) !== 0);
    if (tag === DECODER_SPECIFIC_INFO) {
      return (esds[offset] ?? 0) >> 3;
    }
    const header = headers[tag];
    if (header === undefined) {
      break;
    }
    offset += header;
  }
  throw new Error('The esds box holds no AudioSpecificConfig.');
}
