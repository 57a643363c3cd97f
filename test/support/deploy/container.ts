import { execFile, spawn, type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { REPOSITORY } from './units.js';

const run = promisify(execFile);

const IMAGE = 'localhost/dhara:tested';
/** runc also works where control groups are of both versions. Limits of this process cannot be raised. */
const ENGINE = ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs'];
const CLOSED = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
const ON_THIS_MACHINE = ['--network', 'host', '--no-healthcheck', '--ulimit', 'nofile=1024', '--ulimit', 'nproc=4096'];

export function canRunContainers(): boolean {
  return process.getuid?.() === 0 && ['podman', 'buildah'].every((name) => spawnSync(name, ['--version']).status === 0);
}

/** Builds the image as `deploy/image/build` does, with this machine's registry and certificates for npm. */
export async function buildImage(folder: string): Promise<void> {
  const { stdout: userConfig } = await run('npm', ['config', 'get', 'userconfig']);
  const { stdout: registry } = await run('npm', ['config', 'get', 'registry']);
  const { stdout: cafile } = await run('npm', ['config', 'get', 'cafile']);
  // npm's own setting may belong to another Node than the one that runs this.
  const certificates = [cafile.trim(), process.env['NODE_EXTRA_CA_CERTS'] ?? ''].find((path) => existsSync(path));
  const given = await readFile(userConfig.trim(), 'utf8').catch(() => '');
  const lines = [given, `registry=${registry.trim()}`];
  const volumes = ['-v', `${join(folder, 'npmrc')}:/root/.npmrc:ro`];
  if (certificates !== undefined) {
    lines.push('cafile=/run/certificates.pem');
    volumes.push('-v', `${certificates}:/run/certificates.pem:ro`);
  }
  await writeFile(join(folder, 'npmrc'), `${lines.join('\n')}\n`);
  await run('deploy/image/build', [IMAGE, ...volumes], { cwd: REPOSITORY, maxBuffer: 64 * 1024 ** 2 });
}

/** The base stays: it takes minutes to make, and does not depend on the code. */
export async function removeImage(): Promise<void> {
  await run('podman', ['image', 'rm', '--force', IMAGE]);
}

/** One container of the image, closed as the documentation says. */
export class Container {
  output = '';
  private readonly exited: Promise<unknown>;

  private constructor(
    private readonly name: string,
    private readonly child: ChildProcess,
  ) {
    child.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.exited = once(child, 'close');
  }

  static start(
    command: readonly string[],
    options: { settings?: Record<string, string>; dataDir: string; extra?: readonly string[] },
  ): Container {
    const name = `dhara-test-${process.pid}-${(Container.count += 1)}`;
    const settings = Object.entries(options.settings ?? {}).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
    const child = spawn(
      'podman',
      [
        ...ENGINE,
        'run',
        '--rm',
        '--name',
        name,
        ...CLOSED,
        ...ON_THIS_MACHINE,
        ...(options.extra ?? []),
        ...settings,
        '--volume',
        `${options.dataDir}:/var/lib/dhara`,
        IMAGE,
        ...command,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    return new Container(name, child);
  }

  private static count = 0;

  /** Runs a program inside, and returns its exit code and output. */
  async exec(...command: string[]): Promise<{ exitCode: number | null; output: string }> {
    const { status, stdout, stderr } = spawnSync('podman', [...ENGINE, 'exec', this.name, ...command], {
      encoding: 'utf8',
    });
    return { exitCode: status, output: `${stdout}${stderr}` };
  }

  async exit(): Promise<number | null> {
    await this.exited;
    return this.child.exitCode;
  }

  async stop(): Promise<number | null> {
    if (this.child.exitCode === null) spawnSync('podman', [...ENGINE, 'stop', '--time', '30', this.name]);
    return this.exit();
  }
}

/** What the image is made of. */
export async function inspectImage(): Promise<{
  readonly Size: number;
  readonly Config: {
    readonly User: string;
    readonly Env: string[];
    readonly Labels: Record<string, string>;
    readonly Entrypoint: string[];
    readonly Cmd: string[];
  };
  /** In nanoseconds. */
  readonly Healthcheck: { readonly Test: string[]; readonly Interval: number; readonly Retries: number };
}> {
  const { stdout } = await run('podman', ['image', 'inspect', IMAGE], { maxBuffer: 16 * 1024 ** 2 });
  return (JSON.parse(stdout) as never[])[0]!;
}

/** The paths of all files of the image. */
export async function filesOfImage(): Promise<string[]> {
  const { stdout } = await run(
    'sh',
    ['-c', `c=$(podman create ${IMAGE}) && podman export $c | tar t && podman rm $c`],
    {
      maxBuffer: 64 * 1024 ** 2,
    },
  );
  return stdout.split('\n');
}

/** A file of the image. */
export async function readInImage(path: string): Promise<string> {
  const command = ['run', '--rm', ...ON_THIS_MACHINE, '--entrypoint', '/bin/cat', IMAGE, path];
  const { stdout } = await run('podman', [...ENGINE, ...command], { maxBuffer: 16 * 1024 ** 2 });
  return stdout;
}
