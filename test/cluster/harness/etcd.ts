import { join } from 'node:path';

import { Child } from './child.js';
import type { Network } from './network.js';

/** The name of its machine in the network. */
export const ETCD = 'etcd';
const CLIENT_PORT = 2379;
const PEER_PORT = 2380;

/** The etcd of the cluster: one, because what is tested is how the rest does without it. */
export class Etcd {
  private child: Child | null = null;

  constructor(
    private readonly network: Network,
    private readonly folder: string,
  ) {}

  static addressIn(network: Network): string {
    return `${network.addressOf(ETCD)}:${CLIENT_PORT}`;
  }

  /** Also after a stop: it keeps its data. */
  async start(): Promise<void> {
    const client = `http://${Etcd.addressIn(this.network)}`;
    const peer = `http://${this.network.addressOf(ETCD)}:${PEER_PORT}`;
    const options = {
      name: 'one',
      'data-dir': join(this.folder, 'etcd'),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `one=${peer}`,
      'enable-v2': 'true',
    };
    const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    this.child = await Child.start(join(this.folder, 'etcd.log'), this.network.commandOn(ETCD, ['etcd', ...args]));
    await this.child.until(async () => (await fetch(`${client}/health`)).ok, 'etcd answers');
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    await this.child?.stop(signal);
  }
}
