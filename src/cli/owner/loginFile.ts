import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The service where somebody is logged in. */
export interface Login {
  /** The service's origin. */
  readonly url: string;
  readonly token: string;
  readonly tokenId: string;
}

/** The one stored login, in a file that only its owner can read. */
export class LoginFile {
  constructor(readonly path: string) {}

  /** `null` if nobody is logged in, or the file is not one of ours. */
  async read(): Promise<Login | null> {
    const text = await readFile(this.path, 'utf8').catch(() => null);
    try {
      const { url, token, tokenId } = JSON.parse(text ?? '') as Partial<Login>;
      return url && token && tokenId ? { url, token, tokenId } : null;
    } catch {
      return null;
    }
  }

  /** Replaces the file atomically, so that an interrupted login loses nothing. */
  async write(login: Login): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    const fresh = `${this.path}.${process.pid}`;
    // A file that is already there would keep its own mode.
    await rm(fresh, { force: true });
    await writeFile(fresh, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(fresh, this.path);
  }

  remove(): Promise<void> {
    return rm(this.path, { force: true });
  }
}

/** `$XDG_CONFIG_HOME/dhara/login.json`, by default below `~/.config`. */
export function loginPath(configHome: string | undefined): string {
  return join(configHome || join(homedir(), '.config'), 'dhara', 'login.json');
}
