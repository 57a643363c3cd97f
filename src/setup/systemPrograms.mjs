import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What npm has no package for. `packages` are Debian's and Ubuntu's names. */
const FFMPEG = { what: 'ffmpeg', packages: ['ffmpeg'], setting: 'FFMPEG_PATH' };
const CHROMIUM = { what: 'Chromium', packages: ['chromium'], setting: 'CHROMIUM_PATH' };
/** Shuts ffmpeg in. Where it is missing the transcoder has other means, so its absence is no error. */
const SANDBOX = { what: 'bubblewrap', packages: ['bubblewrap'] };

const CHROMIUM_NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * Sees to it that ffmpeg, and for the tests Chromium, can be run: found, installed, or asked for in one line.
 * @throws when one is missing and cannot be installed here.
 */
export function installSystemPrograms({ chromium }) {
  const needed = missingPrograms({ chromium });
  if (needed.length === 0) return;

  const canInstall = process.getuid?.() === 0 && isOnPath('apt-get');
  if (!canInstall) throw new Error(howToInstall(needed));

  const names = needed.map(({ what }) => what).join(' and ');
  console.error(`dhara: installing ${names} with apt-get, a minute or two …`);
  aptGet(['update']);
  for (const { packages } of needed) aptGet(['install', '-y', '--no-install-recommends', ...packages]);
  if (!isOnPath('bwrap')) aptGet(['install', '-y', '--no-install-recommends', ...SANDBOX.packages]);

  const stillMissing = missingPrograms({ chromium });
  if (stillMissing.length > 0) throw new Error(howToInstall(stillMissing));
}

/** What has to be there and is not: ffmpeg, and where asked for, Chromium. */
export function missingPrograms({ chromium }) {
  const missing = [];
  if (!hasFfmpeg()) missing.push(FFMPEG);
  if (chromium && !hasChromium()) missing.push(CHROMIUM);
  return missing;
}

/** ffprobe comes with ffmpeg, and is looked for beside it. */
function hasFfmpeg() {
  const path = process.env.FFMPEG_PATH;
  return path ? isExecutable(path) : isOnPath('ffmpeg') && isOnPath('ffprobe');
}

function hasChromium() {
  const path = process.env.CHROMIUM_PATH;
  return path ? isExecutable(path) : CHROMIUM_NAMES.some(isOnPath);
}

function howToInstall(missing) {
  const what = missing.map((program) => program.what).join(' and ');
  const packages = missing.flatMap((program) => program.packages).join(' ');
  const settings = missing.map((program) => program.setting).join(' and ');
  return `${what} not found. Type: sudo apt-get install -y --no-install-recommends ${packages} (or set ${settings}).`;
}

/** Quiet unless it fails. What it was for is checked by the caller, who knows whether that matters. */
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

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
