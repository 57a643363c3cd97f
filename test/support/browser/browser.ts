import { accessSync, constants } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { WAIT_MS } from '../deadlines.js';

const WINDOWED = ['chromium', 'chromium-browser', 'google-chrome'];
/** Chromium's shell has no windows at all, and takes a fifth less processor time than one that does not show them. */
const HEADLESS = ['chromium-headless-shell', ...WINDOWED];
/** No sandbox, which root cannot use, and no network connections to the browser's makers. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Most windows are closed before optimized code has paid for its compilation: without it, `money.test.ts` takes a
  // fifth less processor time.
  '--js-flags=--no-maglev --no-opt',
];
/**
 * The address bar's pop-ups are separate pages. Each window would load two of them unseen, which takes longer than
 * the dashboard. The others are those that Playwright switches off: Chromium uses only the last such list.
 */
const WITHOUT = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** The system's Chromium, with a profile that is deleted when it closes. */
export function launchChromium(): Promise<Browser> {
  const args = [...FLAGS, `--disable-features=${WITHOUT.join(',')}`];
  return chromium.launch({ executablePath: chromiumPath(HEADLESS), headless: true, args });
}

/** The path of the system's Chromium. */
export function chromiumPath(names: readonly string[] = WINDOWED): string {
  const given = process.env['CHROMIUM_PATH'];
  if (given) return given;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
  if (!found) throw new Error('no Chromium on PATH; CHROMIUM_PATH names one');
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A separate window without cookies. Its errors are collected in `complaints`. */
export async function openPage(
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // Violations of the policy are reported to the console only.
    if (message.type() === 'error' && /Content Security Policy/i.test(message.text())) complaints.push(message.text());
  });
  return { page, complaints };
}

/** Gives a window the cookies of a session, as `signIn` of `service.ts` returns them. */
export async function addSession(page: Page, url: string, cookie: string): Promise<void> {
  const cookies = cookie.split('; ').map((pair) => {
    const [name = '', ...value] = pair.split('=');
    return { name, value: value.join('='), url, httpOnly: true, sameSite: 'Lax' as const };
  });
  await page.context().addCookies(cookies);
}

/** Saves a screenshot in the folder that `DHARA_SCREENSHOTS` names. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['DHARA_SCREENSHOTS'];
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
