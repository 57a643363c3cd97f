/** The reference for playlists: node:http with the bytes in memory, and nothing else. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const files = JSON.parse(process.argv[2] ?? '') as { path: string; file: string }[];
const bodies = new Map(files.map(({ path, file }) => [path, readFileSync(file)]));
process.once('disconnect', () => process.exit());

const server = createServer((req, res) => {
  const body = bodies.get(req.url ?? '');
  res.writeHead(body ? 200 : 404, { 'Content-Length': body?.length ?? 0 });
  res.end(body);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
