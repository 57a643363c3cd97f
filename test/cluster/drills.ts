import type { Cluster } from './harness/cluster.js';
import type { Load } from './harness/load.js';

export interface Scene {
  readonly cluster: Cluster;
  readonly load: Load;
}

/** Something that breaks. */
export interface Drill {
  /** What breaks, as in the table of docs/high-availability.md. */
  readonly name: string;
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
];
