import { execFile, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { Child } from './child.js';

const run = promisify(execFile);
/** Reserved for tests of networks (RFC 2544), so no real network has these addresses. */
const PREFIX = '198.18';
const HOST = 'host';

/** Whether this user may make their own networks here. */
export function canMakeNetworks(): boolean {
  return (
    process.getuid?.() === 0 &&
    spawnSync('unshare', ['--net', 'ip', 'link', 'add', 'try0', 'type', 'veth']).status === 0
  );
}

/**
 * Machines in one machine: a network namespace for each, and one more that forwards packets between them and this
 * machine. It drops packets where the network is cut, so that both sides hear nothing, as if a cable were pulled.
 *
 * The namespaces and everything in them vanish with the processes that hold them.
 */
export class Network {
  private readonly holders = new Map<string, Child>();

  private constructor(
    private readonly names: readonly string[],
    private readonly subnet: string,
    private readonly hub: Child,
  ) {}

  static async open(names: readonly string[], folder: string): Promise<Network> {
    const log = join(folder, 'network.log');
    const hub = await holdNamespace(log);
    const network = new Network([HOST, ...names], `${PREFIX}.${randomInt(256)}`, hub);
    try {
      await network.onHub(['sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward']);
      for (const name of names) network.holders.set(name, await holdNamespace(log));
      for (const name of network.names) await network.plugIn(name);
      await run('ip', ['route', 'add', `${network.subnet}.0/24`, 'via', network.addressOf(HOST, 1)]);
    } catch (error) {
      await network.close();
      throw error;
    }
    return network;
  }

  addressOf(name: string, offset = 2): string {
    return `${this.subnet}.${this.names.indexOf(name) * 4 + offset}`;
  }

  /** The command that runs `command` on the machine `name`. */
  commandOn(name: string, command: readonly string[]): string[] {
    return ['nsenter', '-t', String(this.holders.get(name)!.pid), '-n', '--', ...command];
  }

  /** Drops every packet between `name` and `others`, or all of its packets. */
  async cut(name: string, others: readonly string[] = this.names): Promise<void> {
    for (const other of others) {
      if (other !== name) for (const pair of this.ways(name, other)) await this.rule('add', pair);
    }
  }

  async mend(name: string, others: readonly string[] = this.names): Promise<void> {
    for (const other of others) {
      if (other !== name) for (const pair of this.ways(name, other)) await this.rule('del', pair);
    }
  }

  async close(): Promise<void> {
    for (const holder of [...this.holders.values(), this.hub]) await holder.stop('SIGKILL');
  }

  private ways(name: string, other: string): string[][] {
    const [from, to] = [this.addressOf(name), this.addressOf(other)];
    return [
      ['from', from, 'to', to],
      ['from', to, 'to', from],
    ];
  }

  private async rule(change: 'add' | 'del', pair: readonly string[]): Promise<void> {
    await this.onHub(['ip', 'rule', change, ...pair, 'blackhole']);
  }

  /** A cable between the machine and the hub. */
  private async plugIn(name: string): Promise<void> {
    const port = `port${this.names.indexOf(name)}`;
    // On this machine the name must be its own; it vanishes with the hub.
    const device = name === HOST ? `dhara${process.pid}` : 'eth0';
    const there = name === HOST ? String(process.pid) : String(this.holders.get(name)!.pid);
    await this.onHub(['ip', 'link', 'add', port, 'type', 'veth', 'peer', 'name', device, 'netns', there]);
    await this.onHub(['ip', 'address', 'add', `${this.addressOf(name, 1)}/30`, 'dev', port]);
    await this.onHub(['ip', 'link', 'set', port, 'up']);
    const onMachine = async (...args: string[]): Promise<void> => {
      const [program = '', ...rest] = name === HOST ? ['ip', ...args] : this.commandOn(name, ['ip', ...args]);
      await run(program, rest);
    };
    await onMachine('address', 'add', `${this.addressOf(name)}/30`, 'dev', device);
    await onMachine('link', 'set', device, 'up');
    if (name === HOST) return;
    await onMachine('link', 'set', 'lo', 'up');
    await onMachine('route', 'add', 'default', 'via', this.addressOf(name, 1));
  }

  /** Runs a command to its end on the hub. */
  private async onHub(command: readonly string[]): Promise<void> {
    await run('nsenter', ['-t', String(this.hub.pid), '-n', '--', ...command]);
  }
}

/** A process that does nothing but keep a network namespace. */
async function holdNamespace(log: string): Promise<Child> {
  const holder = await Child.start(log, ['unshare', '--net', 'sleep', 'infinity']);
  const own = await readlink('/proc/self/ns/net');
  await holder.until(async () => (await readlink(`/proc/${holder.pid}/ns/net`)) !== own, 'a network namespace exists');
  return holder;
}
