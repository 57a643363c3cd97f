import type { SandboxKind } from '../../ports/transcoder.js';

/** Where the helpers are; null where the machine lacks one. */
export interface SandboxTools {
  prlimit: string | null;
  setpriv: string | null;
  unshare: string | null;
  bwrap: string | null;
}

/** What the machine allows, found out once by trying (see `detectSandbox`). */
export interface Sandbox {
  kind: SandboxKind;
  tools: SandboxTools;
  /** Started as root, children become SANDBOX_UID; otherwise they stay who we are. */
  asRoot: boolean;
  /** Root without CAP_SYS_ADMIN (a container) and everyone else need a user namespace. */
  userNamespace: boolean;
  /** bwrap arguments that show the system's programs and libraries, read-only. */
  systemBinds: readonly string[];
  /** Folders outside /usr that hold ffmpeg or ffprobe. */
  programDirs: readonly string[];
}

export interface Limits {
  addressSpaceBytes: number;
  cpuSeconds: number;
  fileSizeBytes: number;
}

export interface Confinement {
  program: string;
  /** null: the program reads nothing. */
  inputPath: string | null;
  outputDir: string | null;
  limits: Limits;
  /** Whether SANDBOX_UID can walk to both paths; only `unshare` needs to ask. */
  reachable: boolean;
}

export interface Confined {
  /** What stands before the program's own arguments. */
  argv: string[];
  /** The paths as the program sees them. */
  inputPath: string;
  outputDir: string;
  /** Whether the program runs as SANDBOX_UID. */
  dropsUser: boolean;
}

/** No account has it: processes and files under it are ours alone, unlike those of `nobody`. */
export const SANDBOX_UID = 64_901;

const INNER_INPUT = '/in/source';
const INNER_OUTPUT = '/out';
/** Threads count, and a 64-core machine gives each of six encoders 96. */
const MAX_PROCESSES = 4_096;

/**
 * The command line that keeps a program in.
 *
 * prlimit sets the limits, setpriv has the kernel kill the child when we die, bwrap shows it nothing
 * but the system's libraries, one input and one output folder, and no network. Root must enter the
 * namespaces as root, so that it can bind folders that the low user could not walk to; the user is
 * dropped inside.
 *
 * bwrap's own first process stays between it and the program, on purpose: it is still root, so its
 * death signal reaches it, and the kernel ends the rest of the namespace with it. (Under
 * `--as-pid-1` a killed bwrap would leave ffmpeg running.) bwrap does not wait for it, so a
 * container needs an init that collects orphans.
 */
export function confine(sandbox: Sandbox, what: Confinement): Confined {
  const { kind, tools, asRoot, userNamespace } = sandbox;
  const canDrop = asRoot && !userNamespace && tools.setpriv !== null;
  const dropsUser = canDrop && (kind === 'bwrap' || (kind === 'unshare' && what.reachable));
  const hidden = kind === 'bwrap';
  const argv = [
    ...limitArguments(sandbox, what.limits, dropsUser),
    ...(tools.setpriv === null ? [] : [tools.setpriv, '--pdeathsig', 'KILL']),
    ...(kind === 'bwrap' ? bwrapArguments(sandbox, what) : []),
    ...(kind === 'unshare' ? unshareArguments(sandbox) : []),
    ...(kind === 'none' ? [] : privilegeArguments(sandbox, dropsUser)),
    hidden ? innerProgram(sandbox, what.program) : what.program,
  ];
  return {
    argv,
    inputPath: hidden ? INNER_INPUT : (what.inputPath ?? ''),
    outputDir: hidden ? INNER_OUTPUT : (what.outputDir ?? ''),
    dropsUser,
  };
}

/** Whether the chain itself failed, before the program had a say. */
export function sandboxComplained(stderrTail: string): boolean {
  return /^(bwrap|prlimit|setpriv|unshare): /m.test(stderrTail);
}

function limitArguments({ tools }: Sandbox, limits: Limits, dropsUser: boolean): string[] {
  if (tools.prlimit === null) {
    return [];
  }
  return [
    tools.prlimit,
    `--as=${limits.addressSpaceBytes}`,
    `--cpu=${Math.ceil(limits.cpuSeconds)}`,
    `--fsize=${limits.fileSizeBytes}`,
    '--core=0',
    // Counted per user: for our own user it would count the rest of the machine as well.
    ...(dropsUser ? [`--nproc=${MAX_PROCESSES}`] : []),
  ];
}

function bwrapArguments(sandbox: Sandbox, what: Confinement): string[] {
  const { tools, userNamespace, systemBinds, programDirs } = sandbox;
  return [
    tools.bwrap ?? '',
    '--unshare-net',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    ...(userNamespace ? ['--unshare-user'] : []),
    '--die-with-parent',
    '--new-session',
    ...systemBinds,
    ['--dev', '/dev', '--tmpfs', '/tmp'],
    // Made explicitly: folders that bwrap makes on the way are for root only.
    ['--dir', '/in', '--dir', '/program'],
    ...programDirs.flatMap((dir, index) => ['--ro-bind', dir, `/program/${index}`]),
    ...(what.inputPath === null ? [] : ['--ro-bind', what.inputPath, INNER_INPUT]),
    ...(what.outputDir === null ? [] : ['--bind', what.outputDir, INNER_OUTPUT]),
    ['--chdir', what.outputDir === null ? '/' : INNER_OUTPUT],
    '--',
  ].flat();
}

function unshareArguments({ tools, userNamespace }: Sandbox): string[] {
  return [tools.unshare ?? '', ...(userNamespace ? ['--user'] : []), '--net', '--ipc', '--'];
}

/** A change of user clears the death signal of the outer setpriv: it is set again here. */
function privilegeArguments({ tools, asRoot, userNamespace }: Sandbox, dropsUser: boolean): string[] {
  if (tools.setpriv === null) {
    return [];
  }
  return [
    tools.setpriv,
    ...(dropsUser ? ['--reuid', `${SANDBOX_UID}`, '--regid', `${SANDBOX_UID}`, '--clear-groups'] : []),
    ...(asRoot && !userNamespace ? ['--bounding-set=-all', '--inh-caps=-all'] : []),
    '--no-new-privs',
    ['--pdeathsig', 'KILL'],
    '--',
  ].flat();
}

function innerProgram({ programDirs }: Sandbox, program: string): string {
  const index = programDirs.findIndex((dir) => program.startsWith(`${dir}/`));
  return index === -1 ? program : `/program/${index}/${program.slice((programDirs[index] ?? '').length + 1)}`;
}
