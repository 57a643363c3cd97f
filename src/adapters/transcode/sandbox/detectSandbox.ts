import { constants } from 'node:fs';
import { access, lstat, readlink, realpath } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { TranscoderUnavailableError } from '../../../ports/transcoder.js';
import { runForOutput } from './childProcess.js';
import { BUILD_QUESTION, type FfmpegBuild, readBuild } from './ffmpegBuild.js';
import type { Limits, Sandbox } from './sandbox.js';
import { confine, pickSandboxUid } from './sandbox.js';
import { syscallFilter } from './seccomp.js';

export interface Programs {
  ffmpeg: string;
  ffprobe: string;
}

const TRIAL_LIMITS: Limits = {
  addressSpaceBytes: 4 * 1024 ** 3,
  cpuSeconds: 10,
  fileSizeBytes: 1024 ** 2,
};
/** Shown to operators who run the service without a sandbox. */
export const NO_SANDBOX =
  'ffmpeg cannot be sandboxed on this machine. Install bubblewrap and prlimit (of util-linux), and allow namespaces in a container. `unshare` alone confines only what root starts.';
const SYSTEM_FOLDERS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64'];

/**
 * Finds ffmpeg, and ffprobe beside it or on the search path.
 * @throws TranscoderUnavailableError with instructions
 */
export async function findPrograms(ffmpegPath: string | undefined, searchPath: string): Promise<Programs> {
  const found = await findProgram(ffmpegPath ?? 'ffmpeg', searchPath);
  if (found === null) {
    throw new TranscoderUnavailableError(
      ffmpegPath === undefined
        ? 'ffmpeg was not found: install it (apt-get install ffmpeg) or set FFMPEG_PATH.'
        : `FFMPEG_PATH is ${ffmpegPath}, and no program is there.`,
    );
  }
  // The sandbox can only show the folder of the real file.
  const ffmpeg = await realpath(found);
  const beside = join(dirname(ffmpeg), 'ffprobe');
  const ffprobe = (await findProgram(beside, searchPath)) ?? (await findProgram('ffprobe', searchPath));
  if (ffprobe === null) {
    throw new TranscoderUnavailableError(`ffprobe was not found beside ${ffmpeg} or on the PATH.`);
  }
  return { ffmpeg, ffprobe: await realpath(ffprobe) };
}

/**
 * Finds the strictest sandbox in which both programs start, and which ffmpeg it is. What a machine allows (user
 * namespaces, mounts in a container) can only be tried out.
 * @throws TranscoderUnavailableError if the programs do not start without one either
 */
export async function detectSandbox(
  programs: Programs,
  options: { searchPath: string; asRoot: boolean; useBwrap: boolean },
): Promise<{ sandbox: Sandbox; build: FfmpegBuild }> {
  const { searchPath, asRoot } = options;
  const find = (name: string): Promise<string | null> => findProgram(name, searchPath);
  const tools = {
    prlimit: await find('prlimit'),
    choom: await find('choom'),
    setpriv: await find('setpriv'),
    unshare: await find('unshare'),
    timeout: await find('timeout'),
    bwrap: options.useBwrap ? await find('bwrap') : null,
  };
  const base = {
    tools,
    asRoot,
    systemBinds: await systemBinds(),
    programDirs: await programDirs(programs),
  };
  const filter = syscallFilter(process.arch);
  const namespaces = asRoot ? [false, true] : [true];
  // Isolation alone does not limit memory: without limits it counts for nothing.
  const candidates: Sandbox[] =
    tools.prlimit === null
      ? []
      : [
          // If a machine supports only one of the two, prefer isolation without the filter.
          ...(tools.bwrap === null || filter === null ? [] : namespaces.map((ns) => candidate('bwrap', ns))),
          ...(tools.bwrap === null ? [] : namespaces.map((ns) => ({ ...candidate('bwrap', ns), syscallFilter: null }))),
          ...(tools.unshare === null ? [] : namespaces.flatMap((ns) => unshared(ns))),
        ];
  function candidate(kind: Sandbox['kind'], userNamespace: boolean, ownProcesses = true): Sandbox {
    return { ...base, kind, userNamespace, ownProcesses, syscallFilter: kind === 'bwrap' ? filter : null };
  }
  // A container that masks parts of /proc does not allow mounting another one.
  function unshared(userNamespace: boolean): Sandbox[] {
    return (tools.timeout === null ? [false] : [true, false]).map((ownProcesses) =>
      candidate('unshare', userNamespace, ownProcesses),
    );
  }
  for (const sandbox of [...candidates, candidate('none', false)]) {
    const build = await startBoth(sandbox, programs);
    if (build !== null) return { sandbox, build };
  }
  throw new TranscoderUnavailableError(`${programs.ffmpeg} does not start on this machine.`);
}

async function startBoth(sandbox: Sandbox, { ffmpeg, ffprobe }: Programs): Promise<FfmpegBuild | null> {
  const [build, probe] = await Promise.all([
    startIn(sandbox, ffmpeg, BUILD_QUESTION),
    startIn(sandbox, ffprobe, '-version'),
  ]);
  return build && probe && readBuild(build);
}

async function startIn(
  sandbox: Sandbox,
  program: string,
  question: string,
): Promise<{ answer: string; banner: string } | null> {
  const { argv, descriptor3 } = confine(sandbox, {
    program,
    inputPath: null,
    outputDir: null,
    limits: TRIAL_LIMITS,
    uid: pickSandboxUid(),
  });
  const run = { argv: [...argv, question], env: { LC_ALL: 'C' }, ...(descriptor3 && { descriptor3 }) };
  const result = await runForOutput(run).catch(() => null);
  return result?.exitCode === 0 ? { answer: result.stdout, banner: result.stderrTail } : null;
}

/** Debian's /lib is a link into /usr, elsewhere it is a folder; libblas is found through /etc. */
async function systemBinds(): Promise<string[]> {
  const binds = ['--ro-bind', '/usr', '/usr'];
  for (const folder of SYSTEM_FOLDERS) {
    const stats = await lstat(folder).catch(() => null);
    if (stats?.isSymbolicLink()) {
      binds.push('--symlink', await readlink(folder), folder);
    } else if (stats?.isDirectory()) {
      binds.push('--ro-bind', folder, folder);
    }
  }
  binds.push('--dir', '/etc');
  for (const path of ['/etc/alternatives', '/etc/ld.so.cache']) {
    binds.push('--ro-bind-try', path, path);
  }
  return binds;
}

async function programDirs(programs: Programs): Promise<string[]> {
  const dirs = [programs.ffmpeg, programs.ffprobe].map((program) => dirname(program));
  return [...new Set(dirs)].filter((dir) => !dir.startsWith('/usr/') && dir !== '/bin');
}

/** The path of a program, or null. */
async function findProgram(name: string, searchPath: string): Promise<string | null> {
  const paths = isAbsolute(name)
    ? [name]
    : searchPath
        .split(delimiter)
        .filter((dir) => isAbsolute(dir))
        .map((dir) => join(dir, name));
  for (const path of paths) {
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) {
      return path;
    }
  }
  return null;
}
