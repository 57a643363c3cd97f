import { spawn } from 'node:child_process';
import { resolve as resolvePath } from 'node:path';

import { BackupError, type BackupRepository, type SavedFiles, type Snapshot } from '../../ports/backupRepository.js';
import { failureOf } from './resticFailure.js';

const COMPLETE = 'dhara';
const UNFINISHED = 'dhara-unfinished';
/** One name for all machines: restic compares with the last snapshot of the same host. */
const HOST = 'dhara';
/** Some files could not be read, often because they were deleted after they were listed. */
const SOME_UNREADABLE = 3;
/** What restic says of a folder that is not there, and then continues without it. */
const SKIPPED = /does not exist, skipping/;
const SAVE_TRIES = 5;
/** Variables that restic, and what it starts to reach a repository, may read. None of them is a setting of Dhara. */
const PASSED_ON =
  /^(?:RESTIC_|AWS_|AZURE_|B2_|GOOGLE_|OS_|ST_|SWIFT_|RCLONE_|SSH_|XDG_|LC_|https?_proxy$|no_proxy$|HTTPS?_PROXY$|NO_PROXY$|(?:HOME|PATH|TMPDIR|USER|LANG)$)/;

/** Of a repository that is not a folder: `sftp:…`, `s3:…`, `rest:…`; or `local:…`, which is one. */
const ADDRESS = /^[a-z0-9]+:/;
const PATHS: ReadonlySet<string> = new Set(['RESTIC_PASSWORD_FILE', 'RESTIC_CACHE_DIR', 'TMPDIR']);

interface ResticSnapshot {
  readonly id: string;
  readonly time: string;
  readonly tags?: readonly string[];
  /** Which snapshot this one replaced when its tags changed. */
  readonly original?: string;
}

interface Run {
  readonly cwd?: string;
  /** Exit codes that are not errors, besides 0. */
  readonly accepts?: readonly number[];
}

/** Backups by the program restic: encrypted, compressed, and without storing anything twice. */
export class ResticRepository implements BackupRepository {
  private readonly repository: string;
  private readonly env: NodeJS.ProcessEnv;

  constructor(options: { readonly repository: string; readonly env: Readonly<Record<string, string | undefined>> }) {
    // restic runs in other folders than this process, so all paths are made absolute.
    this.repository = ADDRESS.test(options.repository) ? options.repository : resolvePath(options.repository);
    const passed = Object.entries(options.env).filter(([name, value]) => value && PASSED_ON.test(name));
    const absolute = passed.map(([name, value]) => [name, PATHS.has(name) ? resolvePath(value!) : value]);
    // What we set must not contradict what else names a repository.
    this.env = {
      ...Object.fromEntries(absolute),
      RESTIC_REPOSITORY: this.repository,
      RESTIC_REPOSITORY_FILE: undefined,
    };
  }

  async create(): Promise<void> {
    await this.run(['init']);
  }

  async snapshots(): Promise<readonly Snapshot[]> {
    const found = (await this.list(COMPLETE)).map(({ id, time }) => ({ id, takenAt: new Date(time) }));
    return found.toSorted((a, b) => a.takenAt.getTime() - b.takenAt.getTime());
  }

  async save(folder: string, paths: readonly string[]): Promise<SavedFiles & { unfinishedId: string }> {
    const args = ['backup', '--json', '--host', HOST, '--tag', UNFINISHED, ...paths];
    for (let left = SAVE_TRIES; ; left -= 1) {
      // With the paths relative to the folder, a snapshot can be restored into any other folder.
      const { code, stdout, stderr } = await this.run(args, { cwd: folder, accepts: [SOME_UNREADABLE] });
      const saved = summaryIn(stdout);
      if (code === 0 && !SKIPPED.test(stderr)) return saved;
      await this.run(['forget', saved.unfinishedId]);
      // A file that an encode deleted meanwhile is missing for a reason, and is not even listed the next time.
      if (left === 1 || !isAllMissing(stderr)) throw failureOf({ code, stderr, repository: this.repository });
    }
  }

  async complete(unfinishedId: string): Promise<Snapshot> {
    await this.run(['tag', '--set', COMPLETE, unfinishedId]);
    const made = (await this.list(COMPLETE)).find(({ original }) => original?.startsWith(unfinishedId));
    if (!made) throw new BackupError('REPOSITORY_FAILED', `restic did not tag the snapshot ${unfinishedId}.`);
    return { id: made.id, takenAt: new Date(made.time) };
  }

  async forgetUnfinished(): Promise<void> {
    await this.run(['unlock']);
    const left = (await this.list(UNFINISHED)).map(({ id }) => id);
    if (left.length > 0) await this.run(['forget', ...left]);
  }

  async prune(days: number): Promise<void> {
    await this.run(['forget', '--tag', COMPLETE, '--group-by', '', '--keep-within', `${days}d`, '--prune']);
  }

  async read(id: string, path: string): Promise<string> {
    return (await this.run(['dump', id, `/${path}`])).stdout;
  }

  async sizeBytes(id: string): Promise<number> {
    const { stdout } = await this.run(['stats', '--json', '--mode', 'restore-size', id]);
    return (JSON.parse(stdout) as { total_size: number }).total_size;
  }

  async restore(id: string, folder: string): Promise<void> {
    await this.run(['restore', id, '--target', folder]);
  }

  private async list(tag: string): Promise<readonly ResticSnapshot[]> {
    const { stdout } = await this.run(['snapshots', '--json', '--tag', tag]);
    const found = (JSON.parse(stdout) ?? []) as ResticSnapshot[];
    return found.filter(({ tags }) => tags?.includes(tag));
  }

  private run(args: readonly string[], { cwd = '/', accepts = [] }: Run = {}) {
    const { repository, env } = this;
    return new Promise<{ code: number; stdout: string; stderr: string }>((resolve, reject) => {
      const child = spawn('restic', args, {
        cwd,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout = keep(stdout + text)));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = keep(stderr + text)));
      child.once('error', (cause) => reject(missingTool(cause)));
      child.once('close', (exitCode, signal) => {
        const code = exitCode ?? 1;
        if (code === 0 || accepts.includes(code)) resolve({ code, stdout, stderr });
        else reject(failureOf({ code, stderr: signal ? `restic was ended by ${signal}` : stderr, repository }));
      });
    });
  }
}

/** The most text of restic that is kept: its list of snapshots and its last lines. Progress is only its latest. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;

function keep(text: string): string {
  return text.length > KEPT_CHARACTERS ? text.slice(-KEPT_CHARACTERS / 2) : text;
}

function missingTool(cause: Error): Error {
  if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') return cause;
  const message = 'The program restic is needed and was not found. Type: sudo apt-get install -y restic';
  return new BackupError('BACKUP_TOOL_MISSING', message, { cause });
}

/** restic reports progress as JSON lines, and ends with a summary. */
function summaryIn(stdout: string): SavedFiles & { unfinishedId: string } {
  for (const line of stdout.trim().split('\n').toReversed()) {
    const parsed = JSON.parse(line) as Record<string, unknown>;
    if (parsed['message_type'] !== 'summary') continue;
    return {
      unfinishedId: String(parsed['snapshot_id']),
      files: Number(parsed['total_files_processed']),
      bytes: Number(parsed['total_bytes_processed']),
      addedBytes: Number(parsed['data_added']),
    };
  }
  throw new BackupError('REPOSITORY_FAILED', 'restic ended without a summary.');
}

function isAllMissing(stderr: string): boolean {
  const errors = stderr.split('\n').filter((line) => line.includes('"message_type":"error"'));
  return errors.length > 0 && errors.every((line) => /no such file or directory|"Err":2\b/.test(line));
}
