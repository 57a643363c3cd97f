import type { SandboxKind } from '../../../ports/transcoder.js';

/** Paths of the helper programs; null if the machine lacks one. */
export interface SandboxTools {
  prlimit: string | null;
  choom: string | null;
  setpriv: string | null;
  unshare: string | null;
  timeout: string | null;
  bwrap: string | null;
}

/** What the machine allows, found once by trial (see `detectSandbox`). */
export interface Sandbox {
  kind: 'bwrap' | 'unshare' | 'none';
  tools: SandboxTools;
  /** Started as root, children become another user; otherwise they run as we do. */
  asRoot: boolean;
  /** Root without CAP_SYS_ADMIN (in a container) and other users need a user namespace. */
  userNamespace: boolean;
  /** For `unshare`: whether it can have its own process namespace, with a /proc that shows no other processes. */
  ownProcesses: boolean;
  /** bwrap arguments that show the system's programs and libraries, read-only. */
  systemBinds: readonly string[];
  /** Folders outside /usr that hold ffmpeg or ffprobe. */
  programDirs: readonly string[];
  /** For bwrap: the system call filter (see seccomp.ts). Null if the kernel accepts none. */
  syscallFilter: Buffer | null;
}

export interface Limits {
  addressSpaceBytes: number;
  cpuSeconds: number;
  fileSizeBytes: number;
  /** Threads count as processes, and a 64-core machine gives each of six encoders 96 of them. Default 4096. */
  processes?: number;
}

export interface Confinement {
  program: string;
  /** Null if the program reads nothing. */
  inputPath: string | null;
  outputDir: string | null;
  limits: Limits;
  /** The user to run as, if the sandbox can change it. */
  uid: number;
}

export interface Confined {
  /** The command line before the program's own arguments. */
  argv: string[];
  /** The paths as the program sees them. */
  inputPath: string;
  outputDir: string;
  /** Whether the program runs as the given user. */
  dropsUser: boolean;
  /** Whether the input must be passed as descriptor 3 and the program started in its output folder. */
  handsOver: boolean;
  /** Bytes to pass as descriptor 3, read to their end; null for none. */
  descriptor3: Buffer | null;
}

/** No account has these ids, so processes and files under them are ours alone, unlike those of `nobody`. */
const FIRST_SANDBOX_UID = 64_901;
const SANDBOX_UIDS = 500;
/** One group for all runs: sources that others may not read are opened to it. */
export const SANDBOX_GID = FIRST_SANDBOX_UID;

const INNER_INPUT = '/in/source';
const INNER_OUTPUT = '/out';
const HANDED_INPUT = '/proc/self/fd/3';
const MAX_PROCESSES = 4_096;
/** An output has one or two open files at a time. */
const MAX_OPEN_FILES = 256;

let picked = Math.floor(Math.random() * SANDBOX_UIDS);

/**
 * A user for one run. Processes are counted per user, and users may stop and trace their own processes, so runs that
 * share a user could starve and interfere with each other. The workers of a machine start at random places in the
 * range, so they seldom collide.
 */
export function pickSandboxUid(): number {
  picked = (picked + 1) % SANDBOX_UIDS;
  return FIRST_SANDBOX_UID + picked;
}

/**
 * The command line that confines a program.
 *
 * prlimit sets the limits. choom makes the program the kernel's first choice when memory runs out. setpriv has the
 * kernel kill the child when we die. bwrap shows it only the system's libraries, one input and one output folder (the
 * only place it can write to), no other process and no network, and applies the filter of seccomp.ts. Root must enter
 * the namespaces as root, so that it can bind folders that the unprivileged user cannot reach; the user is dropped
 * inside. Without bwrap, the input is passed as an open file and the output folder as the current directory; no system
 * call is refused then.
 *
 * bwrap's own first process stays between it and the program, on purpose: it is still root, so its death signal reaches
 * it, and the kernel ends the rest of the namespace with it. (Under `--as-pid-1` a killed bwrap would leave ffmpeg
 * running.) bwrap does not wait for it, so a container needs an init that reaps orphans.
 */
export function confine(sandbox: Sandbox, what: Confinement): Confined {
  const { kind, tools } = sandbox;
  const dropsUser = becomesAnother(sandbox);
  const hidden = kind === 'bwrap';
  const handsOver = kind === 'unshare';
  const argv = [
    ...limitArguments(sandbox, what.limits),
    ...(tools.choom === null ? [] : [tools.choom, '-n', '1000', '--']),
    ...(tools.setpriv === null ? [] : [tools.setpriv, '--pdeathsig', 'KILL']),
    ...(hidden ? bwrapArguments(sandbox, what) : []),
    ...(kind === 'unshare' ? unshareArguments(sandbox) : []),
    ...(kind === 'none' ? [] : privilegeArguments(sandbox, what.limits, dropsUser ? what.uid : null)),
    hidden ? innerProgram(sandbox, what.program) : what.program,
  ];
  return {
    argv,
    inputPath: hidden ? INNER_INPUT : handsOver ? HANDED_INPUT : (what.inputPath ?? ''),
    outputDir: hidden ? INNER_OUTPUT : handsOver ? '.' : (what.outputDir ?? ''),
    dropsUser,
    handsOver,
    descriptor3: hidden ? sandbox.syscallFilter : null,
  };
}

/**
 * Whether the program runs as another user. Without root, or in a user namespace, it runs as us, and files of other
 * users appear as ours.
 */
function becomesAnother({ kind, tools, asRoot, userNamespace }: Sandbox): boolean {
  return kind !== 'none' && asRoot && !userNamespace && tools.setpriv !== null;
}

/** How strict a sandbox is. */
export function sandboxKind(sandbox: Sandbox): SandboxKind {
  const { kind, syscallFilter } = sandbox;
  if (kind === 'unshare' && !becomesAnother(sandbox)) return 'unshare-as-ourselves';
  return kind === 'bwrap' && syscallFilter === null ? 'bwrap-without-filter' : kind;
}

/** Whether a helper of the sandbox failed before the program started. */
export function sandboxComplained(stderrTail: string): boolean {
  return /^(bwrap|prlimit|choom|setpriv|unshare): /m.test(stderrTail);
}

function limitArguments({ tools }: Sandbox, limits: Limits): string[] {
  if (tools.prlimit === null) {
    return [];
  }
  return [
    tools.prlimit,
    `--as=${limits.addressSpaceBytes}`,
    `--cpu=${Math.ceil(limits.cpuSeconds)}`,
    `--fsize=${limits.fileSizeBytes}`,
    `--nofile=${MAX_OPEN_FILES}`,
    // One byte instead of none: also too little for a core file, but it keeps the kernel from piping to a crash
    // handler.
    '--core=1',
  ];
}

function bwrapArguments(sandbox: Sandbox, what: Confinement): string[] {
  const { tools, userNamespace, systemBinds, programDirs, syscallFilter } = sandbox;
  return [
    tools.bwrap ?? '',
    '--unshare-net',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    ...(userNamespace ? ['--unshare-user'] : []),
    '--die-with-parent',
    '--new-session',
    ...(syscallFilter === null ? [] : ['--seccomp', '3']),
    ...systemBinds,
    ['--dev', '/dev'],
    // Created explicitly, because folders that bwrap creates on the way are accessible to root only.
    ['--dir', '/in', '--dir', '/program', '--dir', '/tmp'],
    ...programDirs.flatMap((dir, index) => ['--ro-bind', dir, `/program/${index}`]),
    ...(what.inputPath === null ? [] : ['--ro-bind', what.inputPath, INNER_INPUT]),
    ...(what.outputDir === null ? [] : ['--bind', what.outputDir, INNER_OUTPUT]),
    // Both are in memory, and writes there count toward no limit.
    ['--remount-ro', '/dev', '--remount-ro', '/'],
    ['--chdir', what.outputDir === null ? '/' : INNER_OUTPUT],
    '--',
  ].flat();
}

function unshareArguments({ tools, userNamespace, ownProcesses }: Sandbox): string[] {
  return [
    tools.unshare ?? '',
    ...(userNamespace ? ['--user'] : []),
    ...(ownProcesses ? ['--pid', '--fork', '--kill-child', '--mount-proc'] : []),
    '--net',
    '--ipc',
    '--',
    // The first process of a namespace ignores the signals that report which limit was reached. `timeout` takes its
    // place and passes them on; it limits nothing.
    ...(ownProcesses ? [tools.timeout ?? '', '--foreground', '0'] : []),
  ];
}

/**
 * A change of user clears the death signal of the outer setpriv, so it is set again here. Processes are counted per
 * user and user namespace: outside both, the limit would apply to the whole machine.
 */
function privilegeArguments(
  { tools, asRoot, userNamespace }: Sandbox,
  { processes = MAX_PROCESSES }: Limits,
  uid: number | null,
): string[] {
  const counted = tools.prlimit !== null && (uid !== null || userNamespace);
  const limit = counted ? [tools.prlimit ?? '', `--nproc=${processes}`] : [];
  if (tools.setpriv === null) {
    return limit;
  }
  return [
    ...limit,
    tools.setpriv,
    ...(uid === null ? [] : ['--reuid', `${uid}`, '--regid', `${SANDBOX_GID}`, '--clear-groups']),
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
