import type { SandboxKind } from '../../../ports/transcoder.js';

/** Where the helpers are; null where the machine lacks one. */
export interface SandboxTools {
  prlimit: string | null;
  choom: string | null;
  setpriv: string | null;
  unshare: string | null;
  timeout: string | null;
  bwrap: string | null;
}

/** What the machine allows, found out once by trying (see `detectSandbox`). */
export interface Sandbox {
  kind: 'bwrap' | 'unshare' | 'none';
  tools: SandboxTools;
  /** Started as root, children become another user; otherwise they stay who we are. */
  asRoot: boolean;
  /** Root without CAP_SYS_ADMIN (a container) and everyone else need a user namespace. */
  userNamespace: boolean;
  /** Of `unshare`: whether it can be given processes of its own, and a /proc that shows no others. */
  ownProcesses: boolean;
  /** bwrap arguments that show the system's programs and libraries, read-only. */
  systemBinds: readonly string[];
  /** Folders outside /usr that hold ffmpeg or ffprobe. */
  programDirs: readonly string[];
  /** Of bwrap: which system calls are refused (see seccomp.ts). Null where the kernel takes no filter. */
  syscallFilter: Buffer | null;
}

export interface Limits {
  addressSpaceBytes: number;
  cpuSeconds: number;
  fileSizeBytes: number;
  /** Threads count, and a 64-core machine gives each of six encoders 96. Default 4096. */
  processes?: number;
}

export interface Confinement {
  program: string;
  /** null: the program reads nothing. */
  inputPath: string | null;
  outputDir: string | null;
  limits: Limits;
  /** Who the program runs as, where the sandbox can change that. */
  uid: number;
}

export interface Confined {
  /** What stands before the program's own arguments. */
  argv: string[];
  /** The paths as the program sees them. */
  inputPath: string;
  outputDir: string;
  /** Whether the program runs as the given user. */
  dropsUser: boolean;
  /** Whether the program must be handed its input as descriptor 3, and started in its output folder. */
  handsOver: boolean;
  /** What is to be read from descriptor 3 instead, until its end; null where nothing is. */
  descriptor3: Buffer | null;
}

/** No account has them: processes and files under them are ours alone, unlike those of `nobody`. */
const FIRST_SANDBOX_UID = 64_901;
const SANDBOX_UIDS = 500;
/** One for all: sources that others may not read are opened to it. */
export const SANDBOX_GID = FIRST_SANDBOX_UID;

const INNER_INPUT = '/in/source';
const INNER_OUTPUT = '/out';
const HANDED_INPUT = '/proc/self/fd/3';
const MAX_PROCESSES = 4_096;
/** An output has a file or two open at a time. */
const MAX_OPEN_FILES = 256;

let picked = Math.floor(Math.random() * SANDBOX_UIDS);

/**
 * A user for one run. Processes are counted per user, and users may stop and trace their own: runs that share one could
 * starve and meddle with each other. Workers of one machine begin anywhere in the range, so that they seldom meet.
 */
export function pickSandboxUid(): number {
  picked = (picked + 1) % SANDBOX_UIDS;
  return FIRST_SANDBOX_UID + picked;
}

/**
 * The command line that keeps a program in.
 *
 * prlimit sets the limits, choom offers the program first to a kernel that is short of memory, setpriv has the kernel
 * kill the child when we die, bwrap shows it nothing but the system's libraries, one input and one output folder (which
 * is all it can write to), no other process and no network, and refuses it the system calls of seccomp.ts. Root must enter
 * the namespaces as root, so that it can bind folders that the low user could not walk to; the user is dropped inside.
 * Without bwrap, the input is handed over as an open file and the output folder as the current one, to the same end; no
 * system call is refused then.
 *
 * bwrap's own first process stays between it and the program, on purpose: it is still root, so its
 * death signal reaches it, and the kernel ends the rest of the namespace with it. (Under
 * `--as-pid-1` a killed bwrap would leave ffmpeg running.) bwrap does not wait for it, so a
 * container needs an init that collects orphans.
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

/** Without root, or in a user namespace, a program stays who we are, and the files of others that it finds are ours. */
function becomesAnother({ kind, tools, asRoot, userNamespace }: Sandbox): boolean {
  return kind !== 'none' && asRoot && !userNamespace && tools.setpriv !== null;
}

/** What a sandbox is worth. */
export function sandboxKind(sandbox: Sandbox): SandboxKind {
  const { kind, syscallFilter } = sandbox;
  if (kind === 'unshare' && !becomesAnother(sandbox)) return 'unshare-as-ourselves';
  return kind === 'bwrap' && syscallFilter === null ? 'bwrap-without-filter' : kind;
}

/** Whether the chain itself failed, before the program had a say. */
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
    // One byte, not none: it is too little for a file as well, and keeps the kernel from piping to a crash handler.
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
    // Made explicitly: folders that bwrap makes on the way are for root only.
    ['--dir', '/in', '--dir', '/program', '--dir', '/tmp'],
    ...programDirs.flatMap((dir, index) => ['--ro-bind', dir, `/program/${index}`]),
    ...(what.inputPath === null ? [] : ['--ro-bind', what.inputPath, INNER_INPUT]),
    ...(what.outputDir === null ? [] : ['--bind', what.outputDir, INNER_OUTPUT]),
    // Both are memory: what is written there, nobody counts.
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
    // The first process of a namespace is deaf to the signals that say which limit was reached: one that tells of them
    // stands in its place. It times nothing.
    ...(ownProcesses ? [tools.timeout ?? '', '--foreground', '0'] : []),
  ];
}

/**
 * A change of user clears the death signal of the outer setpriv: it is set again here. Processes are counted per user
 * and user namespace: outside of both, the limit would be that of the whole machine.
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
