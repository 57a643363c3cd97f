import { connect, createServer, type AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { ReadReplica } from '../../../src/db/readReplica.js';
import { startTwoServers, type TwoServers } from '../../support/database/twoServers.js';

const WHERE = { name: 'test-where', text: 'select pg_is_in_recovery() as "isStandby"' };

describe('the address of a replica', () => {
  let servers: TwoServers;
  let primary: PostgresDatabase;

  beforeAll(async () => {
    servers = await startTwoServers();
    primary = await PostgresDatabase.connect({ url: servers.urlOf('postgres'), maxConnections: 2 });
  });
  afterAll(async () => {
    await primary?.close();
    await servers?.close();
  });

  it('of another cluster, or of another database of the same cluster, is not read', async () => {
    const others = await startTwoServers();
    const neighbour = servers.urlOf('postgres', 'standby').replace('/dhara?', '/postgres?');
    for (const url of [others.urlOf('postgres', 'standby'), neighbour]) {
      const lines: string[] = [];
      const log = (line: string) => lines.push(line);
      const foreign = await ReadReplica.open({ primary, url, maxConnections: 2, maxLagMs: 3000, log });
      expect(foreign.isUsable).toBe(false);
      expect(lines).toEqual(['not reading from the replica: it is another database']);
      await foreign.close();
    }
    await others.close();
  });

  it('may lead to several servers: only the one whose position is known is read', async () => {
    let { port } = servers.standby;
    const balancer = createServer((socket) => {
      const server = connect(port, '127.0.0.1');
      for (const side of [socket, server]) side.on('error', () => undefined);
      socket.pipe(server).pipe(socket);
    });
    await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
    const replica = await ReadReplica.open({
      primary,
      url: `postgresql://postgres@127.0.0.1:${(balancer.address() as AddressInfo).port}/dhara`,
      maxConnections: 2,
      maxLagMs: 3000,
      log: () => undefined,
    });
    await expect.poll(() => replica.isUsable).toBe(true);
    const read = (): Promise<object> =>
      replica.read(
        () => replica.db.sql.query(WHERE),
        () => Promise.resolve([{ isHandedOver: true }]),
      );
    port = servers.primary.port;
    expect(await read()).toEqual([{ isHandedOver: true }]);
    port = servers.standby.port;
    await expect.poll(read).toEqual([{ isStandby: true }]);
    await replica.close();
    balancer.close();
  });
});
