import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { SealArchive, SealHead, SealReconciliation, SealRecord } from '../../ports/sealArchive.js';

export const SEALS_FILE = 'ledger-seals.jsonl';
const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Stores the heads of sealed blocks, and statements about lost ones, as JSON lines in one append-only file.
 *
 * It protects as far as its folder does: put it where those who can change the database cannot write.
 */
export class FileSealArchive implements SealArchive {
  private readonly path: string;

  constructor(private readonly options: { readonly dir: string }) {
    this.path = join(options.dir, SEALS_FILE);
  }

  async append(record: SealRecord): Promise<void> {
    await mkdir(this.options.dir, { recursive: true, mode: 0o700 });
    const known = await this.text();
    const file = await open(this.path, 'a', 0o600);
    try {
      // A line that a power failure cut off must not swallow the next one.
      const before = known === '' || known.endsWith('\n') ? '' : '\n';
      await file.appendFile(`${before}${lineOf(record)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    if (known === '') await syncFolder(this.options.dir);
  }

  async records(): Promise<readonly SealRecord[]> {
    return (await this.text()).split('\n').flatMap((line) => parseRecord(line) ?? []);
  }

  private async text(): Promise<string> {
    try {
      return await readFile(this.path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
      throw error;
    }
  }
}

/** A new file name is durable only after its folder is synced. */
async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function lineOf(record: SealRecord): string {
  if ('head' in record) return JSON.stringify(record.head);
  return JSON.stringify({ kind: 'reconciliation', ...record.reconciliation });
}

function parseRecord(line: string): SealRecord | null {
  const reconciliation = parseReconciliation(line);
  if (reconciliation) return { reconciliation };
  const head = parseHead(line);
  return head && { head };
}

function parseReconciliation(line: string): SealReconciliation | null {
  try {
    const { kind, ...fields } = JSON.parse(line) as { kind?: string } & Partial<SealReconciliation>;
    const { id, firstBlock, lastBlock, digest, reason, reconciledAt } = fields;
    if (kind !== 'reconciliation' || !Number.isSafeInteger(firstBlock) || !Number.isSafeInteger(lastBlock)) return null;
    if (typeof id !== 'string' || typeof digest !== 'string' || typeof reason !== 'string') return null;
    return { id, firstBlock: firstBlock!, lastBlock: lastBlock!, digest, reason, reconciledAt: String(reconciledAt) };
  } catch {
    return null;
  }
}

function parseHead(line: string): SealHead | null {
  try {
    const { blockNo, digest, sealedAt, owners, entries } = JSON.parse(line) as Partial<SealHead>;
    if (!Number.isSafeInteger(blockNo) || !DIGEST.test(digest ?? '') || typeof sealedAt !== 'string') return null;
    return { blockNo: blockNo!, digest: digest!, sealedAt, owners: Number(owners), entries: Number(entries) };
  } catch {
    return null;
  }
}
