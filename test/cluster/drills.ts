import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import type { Cluster } from './harness/cluster.js';
import { eventually } from './harness/child.js';
import { ETCD } from './harness/etcd.js';
import type { Load } from './harness/load.js';

/** Longer than the leader's lease. */
const ETCD_AWAY_MS = 40_000;

export interface Scene {
  readonly cluster: Cluster;
  readonly load: Load;
  /** How long a part stays away if the rest may not notice its loss. */
  readonly awayMs: number;
}

/** Something that breaks. */
export interface Drill {
  /** What breaks, as in the table of docs/high-availability.md. */
  readonly name: string;
  /** Whether no caller may notice it. */
  readonly isUnnoticed?: true;
  /** Breaks it, and waits until the rest has noticed. @returns what mends it */
  strike(scene: Scene): Promise<() => Promise<unknown>>;
}

export const DRILLS: readonly Drill[] = [
  {
    name: 'leader killed',
    async strike({ cluster: { patroni } }) {
      const leader = await patroni.leader();
      await patroni.node(leader).kill();
      await patroni.electsAnother(leader);
      return () => patroni.node(leader).start();
    },
  },
  {
    name: 'leader frozen',
    async strike({ cluster: { patroni } }) {
      const leader = await patroni.leader();
      patroni.node(leader).freeze();
      await patroni.electsAnother(leader);
      return async () => patroni.node(leader).thaw();
    },
  },
  {
    name: 'leader cut off from everything',
    async strike({ cluster: { patroni, network } }) {
      const leader = await patroni.leader();
      await network.cut(leader);
      await patroni.electsAnother(leader);
      return () => network.mend(leader);
    },
  },
  {
    // Balancer and service still reach it, so it alone can refuse to acknowledge.
    name: 'leader cut off from etcd and the standbys',
    async strike({ cluster: { patroni, network } }) {
      const leader = await patroni.leader();
      const others = [...ETCD, ...patroni.nodes.map(({ name }) => name)];
      await network.cut(leader, others);
      await patroni.electsAnother(leader);
      return () => network.mend(leader, others);
    },
  },
  {
    name: 'synchronous standby killed',
    async strike({ cluster: { patroni } }) {
      const standby = await patroni.nameOf('sync_standby');
      await patroni.node(standby).kill();
      await eventually(async () => (await patroni.nameOf('sync_standby')) !== standby, 'there is another standby');
      return () => patroni.node(standby).start();
    },
  },
  {
    name: 'synchronous standby frozen',
    async strike({ cluster: { patroni } }) {
      const standby = await patroni.nameOf('sync_standby');
      patroni.node(standby).freeze();
      await eventually(async () => (await patroni.nameOf('sync_standby')) !== standby, 'there is another standby');
      return async () => patroni.node(standby).thaw();
    },
  },
  {
    name: 'one of three etcd members lost',
    isUnnoticed: true,
    async strike({ cluster: { patroni }, awayMs }) {
      await patroni.etcd.kill({ others: 0 });
      await delay(Math.min(awayMs, ETCD_AWAY_MS));
      return () => patroni.etcd.start();
    },
  },
  {
    name: 'two of three etcd members lost',
    isUnnoticed: true,
    async strike({ cluster: { patroni }, awayMs }) {
      await patroni.etcd.kill({ others: 1 });
      await delay(Math.min(awayMs, ETCD_AWAY_MS));
      return () => patroni.etcd.start();
    },
  },
  {
    name: 'HAProxy restarted',
    async strike({ cluster: { balancer } }) {
      await balancer.stop();
      await balancer.start();
      return async () => undefined;
    },
  },
  {
    name: 'S3 away',
    isUnnoticed: true,
    async strike({ cluster: { bucketProxy }, awayMs }) {
      bucketProxy.cut();
      await delay(awayMs);
      return async () => bucketProxy.mend();
    },
  },
  {
    name: 'disk of one worker full',
    isUnnoticed: true,
    async strike({ cluster, load }) {
      const path = cluster.onDiskOf(cluster.workers[0]!, 'filler');
      await fill(path);
      await load.uploads.endsAnother();
      return () => rm(path);
    },
  },
];

/** Writes a file until the disk is full. */
async function fill(path: string): Promise<void> {
  const file = await open(path, constants.O_CREAT | constants.O_WRONLY | constants.O_APPEND);
  const block = Buffer.alloc(1024 * 1024);
  try {
    for (;;) await file.write(block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
}
