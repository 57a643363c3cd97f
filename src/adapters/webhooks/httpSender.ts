import { promises as dns } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

import {
  WebhookAddressError,
  type WebhookConnection,
  type WebhookRequest,
  type WebhookResponse,
  type WebhookSender,
} from '../../ports/webhookSender.js';
import { isAllowedAddress, type Network } from './networks.js';

/** From the name to the end of the response. */
const WEBHOOK_TIMEOUT_MS = 15_000;
const DNS_TIMEOUT_MS = 3_000;
const MAX_URL_LENGTH = 2_000;
const MAX_ANSWER_BYTES = 2_048;
const MAX_HEADER_BYTES = 8_192;

/** The part of `dns.promises.Resolver` that is used. */
export interface NameResolver {
  resolve4(name: string): Promise<string[]>;
  resolve6(name: string): Promise<string[]>;
}

export interface HttpSenderOptions {
  /** Otherwise https alone. */
  readonly allowsHttp: boolean;
  /** Networks that are allowed though they are private. */
  readonly allowedNetworks: readonly Network[];
  readonly timeoutMs?: number;
  /** Asks the servers of the machine. Not by getaddrinfo: slow names would occupy the threads that files need. */
  readonly resolver?: NameResolver;
  /** Certificates of the authorities to trust, in PEM; the usual ones by default. */
  readonly ca?: string;
}

/** Refused by `lookup`, so that no connection was attempted. */
class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError';
}

/**
 * Posts over node:http and node:https. The addresses that a name resolves to are checked in the lookup of the very
 * connection that uses them, so a name that changes after a check leads nowhere else.
 */
export class HttpWebhookSender implements WebhookSender {
  private readonly resolver: NameResolver;

  constructor(private readonly options: HttpSenderOptions) {
    this.resolver = options.resolver ?? new dns.Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  }

  async check(text: string): Promise<string> {
    const url = this.parse(text);
    const host = hostOf(url);
    const addresses = isIP(host) ? [host] : await this.resolve(host);
    if (addresses.length === 0) throw new WebhookAddressError(`The name ${host} does not resolve.`);
    if (!addresses.every((address) => isAllowedAddress(address, this.options.allowedNetworks))) throw refused();
    return url.href;
  }

  open(): WebhookConnection {
    const options = {
      keepAlive: true,
      maxSockets: 1,
      lookup: this.lookup,
      ...(this.options.ca && { ca: this.options.ca }),
    };
    const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
    return {
      post: (request, signal) => this.post(request, agents, signal),
      close: () => {
        for (const agent of Object.values(agents)) agent.destroy();
      },
    };
  }

  /** @throws WebhookAddressError */
  private parse(text: string): URL {
    const url = text.length <= MAX_URL_LENGTH ? URL.parse(text) : null;
    if (url === null)
      throw new WebhookAddressError(`A webhook address is a URL of at most ${MAX_URL_LENGTH} characters.`);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && this.options.allowsHttp)) {
      throw new WebhookAddressError('A webhook address begins with https://.');
    }
    if (url.username !== '' || url.password !== '') {
      throw new WebhookAddressError('A webhook address holds no user name or password.');
    }
    url.hash = '';
    return url;
  }

  /** IPv4 first. Empty if there are none. */
  private async resolve(name: string): Promise<string[]> {
    // By RFC 6761, whatever a server says.
    if (/(^|\.)localhost\.?$/i.test(name)) return ['127.0.0.1', '::1'];
    const found = await Promise.allSettled([this.resolver.resolve4(name), this.resolver.resolve6(name)]);
    return found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  }

  private readonly lookup: LookupFunction = (name, { all, family }, callback) => {
    const find = async () => {
      try {
        const found = await this.allowedAddresses(name);
        const addresses = found.filter((address) => !family || address.family === family);
        if (all) callback(null, addresses);
        else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
      } catch (error) {
        callback(error as Error, []);
      }
    };
    void find();
  };

  private async allowedAddresses(name: string): Promise<{ address: string; family: number }[]> {
    const addresses = await this.resolve(name);
    if (addresses.length === 0) throw Object.assign(new Error(`${name} does not resolve`), { code: 'ENOTFOUND' });
    if (!addresses.every((address) => isAllowedAddress(address, this.options.allowedNetworks))) {
      throw new RefusedAddressError();
    }
    return addresses.map((address) => ({ address, family: isIP(address) }));
  }

  private async post(request: WebhookRequest, agents: Agents, signal: AbortSignal): Promise<WebhookResponse> {
    const begunAtMs = performance.now();
    const over = (response: Omit<WebhookResponse, 'durationMs'>) => ({
      ...response,
      durationMs: performance.now() - begunAtMs,
    });
    const deadline = new Deadline(this.options.timeoutMs ?? WEBHOOK_TIMEOUT_MS, signal);
    try {
      const url = this.parse(request.url);
      const host = hostOf(url);
      // An address that is written as such is not looked up.
      if (isIP(host) && !isAllowedAddress(host, this.options.allowedNetworks)) throw new RefusedAddressError();
      const response = await send(url, request, agents, deadline.signal).catch((error: unknown) => {
        // The server may have closed an idle connection in the moment in which it was used again.
        if (!(error instanceof LostConnectionError) || deadline.signal.aborted) throw error;
        return send(url, request, agents, deadline.signal);
      });
      return over({ ...response, error: null });
    } catch (error) {
      return over({ status: null, error: deadline.hasPassed ? 'Timed out' : reasonOf(error), body: '' });
    } finally {
      deadline.clear();
    }
  }
}

/**
 * Ends one request after a while, or when `stopping` does. AbortSignal.timeout and AbortSignal.any would keep the request in
 * memory until the time is up and the garbage collector has run.
 */
class Deadline {
  hasPassed = false;
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;

  constructor(
    ms: number,
    private readonly stopping: AbortSignal,
  ) {
    this.timer = setTimeout(() => {
      this.hasPassed = true;
      this.controller.abort();
    }, ms);
    stopping.addEventListener('abort', this.stop);
    if (stopping.aborted) this.stop();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  clear(): void {
    clearTimeout(this.timer);
    this.stopping.removeEventListener('abort', this.stop);
  }

  private readonly stop = (): void => this.controller.abort();
}

type Agents = Readonly<{ 'http:': http.Agent; 'https:': https.Agent }>;

/** A connection that was open before the request. */
class LostConnectionError extends Error {
  override readonly name = 'LostConnectionError';
}

function send(
  url: URL,
  { headers, body }: WebhookRequest,
  agents: Agents,
  signal: AbortSignal,
): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const isSecure = url.protocol === 'https:';
  let hasResponse = false;
  const req = (isSecure ? https : http).request(url, {
    method: 'POST',
    agent: agents[isSecure ? 'https:' : 'http:'],
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
  });
  req.on('error', (error) => {
    const isLost = req.reusedSocket && 'code' in error && error.code === 'ECONNRESET';
    reject(isLost ? new LostConnectionError('', { cause: error }) : error);
  });
  // Webhooks ask for no other protocol. Without a listener, Node closes the connection without an error.
  req.on('upgrade', (res, socket) => {
    socket.destroy();
    resolve({ status: res.statusCode!, body: '' });
  });
  // A request that ends without a response and without an error must not hold its endpoint forever.
  req.on('close', () => {
    if (!hasResponse) reject(new Error('closed'));
  });
  req.on('response', (res) => {
    hasResponse = true;
    const parts: Buffer[] = [];
    let bytes = 0;
    const end = () => resolve({ status: res.statusCode!, body: textOf(Buffer.concat(parts)) });
    res.on('data', (part: Buffer) => {
      parts.push(part);
      bytes += part.length;
      if (bytes < MAX_ANSWER_BYTES) return;
      end();
      res.destroy();
    });
    res.on('end', end);
    // The status has come: what is missing of the body does not matter. Only running out of time does.
    res.on('error', () => (signal.aborted ? reject(new Error('ended')) : end()));
  });
  req.end(body);
  return promise;
}

/** Without a character that is cut in two at the end, and without NUL, which PostgreSQL does not store. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes.subarray(0, MAX_ANSWER_BYTES), { stream: true }).replaceAll('\0', '\uFFFD');
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function refused(): WebhookAddressError {
  return new WebhookAddressError('A webhook address must lead to a public server, not into a private network.');
}

/** Says nothing about networks that the owner does not see. */
function reasonOf(error: unknown): string {
  if (error instanceof RefusedAddressError || (error instanceof Error && error.cause instanceof RefusedAddressError)) {
    return 'The address leads into a private network';
  }
  if (error instanceof WebhookAddressError) return error.message;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known: Readonly<Record<string, string>> = {
    ENOTFOUND: 'The name does not resolve',
    ECONNREFUSED: 'Connection refused',
    ECONNRESET: 'Connection lost',
    EPIPE: 'Connection lost',
    EPROTO: 'The server does not speak TLS on this port',
    ETIMEDOUT: 'Timed out',
    EHOSTUNREACH: 'Server not reachable',
    ENETUNREACH: 'Server not reachable',
    HPE_HEADER_OVERFLOW: 'The response headers are too long',
  };
  if (/^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code))
    return `The certificate is not valid (${code})`;
  return known[code] ?? (code === '' ? 'Connection failed' : `Connection failed (${code})`);
}
