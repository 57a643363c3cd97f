// Verifies a webhook: its body on standard input; id, timestamp and signature as arguments.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';

const TOLERANCE_SECONDS = 300;

function isGenuine(body, id, timestamp, signatures, secret) {
  // Also false for what is no number.
  const isRecent = Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  // Anybody can sign with an empty key.
  if (!isRecent || key.length === 0) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(' ').some((entry) => {
    const [version, base64] = entry.split(',');
    const given = Buffer.from(base64 ?? '', 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const [id, timestamp, signatures] = process.argv.slice(2);
const body = readFileSync(0);
if (!isGenuine(body, id, timestamp, signatures, process.env.DHARA_WEBHOOK_SECRET)) {
  console.error('not from Dhara');
  process.exit(1);
}
console.log(JSON.parse(body).type);
