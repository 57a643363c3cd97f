/** Minimal MP4 reader and writer: enough to take a good file apart and to build a bad one. */
export interface Box {
  type: string;
  /** Set for containers; otherwise null, and `body` counts. */
  children: Box[] | null;
  body: Buffer;
}

const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'dinf', 'stbl', 'udta', 'edts']);

export function readBoxes(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length;) {
    const size = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const end = size < 8 ? bytes.length : at + size;
    const body = bytes.subarray(at + 8, end);
    boxes.push({ type, children: CONTAINERS.has(type) ? readBoxes(body) : null, body });
    at = end;
  }
  return boxes;
}

export function writeBoxes(boxes: readonly Box[]): Buffer {
  return Buffer.concat(boxes.map(({ type, children, body }) => box(type, children ? writeBoxes(children) : body)));
}

export function box(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

/** A box with version and flags. */
export function fullBox(type: string, flags: number, body: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(flags, 0);
  return box(type, Buffer.concat([head, body]));
}

/** All boxes of a type, at any depth. */
export function find(boxes: readonly Box[], type: string): Box[] {
  return boxes.flatMap((found) => [
    ...(found.type === type ? [found] : []),
    ...(found.children ? find(found.children, type) : []),
  ]);
}

/** Offsets where boxes begin, including those in containers. */
export function boundaries(bytes: Buffer, from = 0): number[] {
  const places: number[] = [];
  for (let at = 0; at + 8 <= bytes.length;) {
    const size = bytes.readUInt32BE(at);
    const end = size < 8 ? bytes.length : at + size;
    places.push(from + at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (CONTAINERS.has(type)) places.push(...boundaries(bytes.subarray(at + 8, end), from + at + 8));
    at = end;
  }
  return places;
}
