import { constants } from 'node:os';

/*
 * The system calls that are refused to a program in bubblewrap: a classic BPF program that the kernel's seccomp runs
 * before each call. An attacker who takes over ffmpeg through a broken decoder can then only attack the kernel.
 *
 * This is a deny list, not an allow list: which calls a harmless run makes changes with every release of the C library,
 * of ffmpeg and of its sixty libraries, and an allow list would fail good videos after a system upgrade. No media
 * program needs what is refused here: network addresses, other processes, mounts, namespaces, kernel modules, clocks,
 * and the kernel interfaces that are attacked most (io_uring, bpf, perf, userfaultfd, keys). Calls newer than the table
 * fail as on an older kernel, so they are refused as well.
 */

export type Architecture = 'x64' | 'arm64';

/** Audit's architecture names, and the numbers of the calls whose arguments are checked. */
const ARCHITECTURES: Record<Architecture, { audit: number; clone: number; ioctl: number }> = {
  x64: { audit: 0xc000_003e, clone: 56, ioctl: 16 },
  arm64: { audit: 0xc000_00b7, clone: 220, ioctl: 29 },
};

/** Numbers on x64 and arm64; null if there is no such call. From 424 on they are the same everywhere. */
export const REFUSED_CALLS: Readonly<Record<string, readonly [x64: number | null, arm64: number | null]>> = {
  // The network, and other programs through sockets.
  socket: [41, 198],
  socketpair: [53, 199],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
  sendto: [44, 206],
  sendmsg: [46, 211],
  sendmmsg: [307, 269],
  recvmsg: [47, 212],
  recvmmsg: [299, 243],
  // Other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  kcmp: [312, 272],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  // Mounts, roots and namespaces.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  statmount: [457, 457],
  listmount: [458, 458],
  unshare: [272, 97],
  setns: [308, 268],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  // Memory that counts toward no limit, and pages that are given away.
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  vmsplice: [278, 75],
  userfaultfd: [323, 282],
  // Common attack surfaces of the kernel.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  personality: [135, 92],
  modify_ldt: [154, null],
  uselib: [134, null],
  syslog: [103, 116],
  lookup_dcookie: [212, 18],
  // The machine.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  create_module: [174, null],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  ioperm: [173, null],
  iopl: [172, null],
  vhangup: [153, 58],
  nfsservctl: [180, 42],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
};

/** Its flags are in memory, which a filter cannot read. C libraries that are told it does not exist use `clone`. */
const CLONE3 = 435;
/** mseal, of Linux 6.10. Calls of the x32 ABI have far higher numbers. */
const LAST_KNOWN_CALL = 462;
/** CLONE_NEW* except NEWTIME, which `clone` does not support. */
const NAMESPACE_FLAGS = 0x7e02_0000;
/** Types into the terminal that started the service. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/** Offsets in the kernel's `struct seccomp_data`. These calls read only the low half of their arguments. */
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const FIRST_ARGUMENT_AT = 16;
const SECOND_ARGUMENT_AT = 24;

const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const refuse = (errno: number): number => 0x0005_0000 | errno;
const NOT_PERMITTED = refuse(constants.errno.EPERM);
const NO_SUCH_CALL = refuse(constants.errno.ENOSYS);

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
/** Each skips the given number of following instructions. */
const isEqual = (value: number, ifTrue: number, ifFalse: number): Instruction => [0x15, ifTrue, ifFalse, value];
const isGreater = (value: number, ifTrue: number, ifFalse: number): Instruction => [0x25, ifTrue, ifFalse, value];
const hasAny = (bits: number, ifTrue: number, ifFalse: number): Instruction => [0x45, ifTrue, ifFalse, bits];

/** The filter for a machine, in the format of `bwrap --seccomp`; null if its calls are not known here. */
export function syscallFilter(architecture: string): Buffer | null {
  return architecture === 'x64' || architecture === 'arm64' ? assemble(programOf(architecture)) : null;
}

function programOf(architecture: Architecture): Instruction[] {
  const { audit, clone, ioctl } = ARCHITECTURES[architecture];
  const refused = Object.values(REFUSED_CALLS).flatMap(([x64, arm64]) => (architecture === 'x64' ? x64 : arm64) ?? []);
  return [
    // Calls of another architecture (32 bits, on both) have other numbers.
    load(ARCHITECTURE_AT),
    isEqual(audit, 1, 0),
    answer(KILL_PROCESS),
    load(NUMBER_AT),
    isGreater(LAST_KNOWN_CALL, 0, 1),
    answer(NO_SUCH_CALL),
    isEqual(CLONE3, 0, 1),
    answer(NO_SUCH_CALL),
    ...refused.flatMap((number) => [isEqual(number, 0, 1), answer(NOT_PERMITTED)]),
    isEqual(clone, 0, 4),
    load(FIRST_ARGUMENT_AT),
    hasAny(NAMESPACE_FLAGS, 0, 1),
    answer(NOT_PERMITTED),
    answer(ALLOW),
    isEqual(ioctl, 0, 4),
    load(SECOND_ARGUMENT_AT),
    isEqual(TIOCSTI, 1, 0),
    isEqual(TIOCLINUX, 0, 1),
    answer(NOT_PERMITTED),
    answer(ALLOW),
  ];
}

/** In the format of the kernel's `struct sock_filter`; both architectures are little-endian. */
function assemble(program: readonly Instruction[]): Buffer {
  return Buffer.concat(
    program.map(([code, ifTrue, ifFalse, value]) => {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt16LE(code, 0);
      bytes.writeUInt8(ifTrue, 2);
      bytes.writeUInt8(ifFalse, 3);
      bytes.writeUInt32LE(value, 4);
      return bytes;
    }),
  );
}
