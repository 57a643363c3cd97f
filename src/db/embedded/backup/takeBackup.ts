import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

import pg from 'pg';

import { execute, type NoParams, sqlOn, statement } from '../../sql.js';
import { EmbeddedPostgresError } from '../errors.js';
import { syncFolder } from './files.js';
import { BACKUP_FORMAT, CLUSTER, MANIFEST, MASTER_KEY, PASSWORDS, type Manifest } from './manifest.js';
import { TAR_END, tarHeader, tarPadding } from './tar.js';

const CREATE_SLOT = statement<{ slot: string }>(
  'backup-create-slot',
  'select pg_create_physical_replication_slot(:slot, true, true)',
);
const BEGIN = statement<NoParams, { wal: string }>(
  'backup-begin',
  `select pg_walfile_name(pg_backup_start('dhara', true)) as wal`,
);
const END = statement<NoParams, { wal: string; label: string; version: string }>(
  'backup-end',
  `
    select pg_walfile_name(lsn) as wal, labelfile as label, current_setting('server_version') as version
    from pg_backup_stop(false)`,
);

export interface BackupOptions {
  /** Address of the running server, as its superuser. */
  readonly superuserUrl: string;
  readonly clusterDir: string;
  readonly passwordsPath: string;
  /** Included in the backup if it exists. `null` leaves it out. */
  readonly masterKeyPath: string | null;
  /** Must not exist yet. Readable only by its owner. */
  readonly file: string;
  /** False if the place that keeps the file compresses and deduplicates it. */
  readonly compresses: boolean;
  readonly onProgress?: (progress: BackupProgress) => void;
}

export interface BackupProgress {
  readonly doneBytes: number;
  readonly totalBytes: number;
}

export interface Backup {
  /** Size of the backup file. */
  readonly sizeBytes: number;
  readonly hasMasterKey: boolean;
}

/**
 * Folders whose contents belong to one run of the server, or are created again by the next. The backup keeps the
 * folders, but not their contents.
 */
const EMPTIED = new Set(
  ['dynshmem', 'notify', 'replslot', 'serial', 'snapshots', 'stat_tmp', 'subtrans', 'wal'].map((name) => `pg_${name}`),
);
const LEFT_OUT = /^(?:postmaster\.(?:pid|opts)|pg_internal\.init.*|pgsql_tmp.*|backup_label.*|tablespace_map.*)$/;
/** Holds where recovery begins, so it is copied after everything it refers to. */
const CONTROL = 'global/pg_control';
const WAL_SEGMENT = /^[0-9A-F]{24}$/;
const CHUNK_BYTES = 1 << 18;

/**
 * Writes the whole cluster, as of one instant near the end of the copy, into one file while the server runs. It uses
 * PostgreSQL's own backup protocol (`pg_backup_start` and `pg_backup_stop`), so owners, rights, triggers and passwords
 * are preserved. An interrupted backup leaves a `.partial` file and never the final one.
 *
 * @throws EmbeddedPostgresError if the file already exists
 */
export async function takeBackup(options: BackupOptions): Promise<Backup> {
  const { file } = options;
  if (await exists(file)) throw new EmbeddedPostgresError(`${file} already exists. Choose another name.`);
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  const client = new pg.Client({ connectionString: options.superuserUrl });
  await client.connect();
  try {
    const writer = new BackupWriter(options, client);
    // Reads the next chunk only after the last one was written to disk.
    const bytes = Readable.from(writer.write(), { objectMode: true, highWaterMark: 1 });
    const out = createWriteStream(partial, { mode: 0o600, flush: true });
    await (options.compresses ? pipeline(bytes, createGzip({ level: 1 }), out) : pipeline(bytes, out));
    await rename(partial, file);
    await syncFolder(dirname(file));
    return { sizeBytes: (await stat(file)).size, hasMasterKey: writer.hasMasterKey };
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    // Also ends a backup that has begun, and drops the slot.
    await client.end();
  }
}

class BackupWriter {
  hasMasterKey = false;
  private readonly digest = createHash('sha256');
  private doneBytes = 0;
  private totalBytes = 0;

  constructor(
    private readonly options: BackupOptions,
    private readonly client: pg.Client,
  ) {}

  async *write(): AsyncGenerator<Buffer> {
    const { client } = this;
    const takenAt = new Date().toISOString();
    // The slot makes the server keep the WAL that the copy needs, as long as this session lasts.
    const sql = sqlOn(client);
    await execute(sql, CREATE_SLOT, { slot: `dhara_backup_${process.pid}` });
    const [began] = await execute(sql, BEGIN);
    const { folders, files } = await this.tree();
    for (const folder of folders) yield* this.entry(`${CLUSTER}/${folder}/`, Buffer.alloc(0));
    for (const path of files) yield* this.file(path);
    yield* this.file(CONTROL);
    const [ended] = await execute(sql, END);
    const { wal, label, version } = ended!;
    yield* this.entry(`${CLUSTER}/backup_label`, Buffer.from(label));
    yield* this.log(began!.wal, wal);
    yield* this.entry(PASSWORDS, await readFile(this.options.passwordsPath));
    const { masterKeyPath } = this.options;
    const masterKey = masterKeyPath === null ? null : await readFile(masterKeyPath).catch(() => null);
    this.hasMasterKey = masterKey !== null;
    if (masterKey) yield* this.entry(MASTER_KEY, masterKey);
    const sha256 = this.digest.digest('hex');
    const manifest: Manifest = { format: BACKUP_FORMAT, takenAt, postgres: version, sha256 };
    const text = Buffer.from(`${JSON.stringify(manifest)}\n`);
    yield Buffer.concat([
      tarHeader({ name: MANIFEST, sizeBytes: text.length }),
      text,
      tarPadding(text.length),
      TAR_END,
    ]);
  }

  /** Current paths below the cluster. Later changes are in the WAL. */
  private async tree(): Promise<{ folders: string[]; files: string[] }> {
    const folders: string[] = [];
    const files: string[] = [];
    const walk = async (folder: string): Promise<void> => {
      const entries = await readdir(join(this.options.clusterDir, folder), { withFileTypes: true });
      for (const entry of entries) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (LEFT_OUT.test(entry.name)) continue;
        if (entry.isSymbolicLink())
          throw new EmbeddedPostgresError(`${path} is a link: tablespaces are not backed up.`);
        if (entry.isDirectory()) {
          folders.push(path);
          if (!EMPTIED.has(path)) await walk(path);
        } else if (path !== CONTROL) {
          files.push(path);
          this.totalBytes += (await stat(join(this.options.clusterDir, path)).catch(() => ({ size: 0 }))).size;
        }
      }
    };
    await walk('');
    folders.push('pg_wal/archive_status', 'pg_wal/summaries');
    return { folders, files };
  }

  /** All WAL written from the beginning to the end of the copy. */
  private async *log(first: string, last: string): AsyncGenerator<Buffer> {
    const names = await readdir(join(this.options.clusterDir, 'pg_wal'));
    const wanted = names.filter((name) => WAL_SEGMENT.test(name) && name >= first && name <= last).sort();
    if (wanted[0] !== first || wanted.at(-1) !== last) throw new Error('the server’s log does not cover the backup');
    for (const name of wanted) yield* this.file(`pg_wal/${name}`);
  }

  private async *entry(name: string, bytes: Buffer): AsyncGenerator<Buffer> {
    yield this.counted(tarHeader({ name, sizeBytes: bytes.length }));
    if (bytes.length > 0) yield this.counted(bytes);
    yield tarPadding(bytes.length);
  }

  /**
   * Reads as many bytes as the file has now. If the file shrinks meanwhile or a page is torn, the WAL has the correct
   * contents. If the file is gone, it was dropped, and the WAL says so too.
   */
  private async *file(path: string): AsyncGenerator<Buffer> {
    const file = await open(join(this.options.clusterDir, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (file === null) return;
    try {
      const { size } = await file.stat();
      yield this.counted(tarHeader({ name: `${CLUSTER}/${path}`, sizeBytes: size }));
      for (let at = 0; at < size;) {
        const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - at));
        const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
        at += bytesRead === 0 ? chunk.length : bytesRead;
        this.doneBytes += bytesRead;
        yield this.counted(bytesRead === 0 ? chunk : chunk.subarray(0, bytesRead));
      }
      yield tarPadding(size);
    } finally {
      await file.close();
    }
    this.options.onProgress?.({ doneBytes: this.doneBytes, totalBytes: Math.max(this.totalBytes, this.doneBytes) });
  }

  private counted(bytes: Buffer): Buffer {
    this.digest.update(bytes);
    return bytes;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
