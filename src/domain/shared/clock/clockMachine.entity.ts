import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** When a machine booted, by the service clock. */
export const ClockMachine = defineEntity({
  name: 'ClockMachine',
  tableName: 'clock_machine',
  properties: {
    runId: p.text().primary(),
    bootedAt: p.datetime(),
    anchoredAt: p.datetime(),
  },
});
export type ClockMachine = InferEntity<typeof ClockMachine>;
