/** The image's health check: an api answers /healthz, a worker its metrics. Other commands are never unhealthy. */
import { readFileSync } from 'node:fs';
import { env } from 'node:process';

const command = readFileSync('/proc/1/cmdline', 'utf8').split('\0');
let url = null;
if (command.includes('api') || command.includes('all')) url = `http://127.0.0.1:${env.PORT}/healthz`;
else if (command.includes('worker')) url = `http://127.0.0.1:${env.METRICS_PORT}/metrics`;
if (url !== null) {
  const response = await fetch(url, { signal: AbortSignal.timeout(4000) });
  if (!response.ok) process.exitCode = 1;
}
