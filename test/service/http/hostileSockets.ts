import { connect, type Socket } from 'node:net';

/** What hostile clients do with a connection. */
export const HOSTILE_HABITS = {
  'sends nothing': () => '',
  'sends half of its headers': () => 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ',
  'stops after one byte of its body': () => 'POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{',
  'never finishes a body that the service does not read': () =>
    'PATCH /uploads/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n{',
  'stays open after one request': () => 'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
  'reads no response': () => 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n',
  'sends nonsense and stays open': () => 'nonsense\r\n\r\n',
} as const;

export type HostileHabit = keyof typeof HOSTILE_HABITS;

/** A connection that never hangs up, from an address of this machine. */
export async function hostileSocket(port: number, habit: HostileHabit, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve);
    socket.once('close', () => resolve());
  });
  socket.pause();
  socket.write(HOSTILE_HABITS[habit]());
  return socket;
}

/** Waits until the socket is closed, also by a reset, for which `once` would reject. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** Connections from several addresses, with each habit in turn. */
export async function hostileSockets(port: number, count: number, addresses: number): Promise<Socket[]> {
  const habits = Object.keys(HOSTILE_HABITS) as HostileHabit[];
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const batch = Array.from({ length: Math.min(200, count - sockets.length) }, (_, n) => {
      const nth = sockets.length + n;
      return hostileSocket(port, habits[nth % habits.length]!, `127.0.1.${1 + (nth % addresses)}`);
    });
    sockets.push(...(await Promise.all(batch)));
  }
  return sockets;
}
