/** Which of several servers is wanted, in the words of PostgreSQL's own clients (`target_session_attrs`). */
const WANTED = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;

export type Wanted = (typeof WANTED)[number];

export interface DatabaseServer {
  readonly host: string;
  readonly port: number;
  /** The address with this server alone. */
  readonly url: string;
}

/** An address of a database on one server, or on several of which one is wanted. */
export interface DatabaseAddress {
  /** In order, at least one. */
  readonly servers: readonly DatabaseServer[];
  readonly wanted: Wanted;
}

/** Before the servers, the servers, and after them. A user and password end at the last `@`. */
const ADDRESS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;
const USER_AND_PASSWORD = /^([^:]+:\/\/[^:/?#]*)(?::[^/?#]*)?@(?=[^@/?#]*(?:[/?#]|$))/s;
const ATTRIBUTES = 'target_session_attrs';
const DEFAULT_PORT = 5432;

/**
 * Reads `postgresql://user@a:5432,b:5432/name?target_session_attrs=read-write`.
 *
 * @throws Error that says what is wrong, without the address, which holds a password
 */
export function parseAddress(text: string): DatabaseAddress {
  const [, before = '', servers = '', after = ''] = ADDRESS.exec(text) ?? [];
  if (before === '') throw new Error('must be an address that begins with postgres:// or postgresql://');
  let wanted: string = 'any';
  const rest = withParameters(after, (parameters) => {
    wanted = parameters.get(ATTRIBUTES) ?? wanted;
    parameters.delete(ATTRIBUTES);
  });
  if (!isWanted(wanted)) throw new Error(`${ATTRIBUTES} must be one of ${WANTED.join(', ')}`);
  return {
    wanted,
    servers: servers.split(',').map((server) => {
      const url = URL.parse(`${before}${server}${rest}`);
      if (url === null) throw new Error('must be an address such as postgresql://user@a:5432,b:5432/name');
      // As pg reads it: these parameters come first.
      const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname).replace(/^\[(.+)\]$/, '$1');
      return {
        host,
        port: Number(url.searchParams.get('port') ?? (url.port || DEFAULT_PORT)),
        url: url.href,
      };
    }),
  };
}

/** What is wrong with an address, if anything. */
export function addressFault(text: string): string | null {
  try {
    parseAddress(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The role in an address. */
export function roleOf(address: string): string {
  return decodeURIComponent(new URL(parseAddress(address).servers[0]!.url).username);
}

/**
 * The address without its password, and the password: everybody on a machine sees the arguments of programs. The text is
 * changed, because `URL` cannot parse several servers.
 */
export function withoutPassword(address: string): { readonly address: string; readonly password: string } {
  const { password } = new URL(parseAddress(address).servers[0]!.url);
  return { address: address.replace(USER_AND_PASSWORD, '$1@'), password: decodeURIComponent(password) };
}

/** The address with a name and settings for its sessions, besides those that it has already. */
export function sessionUrl(address: string, application: string, settings: Readonly<Record<string, string>>): string {
  return withParameters(withSettings(address, settings), (parameters) => {
    parameters.set('application_name', application);
  });
}

/** The address with settings for its sessions. pg ignores its own `options` if an address has some. */
export function withSettings(address: string, settings: Readonly<Record<string, string>>): string {
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  if (options.length === 0) return address;
  return withParameters(address, (parameters) => {
    const given = parameters.get('options');
    parameters.set('options', [...(given === null ? [] : [given]), ...options].join(' '));
  });
}

/** Changes the query alone, as text: the part before it may name several servers, which `URL` cannot parse. */
function withParameters(address: string, change: (parameters: URLSearchParams) => void): string {
  const at = address.indexOf('?');
  const parameters = new URLSearchParams(at < 0 ? '' : address.slice(at + 1));
  const before = parameters.toString();
  change(parameters);
  const after = parameters.toString();
  // An unchanged query is kept as it is, because serializing it could encode it differently.
  if (after === before) return address;
  return `${at < 0 ? address : address.slice(0, at)}${after === '' ? '' : `?${after}`}`;
}

function isWanted(text: string): text is Wanted {
  return (WANTED as readonly string[]).includes(text);
}
