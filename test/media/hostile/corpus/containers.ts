import { IS_FULL } from '../../../support/effort.js';
import type { HostileFile } from './hostileFile.js';

const MXF_FILL = Buffer.from('060e2b34010101020301021001000000', 'hex');
const MXF_NETWORK_LOCATOR = Buffer.from('060e2b34025301010d01010101013200', 'hex');
const ASF_SCRIPT_COMMANDS = Buffer.from('301afb1e620bd011a39b00a0c90348f6', 'hex');
const ASF_SCRIPT_RESERVED = Buffer.from('e3cb1a4b0b10d011a39b00a0c90348f6', 'hex');
/** A frame without a delay is shown for a tenth of a second: these are more than twelve hours in ten megabytes. */
const GIF_FRAMES = 450_000;
/** The longest delay, in hundredths of a second: eleven minutes. */
const GIF_DELAY = 65_535;

/** Reading these takes long. */
const PATIENT: readonly HostileFile[] = [
  { name: `a GIF of ${GIF_FRAMES} frames without a delay`, make: () => gif(64, GIF_FRAMES), ends: 'failed' },
];

/** Flash, discs, tapes, broadcasts, Windows Media and GIF. */
export const CONTAINERS: readonly HostileFile[] = [
  { name: 'an FLV that says it lasts a year', make: ({ good }) => flvLasting(good.flv, 31_536_000), ends: 'ready' },
  { name: 'an FLV that says it lasts no time', make: ({ good }) => flvLasting(good.flv, 0), ends: 'ready' },
  { name: 'an FLV with a packet of next month', make: ({ good }) => flvWithLatePacket(good.flv), ends: 'failed' },
  { name: 'half an FLV', make: ({ good }) => half(good.flv) },
  { name: 'a disc that begins again and again', make: ({ good }) => repeated(good.vob, 10), ends: 'ready' },
  { name: 'a disc with noise in the middle', make: ({ good }) => Buffer.concat([half(good.vob), noise(), good.vob]) },
  { name: 'half a disc', make: ({ good }) => half(good.vob) },
  { name: 'half an MXF', make: ({ good }) => half(good.mxf) },
  { name: 'a tape that ends within a frame', make: ({ good }) => half(good.dv), ends: 'ready' },
  { name: 'a tape of noise', make: ({ good }) => Buffer.concat([good.dv.subarray(0, 240), noise(720_000)]) },
  { name: 'a WMV of 65,535 × 65,535', make: ({ good }) => wmvOf(good.wmv, 65_535) },
  { name: 'half a WMV', make: ({ good }) => half(good.wmv) },
  { name: 'a GIF of 65,535 × 65,535', make: () => gif(65_535, 2), ends: 'failed' },
  { name: 'a GIF of 4,000 × 4,000 with frames of one pixel', make: () => gif(4_000, 20), ends: 'ready' },
  { name: 'a GIF whose frames last eleven minutes', make: () => gif(64, 100, GIF_DELAY), ends: 'failed' },
  ...(IS_FULL ? PATIENT : []),
  { name: 'half a GIF', make: ({ good }) => half(good.gif) },
];

/** Broadcasts and Windows Media that refer to other files and addresses. */
export const LOCATORS: readonly HostileFile[] = [
  {
    name: 'an MXF that refers to an address',
    make: ({ good, canaries }) => located(good.mxf, canaries.url),
    ends: 'ready',
  },
  {
    name: 'an MXF that refers to a file',
    make: ({ good, canaries }) => located(good.mxf, `file://${canaries.file}`),
    ends: 'ready',
  },
  {
    name: 'an MXF whose media are elsewhere',
    make: ({ good, canaries }) => located(good.mxf, `file://${canaries.file}`).subarray(0, firstEssence(good.mxf)),
    ends: 'failed',
  },
  {
    name: 'a WMV that opens an address',
    make: ({ good, canaries }) => scripted(good.wmv, canaries.url),
    ends: 'ready',
  },
];

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length / 2) + 7);
}

function repeated(bytes: Buffer, times: number): Buffer {
  return Buffer.concat(Array.from({ length: times }, () => bytes));
}

/** The same bytes in every run. */
function noise(length = 100_000): Buffer {
  let state = 1;
  return Buffer.from(
    Array.from({ length }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    }),
  );
}

/** `onMetaData` holds its numbers as doubles, each after its name and a type of 0. */
function flvLasting(flv: Buffer, seconds: number): Buffer {
  const bytes = Buffer.from(flv);
  bytes.writeDoubleBE(seconds, bytes.indexOf('duration') + 'duration'.length + 1);
  return bytes;
}

/** Changes the last tags. The length of each follows it. */
function flvWithLatePacket(flv: Buffer): Buffer {
  const bytes = Buffer.from(flv);
  let end = bytes.length - 4;
  for (let tags = 0; tags < 3; tags += 1) {
    const tag = end - bytes.readUInt32BE(end);
    bytes[tag + 7] = 0x7f;
    end = tag - 4;
  }
  return bytes;
}

/** Puts a network locator where the header has filler. */
function located(mxf: Buffer, url: string): Buffer {
  const text = Buffer.from(url, 'utf16le').swap16();
  const tag = Buffer.from('40010000', 'hex');
  tag.writeUInt16BE(text.length, 2);
  const set = klv(
    MXF_NETWORK_LOCATOR,
    Buffer.concat([Buffer.from('3c0a001000000000000000000000000000000007', 'hex'), tag, text]),
  );
  const at = mxf.indexOf(MXF_FILL);
  const filler = 20 + mxf.readUIntBE(at + 17, 3);
  return Buffer.concat([
    mxf.subarray(0, at),
    set,
    klv(MXF_FILL, Buffer.alloc(filler - set.length - 20)),
    mxf.subarray(at + filler),
  ]);
}

/** A key, a length of four bytes, and a value. */
function klv(key: Buffer, value: Buffer): Buffer {
  const length = Buffer.from('83000000', 'hex');
  length.writeUIntBE(value.length, 1, 3);
  return Buffer.concat([key, length, value]);
}

function firstEssence(mxf: Buffer): number {
  return mxf.indexOf(Buffer.from('060e2b34010201010d010301', 'hex'));
}

/** Adds a command to the header that makes a player open an address. */
function scripted(wmv: Buffer, url: string): Buffer {
  const text = (value: string): Buffer => {
    const characters = Buffer.from(value, 'utf16le');
    const length = Buffer.alloc(2);
    length.writeUInt16LE(value.length);
    return Buffer.concat([length, characters]);
  };
  const body = Buffer.concat([
    ASF_SCRIPT_RESERVED,
    Buffer.from('01000100', 'hex'),
    text('URL'),
    Buffer.from('000000000000', 'hex'),
    text(url),
  ]);
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(24 + body.length));
  const command = Buffer.concat([ASF_SCRIPT_COMMANDS, size, body]);
  const head = Buffer.from(wmv.subarray(0, 30));
  head.writeBigUInt64LE(head.readBigUInt64LE(16) + BigInt(command.length), 16);
  head.writeUInt32LE(head.readUInt32LE(24) + 1, 24);
  return Buffer.concat([head, command, wmv.subarray(30)]);
}

/** Changes the size wherever the header has it. */
function wmvOf(wmv: Buffer, side: number): Buffer {
  const bytes = Buffer.from(wmv);
  const size = Buffer.from('a00000005a000000', 'hex');
  for (let at = bytes.indexOf(size); at !== -1; at = bytes.indexOf(size, at + 1)) {
    bytes.writeUInt32LE(side, at);
    bytes.writeUInt32LE(side, at + 4);
  }
  return bytes;
}

/** Frames of one pixel on a large square. */
function gif(side: number, frames: number, delay = 0): Buffer {
  const head = Buffer.from('47494638396100000000800000000000ffffff', 'hex');
  head.writeUInt16LE(side, 6);
  head.writeUInt16LE(side, 8);
  const frame = Buffer.from('21f90400000000002c00000000010001000002024c0100', 'hex');
  frame.writeUInt16LE(delay, 4);
  return Buffer.concat([head, repeated(frame, frames), Buffer.from(';')]);
}
