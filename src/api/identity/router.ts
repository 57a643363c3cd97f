import express, {
  type ErrorRequestHandler,
  type Request,
  type Response as ExpressResponse,
  type Router,
} from 'express';

import { AppError, toAppError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import { networkOf } from '../../networkAddress.js';
import {
  assertSecondFactor,
  IDENTITY_PATH,
  type Identity,
  type IdentityRequests,
  TooManyAttempts,
} from '../../ports/identity.js';
import { type Body, checkCallbacks, readBody } from './requestBody.js';

/**
 * What a session needs besides existing. `second factor`: if its user has one, this session must have passed it. That is
 * for everything that changes how one signs in. A session may have begun without it, such as before it was switched on.
 */
type Needs = 'nothing' | 'second factor';

/** The complete interface. Other features of better-auth (social sign-in, listing tokens, …) are not exposed. */
export const ENDPOINTS: ReadonlyMap<string, Needs> = new Map([
  ['POST /sign-up/email', 'nothing'],
  ['POST /sign-in/email', 'nothing'],
  ['POST /sign-out', 'nothing'],
  ['GET /verify-email', 'nothing'],
  ['POST /send-verification-email', 'nothing'],
  ['POST /request-password-reset', 'nothing'],
  ['POST /reset-password', 'nothing'],
  ['POST /change-password', 'second factor'],
  ['POST /update-user', 'nothing'],
  ['POST /change-address', 'second factor'],
  ['POST /confirm-address', 'second factor'],
  ['POST /revoke-sessions', 'nothing'],
  ['POST /two-factor/enable', 'second factor'],
  ['POST /two-factor/disable', 'second factor'],
  ['POST /two-factor/verify-totp', 'nothing'],
  ['POST /two-factor/verify-backup-code', 'nothing'],
  ['POST /two-factor/generate-backup-codes', 'second factor'],
]);

const MAX_BODY = '16kb';

export interface IdentityRouterOptions {
  readonly identity: Pick<Identity, 'viewerOf'> & { readonly requests: IdentityRequests };
  readonly publicUrl: string;
  readonly logger: Logger;
}

/** Sign-up, sign-in and the rest. Mount at `IDENTITY_PATH`, before anything reads bodies. */
export function createIdentityRouter({ identity, publicUrl, logger }: IdentityRouterOptions): Router {
  const { requests } = identity;
  const router = express.Router({ caseSensitive: true, strict: true });

  router.use((req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    if (ENDPOINTS.has(endpointOf(req))) next();
    else res.status(404).json({ code: 'NOT_FOUND', message: 'Not found.' });
  });
  router.use(express.raw({ type: () => true, limit: MAX_BODY }));
  router.use(async (req, res) => {
    const address = req.ip ?? '';
    const userId = async (): Promise<string | null> => (await identity.viewerOf(req))?.userId ?? null;
    // Malformed requests count for their address, too.
    const given = readRequest(req);
    const email = given instanceof AppError ? null : given?.['email'];
    await requests.admit({
      path: req.path,
      address,
      email: typeof email === 'string' ? email : null,
      cookie: req.headers.cookie,
      userId,
    });
    if (given instanceof AppError) throw given;
    if (ENDPOINTS.get(endpointOf(req)) === 'second factor') {
      const viewer = await identity.viewerOf(req);
      // Without a session, better-auth refuses the request.
      if (viewer !== null) assertSecondFactor(viewer);
    }
    const body = bodyFor(req.path, given);
    // Ignores the host of a request line that names one.
    const queryAt = req.url.indexOf('?');
    const url = new URL(`${req.path}${queryAt === -1 ? '' : req.url.slice(queryAt)}`, publicUrl);
    checkCallbacks(url.searchParams, body);
    // Express knows which proxies to trust.
    await send(res, await requests.answer(webRequest(req, url, body), networkOf(address)));
  });
  router.use(errorResponder(logger));
  return router;
}

function endpointOf({ method, path }: Request): string {
  return `${method} ${path}`;
}

/** Returns the body, or the error that refuses it. */
function readRequest(req: Request): Body | AppError | null {
  try {
    return readBody(req.body instanceof Uint8Array ? req.body : null, req.headers['content-type']);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** What better-auth gets: its endpoints take more than the dashboard needs. */
function bodyFor(path: string, given: Body | null): Body | null {
  // Pictures and the code of a referral are not changed here.
  if (path === '/update-user') return { name: given?.['name'] };
  return given;
}

function webRequest(req: Request, { pathname, search, origin }: URL, body: Body | null): globalThis.Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) {
    if (typeof value === 'string') headers.set(name, value);
  }
  // The length of the original body; this one is serialized again.
  headers.delete('content-length');
  return new Request(`${origin}${IDENTITY_PATH}${pathname}${search}`, {
    method: req.method,
    headers,
    body: req.method === 'POST' && body !== null ? JSON.stringify(body) : null,
  });
}

async function send(res: ExpressResponse, answer: globalThis.Response): Promise<void> {
  res.status(answer.status);
  for (const name of ['location', 'content-type']) {
    const value = answer.headers.get(name);
    if (value !== null) res.setHeader(name, value);
  }
  res.setHeader('Set-Cookie', answer.headers.getSetCookie());
  res.send(presented(await answer.text(), answer));
}

/**
 * Removes session tokens from responses: only the cookie carries them, so that scripts in the page cannot read them.
 */
function presented(text: string, answer: globalThis.Response): string {
  if (text === '' || !answer.headers.get('content-type')?.startsWith('application/json')) return text;
  const body: unknown = JSON.parse(text);
  if (typeof body !== 'object' || body === null) return text;
  if ('code' in body && body.code === 'VALIDATION_ERROR') return JSON.stringify(validationError(body));
  return JSON.stringify({ ...body, token: undefined });
}

/** Rewrites the library's message, which is about its types: `[body.email] Invalid input: …; [body.password] …` */
function validationError(body: object): object {
  const told = 'message' in body ? String(body.message) : '';
  const names = [...new Set(Array.from(told.matchAll(/\[(?:body|query)\.(\w{1,40})/g), ([, name]) => name))];
  const which = names.length === 0 ? 'A field' : names.join(', ');
  return { code: 'VALIDATION_ERROR', message: `${which} is missing or has no valid value.` };
}

function errorResponder(logger: Logger): ErrorRequestHandler {
  // Express recognizes error handlers by their four parameters.
  return (error: unknown, _req, res, _next) => {
    if (isTooLarge(error)) {
      res.status(413).json({ code: 'INVALID_INPUT', message: 'The request is too large.' });
      return;
    }
    const known = toAppError(error);
    if (known instanceof TooManyAttempts) res.setHeader('Retry-After', known.retryAfterSeconds);
    if (known.wake) logger.error({ err: error }, 'identity request failed');
    else if (known.status >= 500) logger.warn({ err: error }, 'identity request failed');
    if (known.status === 503) res.setHeader('Retry-After', '2');
    res.status(known.status).json({ code: known.code, message: known.message });
  };
}

function isTooLarge(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'type' in error && error.type === 'entity.too.large';
}
