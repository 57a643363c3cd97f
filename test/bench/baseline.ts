/**
 * The reference for the service: node:http and pg, one prepared statement per request, nothing else. It is the leanest
 * program with the same responses on the success path, as one would write it by hand for speed.
 */
import { createHash, createHmac, createPrivateKey, createPublicKey, randomUUID, sign, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import pg from 'pg';

import { parseVideoId, videoIdOf } from '../../src/domain/shared/ids.js';

const { databaseUrl, poolSize, publicUrl } = JSON.parse(process.argv[2] ?? '') as {
  databaseUrl: string;
  poolSize: number;
  publicUrl: string;
};
process.once('disconnect', () => process.exit());

// int8 and times as text, unless they become a Date.
const text = (value: string): string => value;
for (const type of [20, 1082, 1184]) pg.types.setTypeParser(type, text);
const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize, options: '-c timezone=UTC' });

const pair = createHash('sha256').update('bench').digest();
const privateKey = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), pair]),
  format: 'der',
  type: 'pkcs8',
});
const publicKey = createPublicKey(privateKey);
const jwtHeader = Buffer.from(JSON.stringify({ alg: 'EdDSA', typ: 'JWT', kid: 'bench' })).toString('base64url');

const LIST = {
  name: 'list',
  text: `select k.suspended, c.awaiting_upload + c.uploading + c.uploaded + c.queued + c.processing + c.ready + c.failed as total, v.*
    from api_key k
    join video_count c on c.account_id = k.account_id
    left join lateral (
      select id, status, title, description, tags, metadata, quality, branding, encryption, duration_ms, width, height,
        size_bytes, poster_path, created_at, updated_at, ready_at
      from video where account_id = k.account_id and deleted_at is null
      order by created_at desc, id desc limit 21
    ) v on true
    where k.hash = $1 and k.revoked_at is null`,
};

const MINT = {
  name: 'mint',
  text: `update api_key k set
      used = case when k.usage_day = d.today then k.used + 1 else 1 end, usage_day = d.today, minted_at = d.now
    from (select n.now, (n.now at time zone 'UTC')::date as today from (select clock_timestamp() as now offset 0) n) d, video v
    where k.hash = $1 and k.revoked_at is null and not k.suspended
      and (k.usage_day <> d.today or k.used < k.daily_limit)
      and v.account_id = k.account_id and v.id = $2 and v.deleted_at is null and cardinality(v.playable_rungs) > 0
    returning k.account_id, k.daily_limit, k.used, extract(epoch from d.today)::float8 as day, extract(epoch from d.now)::float8 as now`,
};

const MANIFEST = {
  name: 'manifest',
  text: `select v.title, v.duration_ms, v.poster_path, a.suspended_at, extract(epoch from clock_timestamp())::float8 as now
    from account a join video v on v.account_id = a.id and v.id = $2 and v.deleted_at is null
    where a.id = $1`,
};

function send(res: ServerResponse, status: number, body: object, headers: Record<string, string | number> = {}): void {
  const json = JSON.stringify(body);
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(json),
    ...headers,
  });
  res.end(json);
}

function hashOf(req: IncomingMessage): Buffer {
  return createHash('sha256').update(String(req.headers['x-service-key'])).digest();
}

const time = (value: string | null): string | null =>
  value === null ? null : `${value.slice(0, 10)}T${value.slice(11, 23)}Z`;

async function list(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { rows } = await pool.query({ ...LIST, values: [hashOf(req)] });
  if (!rows[0] || rows[0].suspended) return send(res, 401, { success: false });
  const hasMore = rows.length > 20;
  const data = (hasMore ? rows.slice(0, 20) : rows).map((v) => ({
    id: videoIdOf(v.id),
    uuid: v.id,
    title: v.title,
    description: v.description,
    status: v.status,
    quality: v.quality,
    addons: { branding: v.branding, encryption: v.encryption },
    durationSeconds: v.duration_ms / 1000,
    width: v.width,
    height: v.height,
    sizeBytes: Number(v.size_bytes),
    tags: v.tags,
    metadata: v.metadata,
    thumbnailUrl: v.poster_path && `${publicUrl}/${v.poster_path}`,
    createdAt: time(v.created_at),
    updatedAt: time(v.updated_at),
    readyAt: time(v.ready_at),
  }));
  const total = Number(rows[0].total);
  const last = rows[19];
  const nextCursor = hasMore ? Buffer.from(`${last.created_at} ${last.id}`).toString('base64url') : null;
  const pagination = { limit: 20, total, hasMore, nextCursor, page: 1, totalPages: Math.ceil(total / 20) };
  send(res, 200, { success: true, data, pagination });
}

async function mint(req: IncomingMessage, res: ServerResponse, idText: string): Promise<void> {
  const { rows } = await pool.query({ ...MINT, values: [hashOf(req), parseVideoId(idText)] });
  const [row] = rows;
  if (!row) return send(res, 429, { success: false });
  const iat = Math.floor(row.now);
  const exp = iat + 300;
  const claims = { iss: publicUrl, aud: 'playback', sub: idText, acc: row.account_id, jti: randomUUID(), iat, exp };
  const signed = `${jwtHeader}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  const token = `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
  const manifestUrl = `${publicUrl}/v1/video/playback/manifest/${token}`;
  const expiresAt = new Date(exp * 1000).toISOString();
  send(
    res,
    200,
    { success: true, data: { token, videoId: idText, expiresAt, expiresIn: 300, manifestUrl } },
    {
      'X-RateLimit-Limit': row.daily_limit,
      'X-RateLimit-Remaining': row.daily_limit - row.used,
      'X-RateLimit-Reset': row.day + 86_399,
    },
  );
}

async function manifest(res: ServerResponse, token: string): Promise<void> {
  const [header, payload = '', signature = ''] = token.split('.');
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')));
  if (header !== jwtHeader || !verify(null, signed, publicKey, Buffer.from(signature, 'base64url'))) {
    return send(res, 401, { success: false });
  }
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const { rows } = await pool.query({ ...MANIFEST, values: [claims.acc, parseVideoId(claims.sub)] });
  const [row] = rows;
  if (!row || row.suspended_at || row.now > claims.exp) return send(res, 404, { success: false });
  const durationSeconds = row.duration_ms / 1000;
  const expires = claims.exp + Math.ceil(durationSeconds) + 21_600;
  const grant = createHmac('sha256', pair)
    .update(`${claims.acc}${claims.jti}${claims.sub}${expires}`)
    .digest('base64url');
  const data = {
    url: `${publicUrl}/media/${grant}/${claims.sub}/master.m3u8`,
    type: 'application/vnd.apple.mpegurl',
    videoId: claims.sub,
    title: row.title,
    durationSeconds,
    posterUrl: row.poster_path && `${publicUrl}/${row.poster_path}`,
    storyboardUrl: null,
    captions: [],
    expiresAt: new Date(expires * 1000).toISOString(),
  };
  send(res, 200, { success: true, data }, { 'Cache-Control': 'no-store', 'Access-Control-Allow-Origin': '*' });
}

const MANIFEST_PATH = '/v1/video/playback/manifest/';

async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = req.url ?? '';
  if (url === '/v1/video') return list(req, res);
  if (url.startsWith(MANIFEST_PATH)) return manifest(res, url.slice(MANIFEST_PATH.length));
  if (url.endsWith('/playback-token')) return mint(req, res, url.slice('/v1/video/'.length, -'/playback-token'.length));
  return send(res, 404, { success: false });
}

const server = createServer((req, res) => {
  handle(req, res).catch(() => send(res, 500, { success: false }));
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
