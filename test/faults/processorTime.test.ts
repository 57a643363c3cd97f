import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { expect, it } from 'vitest';

import { ProcessorMeter, processorSeconds } from '../bench/processorTime.js';

it('the processor time of a process contains that of children and grandchildren, also of those that have ended', async () => {
  // A grandchild works until it has used a second, and ends; then another one that stays does the same.
  const work = 'until [ "$(ps -o cputimes= -p $$)" -ge 1 ]; do for n in {1..20000}; do :; done; done';
  const script = `(bash -c '${work}'; :); echo ended; (bash -c '${work}; echo working; read'; :)`;
  const child = spawn('bash', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('ended');
    expect(processorSeconds(child.pid!)).toBeGreaterThanOrEqual(1);
    expect((await lines.next()).value).toBe('working');
    expect(processorSeconds(child.pid!)).toBeGreaterThanOrEqual(2);
  } finally {
    child.stdin.end();
    child.kill();
  }
});

it('a meter also counts a process whose parent does not ask for its time, as in bubblewrap', async () => {
  const work = 'until [ "$(ps -o cputimes= -p $$)" -ge 1 ]; do for n in {1..20000}; do :; done; done';
  const script =
    '$SIG{CHLD} = "IGNORE"; <STDIN>; exec "bash", "-c", $ARGV[0] unless fork; wait; print "ended\\n"; $| = 1; <STDIN>';
  const child = spawn('perl', ['-e', script, work], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const meter = new ProcessorMeter(child.pid!);
    child.stdin.write('\n');
    expect((await createInterface(child.stdout)[Symbol.asyncIterator]().next()).value).toBe('ended');
    expect(processorSeconds(child.pid!)).toBeLessThan(0.5);
    expect(meter.stop()).toBeGreaterThanOrEqual(0.5);
  } finally {
    child.stdin.end();
    child.kill();
  }
});
