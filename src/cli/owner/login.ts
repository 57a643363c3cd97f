import { hostname } from 'node:os';

import { askGraphql, OwnerApi, reach } from './api.js';
import { type Invocation, type OwnerCommand, wholeNumber } from './command.js';
import { NotLoggedInError, ServiceError } from './errors.js';
import type { Login } from './loginFile.js';
import type { Terminal } from '../terminal.js';
import { Prompt } from './prompt.js';
import { UsageError } from '../usageError.js';

const SCOPES = ['read', 'manage', 'money'];
const DEFAULT_URL = 'http://localhost:4000';
const DEFAULT_DAYS = 90;
const MAX_DAYS = 365;

export const CREATE_TOKEN = `mutation ($name: String!, $scopes: [AccessTokenScope!]!, $days: Int) {
  createAccessToken(name: $name, scopes: $scopes, expiresInDays: $days) { token accessToken { id expiresAt } }
}`;
export const REVOKE_TOKEN = 'mutation ($id: ID!) { revokeAccessToken(id: $id) }';

interface CreatedToken {
  readonly createAccessToken: { readonly token: string; readonly accessToken: { readonly id: string } };
}

export const login: OwnerCommand = {
  name: 'login',
  positionals: [],
  options: { url: { type: 'string' }, scopes: { type: 'string' }, days: { type: 'string' } },
  choices: { scopes: SCOPES },
  summary:
    'signs in with email and password, and keeps an access token [--url URL --scopes read,manage,money --days N]',
  async run({ options, output, terminal, login: file }: Invocation): Promise<void> {
    const url = originOf(options['url'] ?? DEFAULT_URL);
    const scopes = String(options['scopes'] ?? 'read,manage').split(',');
    if (scopes.some((scope) => !SCOPES.includes(scope))) throw new UsageError(`--scopes takes ${SCOPES.join(', ')}.`);
    const days = wholeNumber(options['days'], 'days', MAX_DAYS) ?? DEFAULT_DAYS;
    const cookie = await signIn(url, terminal);
    const name = `dhara on ${hostname()}`.slice(0, 100);
    const variables = { name, scopes: scopes.map((scope) => scope.toUpperCase()), days };
    try {
      const created = await askGraphql<CreatedToken>(url, { cookie }, CREATE_TOKEN, variables);
      const { token, accessToken } = created.createAccessToken;
      const earlier = await file.read().catch(() => null);
      await file.write({ url, token, tokenId: accessToken.id }).catch(async (error: unknown) => {
        // Nobody has the token.
        await askGraphql(url, { cookie }, REVOKE_TOKEN, { id: accessToken.id });
        throw error;
      });
      if (earlier !== null) await revokeEarlier(earlier);
    } finally {
      // The session is no longer needed.
      await post(url, '/api/auth/sign-out', {}, cookie);
    }
    output.line({ url, scopes, path: file.path }, `Logged in to ${url}. The access token is in ${file.path}.`);
  },
};

export const logout: OwnerCommand = {
  name: 'logout',
  positionals: [],
  options: {},
  summary: 'revokes the access token and forgets it',
  async run({ output, login: file, api }: Invocation): Promise<void> {
    const kept = await file.read();
    if (kept !== null) {
      // A token that is already revoked is fine.
      await (await api()).ask(REVOKE_TOKEN, { id: kept.tokenId }).catch((error: unknown) => {
        if (!(error instanceof NotLoggedInError)) throw error;
      });
      await file.remove();
    }
    output.line({ loggedOut: true }, 'Logged out.');
  },
};

/** Whatever becomes of it, the new login stands: the earlier token may have ended, or its service may be gone. */
async function revokeEarlier({ url, token, tokenId }: Login): Promise<void> {
  try {
    await new OwnerApi(url, token, 'live').ask(REVOKE_TOKEN, { id: tokenId });
  } catch (error) {
    if (!(error instanceof NotLoggedInError || error instanceof ServiceError)) throw error;
  }
}

/** @throws UsageError for an invalid address */
function originOf(text: string | boolean): string {
  const url = URL.parse(String(text));
  if (url === null || !/^https?:$/.test(url.protocol)) throw new UsageError('--url takes an address such as https://…');
  return url.origin;
}

/** The cookies of a new session. @throws ServiceError, InterruptedError */
async function signIn(url: string, terminal: Terminal): Promise<string> {
  const prompt = new Prompt(terminal);
  try {
    return await prompt.unlessInterrupted(answer(url, prompt));
  } finally {
    prompt.close();
  }
}

async function answer(url: string, prompt: Prompt): Promise<string> {
  const email = await prompt.ask('Email: ');
  const password = await prompt.askHidden('Password: ');
  const signedIn = await post(url, '/api/auth/sign-in/email', { email, password });
  if (signedIn.body['twoFactorRedirect'] !== true) return signedIn.cookie;
  const code = await prompt.ask('Code from your authenticator app: ');
  const verified = await post(url, '/api/auth/two-factor/verify-totp', { code }, signedIn.cookie);
  return verified.cookie;
}

async function post(url: string, path: string, body: object, cookie = '') {
  const res = await reach(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, cookie },
    body: JSON.stringify(body),
  });
  const parsed = (await res.json().catch(() => null)) as Record<string, unknown> | null;
  if (parsed === null || typeof parsed !== 'object') {
    throw new ServiceError(`${url} is not a Dhara service.`, 'UNEXPECTED_RESPONSE');
  }
  if (!res.ok) {
    throw new ServiceError(textOf(parsed['message'], 'The sign-in failed.'), textOf(parsed['code'], 'UNKNOWN'));
  }
  const cookies = res.headers.getSetCookie().map((line) => line.split(';')[0]!);
  return { body: parsed, cookie: cookies.join('; ') };
}

function textOf(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
