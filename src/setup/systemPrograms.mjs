import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs without an npm package. `packages` are the names in Debian and Ubuntu. */
const FFMPEG = { what: 'ffmpeg', packages: ['ffmpeg'], setting: 'FFMPEG_PATH' };
const CHROMIUM = { what: 'Chromium', packages: ['chromium'], setting: 'CHROMIUM_PATH' };
/** OpenStack Swift: an S3 server to test the object store with. Only its tests start it. */
const SWIFT = {
  what: 'OpenStack Swift',
  packages: ['swift-proxy', 'swift-account', 'swift-container', 'swift-object', 'memcached'],
};
/** Serves segments in the tests of the documented nginx configuration. */
const NGINX = { what: 'nginx', packages: ['nginx-light'] };
/** Validates the Caddyfile in `deploy/compose`. */
const CADDY = { what: 'Caddy', packages: ['caddy'] };
/** Verifies the units in `deploy/systemd`. Installed, it starts nothing. */
const SYSTEMD = { what: 'systemd', packages: ['systemd'] };
/** `promtool`, which runs the tests of the rules in `deploy/prometheus`. */
const PROMETHEUS = { what: 'promtool', packages: ['prometheus'] };
/** Keeps the backups of the tests. Operators install it themselves, if they use `dhara backup --repository`. */
const RESTIC = { what: 'restic', packages: ['restic'] };
/** A server that people run themselves, with its pg_dump. The embedded one has only the server. */
const POSTGRESQL = { what: 'PostgreSQL', packages: ['postgresql'] };
/** The browsers, other than Chromium, that `npm run test:full` plays in. WebKitGTK only recommends its H.264 decoder. */
const OTHER_BROWSERS = {
  what: 'Firefox and WebKitGTK',
  packages: ['firefox-esr', 'webkit2gtk-driver', 'gstreamer1.0-libav', 'gstreamer1.0-plugins-bad', 'xvfb'],
  names: ['firefox-esr', 'WebKitWebDriver', 'Xvfb'],
};
/** Builds and starts the image with `npm run test:full`. */
const CONTAINERS = {
  what: 'podman',
  packages: ['podman', 'buildah', 'runc', 'mmdebstrap', 'binutils'],
  names: ['podman', 'buildah', 'mmdebstrap', 'strip'],
};
/** A PostgreSQL cluster with failover, for `npm run test:full`. */
const CLUSTER = {
  what: 'Patroni',
  packages: ['postgresql', 'patroni', 'etcd-server', 'haproxy', 'pgbouncer', 'iproute2'],
  names: ['patroni', 'etcd', 'haproxy', 'pgbouncer', 'ip'],
};
const SWIFT_NAMES = ['swift-proxy-server', 'swift-account-server', 'swift-container-server', 'swift-object-server'];
/** Confines ffmpeg. The transcoder has other means if it is missing, so its absence is no error. */
const SANDBOX = { what: 'bubblewrap', packages: ['bubblewrap'] };

/** Debian asks this program whether a service may start while its package is installed. */
const POLICY = '/usr/sbin/policy-rc.d';
const CHROMIUM_NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
/** Chromium without windows, which takes a fifth less processor time. The tests use it where it is installed. */
const HEADLESS_SHELL = 'chromium-headless-shell';

/**
 * Makes sure that ffmpeg, and for the tests Chromium, Swift, nginx, Caddy, systemd, promtool, restic and PostgreSQL, can run: finds
 * them, installs them, or prints one line that asks for them.
 * @throws if one is missing and cannot be installed here
 */
export function installSystemPrograms({ forTests }) {
  const needed = missingPrograms({ forTests });
  if (needed.length === 0) return;

  const canInstall = process.getuid?.() === 0 && isOnPath('apt-get');
  if (!canInstall) throw new Error(howToInstall(needed));

  const names = needed.map(({ what }) => what).join(' and ');
  console.error(`dhara: installing ${names} with apt-get, a minute or two …`);
  aptGet(['update']);
  withoutServices(() => {
    for (const { packages } of needed) aptGet(['install', '-y', '--no-install-recommends', ...packages]);
  });
  if (forTests && !isOnPath(HEADLESS_SHELL)) aptGet(['install', '-y', '--no-install-recommends', HEADLESS_SHELL]);
  if (!isOnPath('bwrap')) aptGet(['install', '-y', '--no-install-recommends', ...SANDBOX.packages]);

  const stillMissing = missingPrograms({ forTests });
  if (stillMissing.length > 0) throw new Error(howToInstall(stillMissing));
}

/** What is required but missing: ffmpeg, and for the tests Chromium, Swift, nginx, Caddy, systemd, promtool, restic and PostgreSQL. */
export function missingPrograms({ forTests }) {
  const missing = [];
  if (!hasFfmpeg()) missing.push(FFMPEG);
  if (forTests && !hasChromium()) missing.push(CHROMIUM);
  if (forTests && ![...SWIFT_NAMES, 'memcached'].every(isOnPath)) missing.push(SWIFT);
  if (forTests && !isInstalled('nginx')) missing.push(NGINX);
  if (forTests && !isOnPath('caddy')) missing.push(CADDY);
  if (forTests && !isOnPath('systemd-analyze')) missing.push(SYSTEMD);
  if (forTests && !isOnPath('promtool')) missing.push(PROMETHEUS);
  if (forTests && !isOnPath('restic')) missing.push(RESTIC);
  if (forTests && !hasPostgresql()) missing.push(POSTGRESQL);
  if (forTests && process.env.TEST_FULL === '1') {
    for (const programs of [OTHER_BROWSERS, CONTAINERS, CLUSTER]) {
      if (!programs.names.every(isInstalled)) missing.push(programs);
    }
  }
  return missing;
}

/** ffprobe comes with ffmpeg and is expected beside it. */
function hasFfmpeg() {
  const path = process.env.FFMPEG_PATH;
  return path ? isExecutable(path) : isOnPath('ffmpeg') && isOnPath('ffprobe');
}

/** Debian keeps each major version in its own folder, which is not on the path. */
function hasPostgresql() {
  const root = '/usr/lib/postgresql';
  return existsSync(root) && readdirSync(root).some((major) => isExecutable(join(root, major, 'bin/postgres')));
}

function hasChromium() {
  const path = process.env.CHROMIUM_PATH;
  return path ? isExecutable(path) : CHROMIUM_NAMES.some(isOnPath);
}

function howToInstall(missing) {
  const what = missing.map((program) => program.what).join(' and ');
  const packages = missing.flatMap((program) => program.packages).join(' ');
  const settings = missing.flatMap((program) => program.setting ?? []).join(' and ');
  const otherwise = settings === '' ? '' : ` (or set ${settings})`;
  return `${what} not found. Type: sudo apt-get install -y --no-install-recommends ${packages}${otherwise}.`;
}

/** Keeps newly installed packages from starting services, unless the machine has its own rules for that. */
function withoutServices(install) {
  if (existsSync(POLICY)) {
    install();
    return;
  }
  // Ctrl-C also ends apt-get, which shares the terminal; the rule is removed anyway.
  const interrupted = () => process.exit(130);
  process.on('SIGINT', interrupted);
  writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    install();
  } finally {
    rmSync(POLICY, { force: true });
    process.off('SIGINT', interrupted);
  }
}

/** Quiet unless it fails. The caller checks the result, because only it knows whether it matters. */
function aptGet(args) {
  const { status, stderr } = spawnSync('apt-get', ['-qq', '-o', 'Dpkg::Use-Pty=0', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0)
    console.error(`dhara: apt-get ${args.join(' ')} failed: ${stderr?.trim().split('\n').at(-1) ?? ''}`);
}

function isOnPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((dir) => dir !== '' && isExecutable(join(dir, name)));
}

/** Also in a folder that only root has on its path. */
function isInstalled(name) {
  return isOnPath(name) || isExecutable(join('/usr/sbin', name));
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
