import { connect } from 'node:net';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';

import { findFreePort } from '../../support/freePort.js';
import { Child } from './child.js';
import { POSTGRES_PORT, REST_PORT, type Patroni } from './patroni.js';

/** HAProxy: one port of the leader and one of the standbys, as Patroni's REST API tells them apart. */
export class Balancer {
  private child: Child | null = null;

  private constructor(
    private readonly folder: string,
    readonly leaderPort: number,
    readonly standbyPort: number,
  ) {}

  static async start(patroni: Patroni, folder: string): Promise<Balancer> {
    const balancer = new Balancer(folder, await findFreePort(), await findFreePort());
    await writeFile(balancer.path, configuration(balancer, patroni));
    await balancer.start();
    return balancer;
  }

  /** Also after a stop: on the same ports. */
  async start(): Promise<void> {
    this.child = await Child.start(join(this.folder, 'haproxy.log'), ['/usr/sbin/haproxy', '-db', '-f', this.path]);
    await this.child.until(() => accepts(this.leaderPort), 'HAProxy listens');
  }

  /** Cuts every connection. */
  async stop(): Promise<void> {
    await this.child?.stop('SIGKILL');
  }

  private get path(): string {
    return join(this.folder, 'haproxy.cfg');
  }
}

function configuration({ leaderPort, standbyPort }: Balancer, patroni: Patroni): string {
  const servers = patroni.nodes.map(
    ({ name, address }) => `  server ${name} ${address}:${POSTGRES_PORT} check port ${REST_PORT}`,
  );
  const portOf = (name: string, port: number, path: string): string[] => [
    `listen ${name}`,
    `  bind 127.0.0.1:${port}`,
    `  option httpchk OPTIONS ${path}`,
    '  http-check expect status 200',
    // Without it, a connection to a frozen leader would wait forever.
    '  default-server inter 1s fall 3 rise 2 on-marked-down shutdown-sessions',
    ...servers,
  ];
  const lines = [
    'global',
    '  maxconn 1000',
    'defaults',
    '  mode tcp',
    '  timeout connect 3s',
    '  timeout check 3s',
    // Sessions that listen for events are quiet for long.
    '  timeout client 1h',
    '  timeout server 1h',
    ...portOf('leader', leaderPort, '/primary'),
    ...portOf('standbys', standbyPort, '/replica'),
  ];
  return `${lines.join('\n')}\n`;
}

/** Whether something listens on the port of this machine. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
