const KEY = 'dhara.mode';

/**
 * Whether this tab shows test mode. It is decided when the page loads: everything that the page has read belongs to one
 * mode.
 */
export const isTestMode = readMode() === 'test';

/** Headers of every request for what belongs to a mode. */
export const MODE_HEADERS: Readonly<Record<string, string>> = isTestMode ? { 'x-dhara-mode': 'test' } : {};

/** For addresses that are opened as links. */
export const MODE_PARAMETERS: Readonly<Record<string, string>> = isTestMode ? { mode: 'test' } : {};

/** Loads `path` in the other mode. */
export function switchMode(mode: 'live' | 'test', path: string): void {
  try {
    sessionStorage.setItem(KEY, mode);
  } catch {
    // Without storage there is live mode only.
  }
  location.assign(path);
}

function readMode(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    // Storage is disabled.
    return null;
  }
}
