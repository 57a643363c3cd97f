import { createHash } from 'node:crypto';

import { z } from 'zod';

import { MoveError } from '../../../ports/accountArchive.js';

/** docs/moving.md describes the format. A change that an older service would misread is a new version. */
export const FORMAT = 'dhara-account-archive';
export const VERSION = 1;

export const HEADER = 'dhara.json';
export const HEADER_SIGNATURE = 'dhara.sig';
export const OBJECTS = 'objects/';
export const STATEMENTS = 'statements/';
export const MAX_HEADER_BYTES = 16 * 1024;
export const SIGNATURE_BYTES = 64;

/** A manifest page follows after this many entries or bytes, so that a wrong byte is found soon. */
export const ENTRIES_PER_PAGE = 1000;
export const BYTES_PER_PAGE = 256 * 1024 * 1024;

/** Rows of one entry, before the last one. */
const ROWS_BYTES = 4 * 1024 * 1024;
/** Of one row: a logo in hexadecimal digits, or a caption, fits several times. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
export const MAX_ROWS_BYTES = ROWS_BYTES + MAX_LINE_BYTES;
/** Of a manifest page: more entries than a page may have, with the longest paths. */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024;

const HeaderShape = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  archiveId: z.uuid(),
  accountId: z.uuid(),
  /** The exporting service's address. */
  origin: z.string().min(1).max(300),
  exportedAt: z.iso.datetime(),
  publicKey: z.string().max(100),
  /** How the passphrase becomes a key; `null` if there is no passphrase, and so no secret. */
  secrets: z.strictObject({ salt: z.base64(), check: z.base64() }).nullable(),
});
export type Header = z.infer<typeof HeaderShape>;

export const AccountShape = z.strictObject({
  /** In the one spelling in which users are found, so that nobody arrives beside a user with the same address. */
  email: z.string().min(3).max(320).toLowerCase(),
  name: z.string().max(1000),
  emailVerified: z.boolean(),
  allowedDomains: z.array(z.string().max(300)).max(10_000),
  /** Credits that move, in micro-credits. */
  balanceMicros: z.string().regex(/^\d{1,18}$/),
});
export type MovedAccount = z.infer<typeof AccountShape>;

/** A line of a manifest page. */
export interface ListedEntry {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface Page {
  readonly archiveId: string;
  /** Counted from 1. */
  readonly number: number;
  /** SHA-256 of the page before; empty for the first. */
  readonly previous: string;
  readonly entries: readonly ListedEntry[];
  readonly isLast: boolean;
}

/** The one spelling of a manifest page. */
export function pageText({ archiveId, number, previous, entries, isLast }: Page): Buffer {
  const lines = [
    { archiveId, page: number, previous, entries: entries.length, last: isLast },
    ...entries.map(({ path, sizeBytes, sha256 }) => ({ path, size: sizeBytes, sha256 })),
  ];
  return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

export function pageName(number: number): string {
  return `manifest/${String(number).padStart(6, '0')}`;
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** @throws MoveError for another version or something else */
export function parseHeader(bytes: Uint8Array): Header {
  const json = parseJson(bytes);
  const about = z.object({ format: z.literal(FORMAT), version: z.number() }).safeParse(json);
  if (!about.success) throw new MoveError('ARCHIVE_UNREADABLE', 'The file is not an archive of an account.');
  if (about.data.version !== VERSION) {
    throw new MoveError(
      'ARCHIVE_VERSION',
      `The archive has version ${about.data.version} of its format, and this release reads version ${VERSION}.`,
    );
  }
  const header = HeaderShape.safeParse(json);
  if (!header.success)
    throw new MoveError('ARCHIVE_UNREADABLE', 'The archive has a header that this release cannot read.');
  return header.data;
}

export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Batches of lines that fit into memory, however long the lines are.
 *
 * @param mostLines of one batch
 */
export async function* batchesOf(lines: AsyncIterable<string>, mostLines = Infinity): AsyncGenerator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for await (const line of lines) {
    batch.push(line);
    bytes += Buffer.byteLength(line) + 1;
    if (batch.length < mostLines && bytes < ROWS_BYTES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** Reads a small entry. @throws MoveError if it is larger than allowed */
export async function readSmall(
  { path, sizeBytes, body }: { path: string; sizeBytes: number; body: AsyncIterable<Uint8Array> },
  maxBytes: number,
): Promise<Buffer> {
  if (sizeBytes > maxBytes) {
    throw new MoveError(
      'ARCHIVE_REFUSED',
      `${shownPath(path)} has ${sizeBytes} bytes; at most ${maxBytes} are allowed.`,
    );
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export function shownPath(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}
