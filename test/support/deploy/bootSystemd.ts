import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Starts systemd as the first process of new namespaces: on this machine's files, read-only, with its own folders
 * for what it writes. Its units are those in `$units`, and nothing else starts.
 */
const BOOT = `
set -e
root="$folder/root"
mkdir -p "$root"
mount --make-rprivate /
mount --bind / "$root"
mount -o bind,remount,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
for path in run var/lib var/cache var/tmp opt dev root; do mount -t tmpfs -o mode=755 own "$root/$path"; done
mount -t tmpfs -o mode=1777 own "$root/tmp"
mkdir -p "$root/opt/dhara" "$root/run/systemd" "$root/run/outside"
mount --bind "$home" "$root/opt/dhara"
mount --bind "$folder/outside" "$root/run/outside"
cp -r "$units" "$root/run/systemd/system"
for file in passwd group; do
  cp "/etc/$file" "$root/run/$file"
  mount --bind "$root/run/$file" "$root/etc/$file"
done
echo 'dhara:x:64800:64800::/var/lib/dhara:/usr/sbin/nologin' >> "$root/run/passwd"
echo 'dhara:x:64800:' >> "$root/run/group"
for name in null zero random urandom tty full; do
  touch "$root/dev/$name"
  mount --bind "/dev/$name" "$root/dev/$name"
done
mkdir "$root/dev/pts" "$root/dev/shm" "$root/dev/mqueue" "$root/dev/hugepages"
ln -s /proc/self/fd "$root/dev/fd"
mount -t devpts -o newinstance,ptmxmode=0666 own "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
touch "$root/dev/console"
mount --bind "$folder/outside/console" "$root/dev/console"
# A systemd of its own needs a tree of control groups. The unified one it shares.
if [ "$(stat -fc %T /sys/fs/cgroup)" != cgroup2fs ]; then
  mount -t tmpfs -o mode=755 own "$root/sys/fs/cgroup"
  mkdir "$root/sys/fs/cgroup/systemd"
  mount -t cgroup -o none,name=systemd own "$root/sys/fs/cgroup/systemd"
fi
mkdir "$root/run/outer"
cd "$root"
pivot_root . run/outer
umount -l /run/outer
# Credentials are mounted by a helper in a namespace of its own, from which they must appear here.
mount --make-rshared /
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --show-status=false \\
  --log-target=console --unit=try.target
`;

/** Whether this process may create the namespaces and mounts that a second systemd needs. */
export function canBootSystemd(): boolean {
  return spawnSync('unshare', ['-mpf', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
}

export interface BootedSystemd {
  /** What the services write appears here, as /run/outside in there. */
  readonly outside: string;
  stop(): Promise<void>;
}

/**
 * Boots a systemd that starts these units and nothing else. `home` appears as /opt/dhara.
 *
 * @param units a folder with units and their drop-ins
 */
export async function bootSystemd(
  folder: string,
  { home, units, wants }: { home: string; units: string; wants: readonly string[] },
): Promise<BootedSystemd> {
  const outside = join(folder, 'outside');
  await mkdir(outside, { recursive: true });
  await writeFile(join(outside, 'console'), '');
  // Nothing but these units: this machine's own ones are on the same files.
  await symlink('/dev/null', join(units, 'network-online.target'));
  await writeFile(join(units, 'try.target'), `[Unit]\nDefaultDependencies=no\nWants=${wants.join(' ')}\n`);
  const child = spawn('unshare', ['-mpiuf', '--kill-child', 'sh', '-c', BOOT], {
    env: { ...process.env, folder, home, units },
    stdio: 'inherit',
  });
  return { outside, stop: () => stop(child) };
}

/** The end of its first process ends all others of the namespace. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
