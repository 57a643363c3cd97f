import { expect, test } from 'vitest';

import { ProgressReporter, type Progress } from '../../../src/worker/progressReporter.js';

const at = (percent: number): Progress => ({ step: 'encoding', percent, speed: null, etaSeconds: null });

/** A sender whose results the test gives. */
function slowSender() {
  const sent: number[] = [];
  const answers: ((isHeld: boolean) => void)[] = [];
  const send = ({ percent }: Progress): Promise<boolean> => {
    sent.push(percent);
    return new Promise((resolve) => answers.push(resolve));
  };
  return { sent, answers, send };
}

test('an urgent report waits for the one being sent, and replaces one that waits', async () => {
  const { sent, answers, send } = slowSender();
  const reporter = new ProgressReporter(send, () => expect.unreachable());
  reporter.report(at(96));
  await expect.poll(() => sent).toEqual([96]);
  reporter.report(at(96.5));
  const now = reporter.reportNow(at(97));
  expect(sent).toEqual([96]);

  answers[0]!(true);
  await expect.poll(() => sent).toEqual([96, 97]);
  answers[1]!(true);
  expect(await now).toBe(true);
  await reporter.stop();
  expect(sent).toEqual([96, 97]);
});

test('a report that failed does not block the next one', async () => {
  let calls = 0;
  const reporter = new ProgressReporter(
    () => (calls++ === 0 ? Promise.reject(new Error('no connection')) : Promise.resolve(false)),
    () => expect.unreachable(),
  );
  await expect(reporter.reportNow(at(1))).rejects.toThrow('no connection');
  expect(await reporter.reportNow(at(2))).toBe(false);
});
