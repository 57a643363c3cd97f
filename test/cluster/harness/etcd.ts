import { join } from 'node:path';

import { Child, eventually } from './child.js';
import type { Network } from './network.js';

/** The names of its machines in the network. A majority of them decides. */
export const ETCD = ['etcd1', 'etcd2', 'etcd3'];
const CLIENT_PORT = 2379;
const PEER_PORT = 2380;

/** The etcd by which Patroni agrees on the leader: three members. */
export class Etcd {
  private readonly members = new Map<string, Child>();

  constructor(
    private readonly network: Network,
    private readonly folder: string,
  ) {}

  static addressesIn(network: Network): string[] {
    return ETCD.map((name) => `${network.addressOf(name)}:${CLIENT_PORT}`);
  }

  /** Starts the members that do not run, and waits until each serves. They keep their data. */
  async start(): Promise<void> {
    const stopped = ETCD.filter((name) => this.members.get(name)?.hasEnded ?? true);
    for (const name of stopped) this.members.set(name, await this.startMember(name));
    // A member serves once a majority has elected a leader.
    for (const name of ETCD) {
      await this.members.get(name)!.until(async () => (await fetch(`${this.urlOf(name)}/health`)).ok, `${name} serves`);
    }
  }

  /** Kills the member that leads, which the others notice most, and `others` besides. */
  async kill({ others }: { readonly others: number }): Promise<void> {
    const leader = await this.leader();
    const followers = ETCD.filter((name) => name !== leader);
    for (const name of [leader, ...followers.slice(0, others)]) await this.members.get(name)!.stop('SIGKILL');
  }

  async stop(): Promise<void> {
    for (const member of this.members.values()) await member.stop('SIGKILL');
  }

  private async leader(): Promise<string> {
    let leader: string | undefined;
    await eventually(async () => {
      for (const name of ETCD) {
        const { state } = (await (await fetch(`${this.urlOf(name)}/v2/stats/self`)).json()) as { state: string };
        if (state === 'StateLeader') leader = name;
      }
      return leader !== undefined;
    }, 'etcd has a leader');
    return leader!;
  }

  private urlOf(name: string, port = CLIENT_PORT): string {
    return `http://${this.network.addressOf(name)}:${port}`;
  }

  private startMember(name: string): Promise<Child> {
    const [client, peer] = [this.urlOf(name), this.urlOf(name, PEER_PORT)];
    const options = {
      name,
      'data-dir': join(this.folder, name),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': ETCD.map((each) => `${each}=${this.urlOf(each, PEER_PORT)}`).join(','),
      'enable-v2': 'true',
    };
    const args = Object.entries(options).map(([option, value]) => `--${option}=${value}`);
    return Child.start(join(this.folder, `${name}.log`), this.network.commandOn(name, ['etcd', ...args]));
  }
}
